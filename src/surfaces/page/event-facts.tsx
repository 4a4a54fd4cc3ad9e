import { useEffect, useState } from 'preact/hooks';
import type { EventDetail, FileDiff } from '../../readmodel/event-detail.ts';
import { factWords } from '../../readmodel/fact-words.ts';
import type { LabelledEvent } from '../../readmodel/status.ts';
import { reasonOf } from './event-words.ts';
import { useWords } from './words/use-words.ts';

interface Props {
  readonly event: LabelledEvent;
  readonly loadDetail?: (event: LabelledEvent) => Promise<EventDetail>;
}

type Loaded = { readonly detail: EventDetail } | { readonly failed: string } | null;

/** Proof and reasons of one transition; its diffs where the page can ask for them. */
export function EventFacts({ event, loadDetail }: Props) {
  const words = useWords();
  const [loaded, setLoaded] = useState<Loaded>(null);
  useEffect(() => {
    let wanted = true;
    loadDetail?.(event).then(
      (detail) => wanted && setLoaded({ detail }),
      (error: unknown) =>
        wanted && setLoaded({ failed: error instanceof Error ? error.message : String(error) }),
    );
    return () => {
      wanted = false;
    };
  }, [event.event_id, loadDetail]);
  const { noul } = event.judgments;
  return (
    <div>
      <h3>{words.facts}</h3>
      <ul class="plain">
        {event.reason && <li>{reasonOf(event.reason, words)}</li>}
        {noul && (
          <li>
            {(['serves_acceptance', 'evidence_increment', 'behavior_change'] as const)
              .map((name) => `${words.series[name]} ${noul[name] ?? '–'}`)
              .join(' · ')}
          </li>
        )}
        {event.evaluator && event.evaluator !== 'none' && (
          <li>
            {words.judgedBy} {event.evaluator}
          </li>
        )}
        {event.facts.map((fact, at) => (
          <li key={`${at} ${fact.fact}`} lang="en">
            {factWords(fact)}
          </li>
        ))}
      </ul>
      {loaded && 'failed' in loaded && <p class="notice bad">{loaded.failed}</p>}
      {loaded && 'detail' in loaded && loaded.detail.diffs.map((diff) => <Diff key={diff.path} {...diff} />)}
    </div>
  );
}

function Diff({ path, change, diff, unavailable }: FileDiff) {
  const words = useWords();
  const changed = words.fileChanges[change] ?? change;
  const lines = (diff ?? '').split('\n').filter((line) => !/^(Index: |=====|--- |\+\+\+ )/.test(line));
  return (
    <>
      <h3 class="mono">
        {path} ({changed})
      </h3>
      {diff === null ? (
        <p class="quiet">{words.diffUnavailable((unavailable ?? '?').replaceAll('_', ' '))}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide diff has to be scrolled by keyboard too.
        <section class="scroll" tabIndex={0} aria-label={path}>
          <pre class="diff">
            {lines.map((line, at) => (
              <span key={`${at} ${line}`} class={toneOf(line)}>
                {line || ' '}
              </span>
            ))}
          </pre>
        </section>
      )}
    </>
  );
}

function toneOf(line: string): string {
  if (line.startsWith('+')) return 'added';
  if (line.startsWith('-')) return 'removed';
  return line.startsWith('@@') ? 'hunk' : '';
}
