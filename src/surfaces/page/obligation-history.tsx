import type { PolicyMode } from '../../contract/policy.ts';
import type { LabelledEpisode } from '../../readmodel/goal-view.ts';
import { timeOf } from './event-words.ts';
import { useWords } from './words/use-words.ts';

interface Props {
  readonly episodes: readonly LabelledEpisode[];
  readonly mode: PolicyMode;
}

/** Every obligation that the run history raises, and how it ended; in shadow those that assist would have raised. */
export function ObligationHistory({ episodes, mode }: Props) {
  const words = useWords();
  return (
    <section class="panel">
      <h2>{words.report.history}</h2>
      {episodes.length === 0 ? (
        <p>{words.none}</p>
      ) : (
        <div class="table">
          <table class="compact">
            <thead>
              <tr>
                {words.report.historyHead.map((name, at) => (
                  <th key={name} scope="col" class={at === 4 ? 'number' : ''}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {episodes.map((episode) => (
                <tr key={episode.obligation_ids[0]}>
                  <td class="mono">{episode.opened_turn ?? timeOf(episode.opened_at, words)}</td>
                  <td>{episode.agent_id}</td>
                  <td>{words.report.kinds[episode.kind]}</td>
                  <td>{episode.closed_by ? words.report.ended[episode.closed_by] : words.report.open}</td>
                  <td class="number">{episode.turns_open}</td>
                  <td>{episode.label ?? '–'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <p class="hint">
        {words.report.historyNote} {mode === 'assist' ? '' : words.report.hypothetical}
      </p>
    </section>
  );
}
