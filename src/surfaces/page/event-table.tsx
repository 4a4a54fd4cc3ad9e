import { useState } from 'preact/hooks';
import type { EventDetail } from '../../readmodel/event-detail.ts';
import type { Truth } from '../../readmodel/labels.ts';
import type { LabelledEvent } from '../../readmodel/status.ts';
import { EventFacts } from './event-facts.tsx';
import { filesOf, signOf, timeOf, turnOf, verdictOf } from './event-words.ts';
import { useWords } from './words/use-words.ts';

interface Props {
  /** Newest first. */
  readonly events: readonly LabelledEvent[];
  readonly signal: 'noul' | 'choice';
  /** Left out where nothing can be written. */
  readonly onLabel?: (event: LabelledEvent, truth: Truth | null) => void;
  /** Left out where no file text is at hand. */
  readonly loadDetail?: (event: LabelledEvent) => Promise<EventDetail>;
}

const truths: readonly Truth[] = ['drift', 'on_goal', 'unknown'];
const keys: Readonly<Record<string, Truth | null>> = { d: 'drift', g: 'on_goal', u: 'unknown', x: null };

/** Every transition with its verdict, its two facts and its label; labels are given in place. */
export function EventTable({ events, ...rowProps }: Props) {
  const words = useWords();
  const [open, setOpen] = useState<string | null>(null);
  if (events.length === 0) return <p class="quiet">{words.noEvents}</p>;
  return (
    <div class="table">
      <table class="events">
        <thead>
          <tr>
            {words.eventHead.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {events.map((event) => (
            <EventRows
              key={event.event_id}
              {...rowProps}
              event={event}
              isOpen={open === event.event_id}
              onToggle={() => setOpen(open === event.event_id ? null : event.event_id)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps extends Omit<Props, 'events'> {
  readonly event: LabelledEvent;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** One transition; a second row holds its proof and its diffs while it is open. */
function EventRows({ event, signal, isOpen, onToggle, onLabel, loadDetail }: RowProps) {
  const words = useWords();
  const { choice } = event.judgments;
  const onKeyDown = (pressed: KeyboardEvent): void => {
    if (!onLabel || pressed.ctrlKey || pressed.metaKey || pressed.altKey) return;
    const truth = keys[pressed.key];
    if (truth !== undefined) onLabel(event, truth);
  };
  return (
    <>
      <tr class={isOpen ? 'chosen' : ''} onKeyDown={onKeyDown}>
        <td>
          <button
            type="button"
            class="small"
            aria-expanded={isOpen}
            aria-label={`${words.details} #${event.sequence}`}
            onClick={onToggle}
          >
            #{event.sequence}
          </button>
        </td>
        <td class="turn">
          <span class="mono">{turnOf(event)}</span>
          {event.run?.generated_at && <span class="when">{timeOf(event.run.generated_at, words)}</span>}
        </td>
        <td class="mono">{filesOf(event)}</td>
        <td class={event.drift_signal[signal] === true ? 'tone-drift' : ''}>
          <span aria-hidden="true" class="sign">
            {signOf(event, signal)}
          </span>
          {verdictOf(event, signal, words)}
        </td>
        <FactCell name={choice?.relation ?? null} names={words.relations} />
        <FactCell name={choice?.increment ?? null} names={words.increments} />
        <td>
          <LabelCell event={event} {...(onLabel ? { onLabel } : {})} />
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={words.eventHead.length}>
            <EventFacts event={event} {...(loadDetail ? { loadDetail } : {})} />
          </td>
        </tr>
      )}
    </>
  );
}

interface FactProps {
  readonly name: string | null;
  readonly names: Readonly<Record<string, string>>;
}

const FactCell = ({ name, names }: FactProps) => (
  <td class={name === null || name === 'unknown' ? 'quiet' : ''}>
    {name === null ? '–' : (names[name] ?? name)}
  </td>
);

function LabelCell({
  event,
  onLabel,
}: {
  readonly event: LabelledEvent;
  readonly onLabel?: Props['onLabel'];
}) {
  const words = useWords();
  if (!onLabel) return <>{event.label ? words.labels[event.label] : ''}</>;
  return (
    <fieldset class="group bare">
      <legend class="visually-hidden">{words.labelFor(turnOf(event))}</legend>
      {truths.map((truth) => (
        <button
          key={truth}
          type="button"
          class="small"
          aria-pressed={event.label === truth}
          onClick={() => onLabel(event, event.label === truth ? null : truth)}
        >
          {words.labels[truth]}
        </button>
      ))}
    </fieldset>
  );
}
