import type { LabelledEpisode } from '../../readmodel/goal-view.ts';
import type { LabelledEvent } from '../../readmodel/status.ts';

/** The stretch of transitions during which something was owed; positions count from the oldest event shown. */
interface ObligationSpan {
  readonly from: number;
  readonly to: number;
  readonly ending: LabelledEpisode['closed_by'];
}

interface Shown {
  /** Oldest first. */
  readonly events: readonly LabelledEvent[];
  readonly episodes: readonly LabelledEpisode[];
}

/** Each obligation whose first turn is among the events; one that is open reaches to the newest of them. */
export function obligationSpans({ events, episodes }: Shown): ObligationSpan[] {
  return episodes.flatMap((episode) => {
    const from = events.findIndex((event) => raises(event, episode));
    if (from < 0) return [];
    const { closed_at, closed_by: ending } = episode;
    const end = closed_at === null ? -1 : events.findIndex(({ run }) => isAtOrAfter(run, closed_at));
    return [{ from, to: end < 0 ? events.length - 1 : end, ending }];
  });
}

function raises({ run }: LabelledEvent, { opened_turn, opened_at, agent_id }: LabelledEpisode): boolean {
  if (run === null || run.agent_id !== agent_id) return false;
  return opened_turn === null ? run.generated_at === opened_at : run.turn_instance_id === opened_turn;
}

const isAtOrAfter = (run: LabelledEvent['run'], instant: string): boolean =>
  run !== null && Date.parse(run.generated_at ?? '') >= Date.parse(instant);
