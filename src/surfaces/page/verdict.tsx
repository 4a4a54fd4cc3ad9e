import type { StatusDocument } from '../../readmodel/status.ts';
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
        {words.because}: <span lang="en">{status.because}</span>
      </p>
    </div>
  );
}
