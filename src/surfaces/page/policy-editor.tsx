import { useState } from 'preact/hooks';
import type { PolicyMode, PolicySignal, ProgressReviewPolicy } from '../../contract/policy.ts';
import type { GoalHead } from '../../readmodel/goal-view.ts';
import type { PolicyAnswer, PolicyWish } from './api.ts';
import { useWords } from './words/use-words.ts';

interface Props {
  readonly head: GoalHead;
  /** Previews, or writes with `execute`; rejects with a sentence for people. */
  readonly onPolicy: (wish: PolicyWish, execute: boolean) => Promise<PolicyAnswer>;
}

const modes: readonly PolicyMode[] = ['off', 'shadow', 'assist'];
const signals: readonly PolicySignal[] = ['noul', 'choice'];

type Outcome =
  | { readonly kind: 'preview' | 'written'; readonly answer: PolicyAnswer }
  | { readonly kind: 'failed'; readonly message: string }
  | null;

/** The owner's policy of one goal: what would change is shown before anything is written. */
export function PolicyEditor({ head, onPolicy }: Props) {
  const words = useWords();
  const [wish, setWish] = useState<PolicyWish>(wishOf(head.policy));
  const [outcome, setOutcome] = useState<Outcome>(null);
  const change = (part: Partial<PolicyWish>): void => {
    setWish({ ...wish, ...part });
    setOutcome(null);
  };
  const ask = (execute: boolean) => async (): Promise<void> => {
    try {
      const answer = await onPolicy(wish, execute);
      setOutcome({ kind: execute ? 'written' : 'preview', answer });
    } catch (error) {
      setOutcome({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
    }
  };
  return (
    <section class="panel no-print">
      <h2>{words.policy}</h2>
      {head.policy.invalid_configuration && <p class="notice bad">{words.invalidPolicy}</p>}
      <p class="hint">
        {words.policyIntro} <code>{head.registry.file}</code>
      </p>
      <div class="choices">
        <fieldset>
          <legend>{words.mode}</legend>
          {modes.map((mode) => (
            <label key={mode}>
              <input
                type="radio"
                name={`mode-${head.key}`}
                checked={wish.mode === mode}
                onChange={() => change({ mode })}
              />{' '}
              {words.modes[mode]}
            </label>
          ))}
        </fieldset>
        <fieldset>
          <legend>{words.signalField}</legend>
          {signals.map((signal) => (
            <label key={signal}>
              <input
                type="radio"
                name={`signal-${head.key}`}
                checked={wish.signal === signal}
                onChange={() => change({ signal })}
              />{' '}
              {signal}
            </label>
          ))}
        </fieldset>
      </div>
      <label class="field">
        {words.threshold}{' '}
        <input
          type="number"
          min={2}
          max={20}
          value={wish.drift_threshold}
          onInput={(event) => change({ drift_threshold: Number(event.currentTarget.value) })}
        />
      </label>
      <div class="pin">
        <label>
          {words.pinField}
          <input
            type="text"
            class="mono"
            spellcheck={false}
            value={wish.contract_revision}
            onInput={(event) => change({ contract_revision: event.currentTarget.value })}
          />
        </label>
        <button type="button" onClick={() => change({ contract_revision: head.contract_revision })}>
          {words.pinCurrent}
        </button>
      </div>
      {wish.mode === 'assist' && wish.contract_revision === '' && <p class="notice">{words.inert}</p>}
      <button type="button" onClick={ask(false)}>
        {words.preview}
      </button>
      <div aria-live="polite">
        <PolicyOutcome outcome={outcome} onWrite={ask(true)} onCancel={() => setOutcome(null)} />
      </div>
    </section>
  );
}

const wishOf = ({ mode, signal, drift_threshold, contract_revision }: ProgressReviewPolicy): PolicyWish => ({
  mode,
  signal,
  drift_threshold,
  contract_revision: contract_revision ?? '',
});

interface OutcomeProps {
  readonly outcome: Outcome;
  readonly onWrite: () => void;
  readonly onCancel: () => void;
}

function PolicyOutcome({ outcome, onWrite, onCancel }: OutcomeProps) {
  const words = useWords();
  if (outcome === null) return null;
  if (outcome.kind === 'failed') return <pre class="notice bad">{outcome.message}</pre>;
  if (outcome.kind === 'written') return <p class="notice">{words.written}</p>;
  if (!outcome.answer.changed) return <p class="notice">{words.noChange}</p>;
  return (
    <div class="notice">
      <p>{words.willWrite}</p>
      <ul class="plain mono">
        {outcome.answer.changes.map(({ field, before, after }) => (
          <li key={field}>
            {field}: {before ?? '–'} → {after ?? '–'}
          </li>
        ))}
      </ul>
      <button type="button" onClick={onWrite}>
        {words.write}
      </button>{' '}
      <button type="button" onClick={onCancel}>
        {words.cancel}
      </button>
    </div>
  );
}
