import type { StatusDocument } from '../../readmodel/status.ts';
import { turnOf, verdictOf } from './event-words.ts';
import type { Words } from './words/en.ts';
import { useWords } from './words/use-words.ts';

/** A sign beside the word, so that colour never says anything alone. */
const signs = {
  DRIFTING: { sign: '▲', tone: 'tone-drift' },
  'OBLIGATION OPEN': { sign: '■', tone: 'tone-debt' },
  'NO DRIFT SIGNAL': { sign: '○', tone: 'tone-calm' },
  UNDECIDED: { sign: '◇', tone: '' },
  UNOBSERVED: { sign: '–', tone: 'quiet' },
} as const;

/** The owner's one word, and why. */
export function Verdict({ status }: { readonly status: StatusDocument }) {
  const words = useWords();
  const { sign, tone } = signs[status.verdict];
  return (
    <div>
      <p class="verdict">
        <strong class={tone}>
          <span class="sign" aria-hidden="true">
            {sign}
          </span>
          {words.verdicts[status.verdict]}
        </strong>
        <span>{words.verdictNotes[status.verdict]}</span>
      </p>
      <p class="hint">
        {words.because}: {words.language === 'en' ? status.because : newestOf(status, words)}
      </p>
    </div>
  );
}

/** The read-model gives its reason in English; in another language the newest transition says it in typed words. */
function newestOf(
  { events: [newest], external_progress_review: review }: StatusDocument,
  words: Words,
): string {
  if (!newest) return words.noEvents;
  return `#${newest.sequence} ${turnOf(newest)}: ${verdictOf(newest, review?.signal ?? 'noul', words)}`;
}
