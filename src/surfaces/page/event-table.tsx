import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import type { EventDetail } from '../../readmodel/event-detail.ts';
import type { Truth } from '../../readmodel/labels.ts';
import type { LabelledEvent } from '../../readmodel/status.ts';
import { EventFacts } from './event-facts.tsx';
import { filesOf, signOf, turnOf, verdictOf } from './event-words.ts';
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
export function EventTable({ events, signal, onLabel, loadDetail }: Props) {
  const words = useWords();
  const [open, setOpen] = useState<string | null>(null);
  if (events.length === 0) return <p class="quiet">{words.noEvents}</p>;

  const onKeyDown = (event: LabelledEvent) => (pressed: KeyboardEvent) => {
    if (!onLabel || pressed.ctrlKey || pressed.metaKey || pressed.altKey) return;
    const truth = keys[pressed.key];
    if (truth !== undefined) onLabel(event, truth);
  };
  return (
    <div class="table">
      <table>
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
            <Fragment key={event.event_id}>
              <tr class={open === event.event_id ? 'chosen' : ''} onKeyDown={onKeyDown(event)}>
                <td>
                  <button
                    type="button"
                    class="small"
                    aria-expanded={open === event.event_id}
                    aria-label={`${words.details} #${event.sequence}`}
                    onClick={() => setOpen(open === event.event_id ? null : event.event_id)}
                  >
                    #{event.sequence}
                  </button>
                </td>
                <td class="mono turn">{turnOf(event)}</td>
                <td class="mono">{filesOf(event)}</td>
                <td>
                  <span aria-hidden="true">{signOf(event, signal)} </span>
                  {verdictOf(event, signal, words)}
                </td>
                <td>{relationOf(event, words.relations)}</td>
                <td>{incrementOf(event, words.increments)}</td>
                <td>
                  <LabelCell event={event} {...(onLabel ? { onLabel } : {})} />
                </td>
              </tr>
              {open === event.event_id && (
                <tr>
                  <td colSpan={words.eventHead.length}>
                    <EventFacts event={event} {...(loadDetail ? { loadDetail } : {})} />
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const relationOf = (
  { judgments: { choice } }: LabelledEvent,
  names: Readonly<Record<string, string>>,
): string => (choice?.relation ? (names[choice.relation] ?? choice.relation) : '–');
const incrementOf = (
  { judgments: { choice } }: LabelledEvent,
  names: Readonly<Record<string, string>>,
): string => (choice?.increment ? (names[choice.increment] ?? choice.increment) : '–');

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
