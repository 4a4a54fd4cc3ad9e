import { wilsonShare } from '../../readiness/wilson-interval.ts';
import type { Agreement } from '../../readmodel/agreement.ts';
import { useWords } from './words/use-words.ts';

const cells = ['true_positive', 'false_negative', 'false_positive', 'true_negative', 'undecided'] as const;
const signals = ['noul', 'choice'] as const;

interface Props {
  readonly agreement: Readonly<Record<'noul' | 'choice', Agreement>>;
  /** How many transitions are labelled on goal, with a verdict or without. */
  readonly onGoal: number;
}

/** The owner's labels against each signal, and how often each flagged what was on goal. */
export function AgreementTable({ agreement, onGoal }: Props) {
  const words = useWords();
  if (cells.every((cell) => agreement.noul[cell] === 0)) return <p class="quiet">{words.agreementEmpty}</p>;
  return (
    <>
      <div class="table">
        <table class="compact">
          <thead>
            <tr>
              <th scope="col">{words.agreementSignal}</th>
              {signals.map((signal) => (
                <th key={signal} scope="col" class="number">
                  {signal}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {cells.map((cell) => (
              <tr key={cell}>
                <th scope="row">{words.agreementRows[cell]}</th>
                {signals.map((signal) => (
                  <td key={signal} class="number">
                    {agreement[signal][cell]}
                  </td>
                ))}
              </tr>
            ))}
            <tr>
              <th scope="row">{words.falseFlags}</th>
              {signals.map((signal) => (
                <td key={signal} class="number">
                  {falseFlags(agreement[signal].false_positive, onGoal)}
                </td>
              ))}
            </tr>
          </tbody>
        </table>
      </div>
      <p class="hint">{words.agreementNote}</p>
    </>
  );
}

/** As a share of all that is labelled on goal, with its 95 % interval. */
function falseFlags(flagged: number, onGoal: number): string {
  const { interval_95: interval } = wilsonShare(flagged, onGoal);
  const percent = (value: number): string => `${Math.round(value * 100)}`;
  return interval ? `${flagged}/${onGoal} [${interval.map(percent).join('–')} %]` : '–';
}
