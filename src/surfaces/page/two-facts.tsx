import type { Judgments } from '../../contract/receipt.ts';
import type { LabelledEvent, StatusDocument } from '../../readmodel/status.ts';
import { turnOf } from './event-words.ts';
import { useWords } from './words/use-words.ts';

const percent = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : value.toFixed(2);

/** Goal relation and evidence increment, always apart; the combined signal beside them, never in their place. */
export function TwoFacts({ status }: { readonly status: StatusDocument }) {
  const words = useWords();
  const newest = status.events.find((event) => event.status === 'completed' || event.status === 'abstained');
  if (!newest) return <p class="notice">{words.noLatest}</p>;
  const { choice, noul } = newest.judgments;
  const signal = status.external_progress_review?.signal ?? 'noul';
  return (
    <section aria-label={words.latest}>
      <h2>
        {words.latest}: <span class="mono">#{newest.sequence}</span> {turnOf(newest)}
      </h2>
      <div class="columns">
        <div class="panel fact">
          <h3>{words.relation}</h3>
          <b>{choice?.relation ? words.relations[choice.relation] : words.notJudged}</b>
          <span class="hint">
            {words.probability(words.series.serves_acceptance, percent(noul?.serves_acceptance))}
          </span>
        </div>
        <div class="panel fact">
          <h3>{words.increment}</h3>
          <b>{choice?.increment ? words.increments[choice.increment] : words.notJudged}</b>
          <span class="hint">
            {words.probability(words.series.evidence_increment, percent(noul?.evidence_increment))}
          </span>
        </div>
        <div class="panel fact">
          <h3>
            {words.signal} ({signal})
          </h3>
          <b>{words.signals[String(newest.drift_signal[signal]) as 'true' | 'false' | 'null']}</b>
          <span class="hint">
            {words.recordedOnly(words.series.behavior_change, percent(noul?.behavior_change))}
          </span>
        </div>
      </div>
      {isContrary(newest.judgments, newest) && <p class="notice">{words.twoThings}</p>}
    </section>
  );
}

/** Off goal and yet new evidence: the case that must not be read as progress. */
const isContrary = ({ choice }: Judgments, { drift_signal }: LabelledEvent): boolean =>
  choice?.relation === 'off_goal' && choice.increment === 'new_evidence' && drift_signal.choice !== true;
