import type { StatusDocument } from '../../readmodel/status.ts';
import { useWords } from './words/use-words.ts';

/** Open obligations with their exits, and what keeps assist from raising one. */
export function Obligations({ status }: { readonly status: StatusDocument }) {
  const words = useWords();
  const shadow = status.external_progress_review?.mode === 'shadow';
  return (
    <section class="panel">
      <h2>{words.obligations}</h2>
      {status.obligations.length === 0 && <p>{shadow ? words.wouldBe : words.noObligations}</p>}
      {status.obligations.map(({ obligation_id, agent_id, recommended_action, exits }) => (
        <div key={obligation_id}>
          <h3 class="tone-debt">
            <span aria-hidden="true">■ </span>
            <code>{obligation_id}</code> {agent_id}
          </h3>
          <p lang="en">{recommended_action}</p>
          <details>
            <summary>{words.exits}</summary>
            {exits.map(({ outcome, meaning, command }) => (
              <div key={outcome}>
                <p class="hint" lang="en">
                  {meaning}
                </p>
                <pre>{command}</pre>
              </div>
            ))}
          </details>
        </div>
      ))}
      {status.assist_blockers.length > 0 && (
        <details open={!shadow}>
          <summary>{words.blockers}</summary>
          <ul class="plain">
            {status.assist_blockers.map(({ reason, cure }) => (
              <li key={reason}>
                {reason.replaceAll('_', ' ')}
                <pre>{cure}</pre>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}
