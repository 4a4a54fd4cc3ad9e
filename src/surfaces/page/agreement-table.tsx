import type { Agreement } from '../../readmodel/label-agreement.ts';
import { useWords } from './words/use-words.ts';

const cells = ['true_positive', 'false_negative', 'false_positive', 'true_negative', 'undecided'] as const;

/** The owner's labels against each signal. */
export function AgreementTable({
  agreement,
}: {
  readonly agreement: Readonly<Record<'noul' | 'choice', Agreement>>;
}) {
  const words = useWords();
  return (
    <>
      <div class="table">
        <table>
          <thead>
            <tr>
              {words.agreementHead.map((name, at) => (
                <th key={name} scope="col" class={at === 0 ? '' : 'number'}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {(['noul', 'choice'] as const).map((signal) => (
              <tr key={signal}>
                <th scope="row">{signal}</th>
                {cells.map((cell) => (
                  <td key={cell} class="number">
                    {agreement[signal][cell]}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint">{words.agreementNote}</p>
    </>
  );
}
