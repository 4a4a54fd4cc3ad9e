import Table from 'cli-table3';
import type { FleetStatus, SpoolStatus } from '../../../fleet/fleet-status.ts';
import { borderless } from './borderless.ts';
import { duration } from './words.ts';

/** The fleet for people: one line a host and goal, then who judges. Fits 80 columns. */
export function renderFleet({ spools, workers }: FleetStatus): string {
  const seen =
    workers.length === 0 ? 'no worker has been seen for five minutes' : `${workers.length} worker(s)`;
  if (spools.length === 0) return `No host has joined yet; ${seen}.`;
  const drawn = new Table({
    head: columns.map(([name]) => name),
    colWidths: columns.map(([, width]) => width),
    chars: borderless,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 1 },
  });
  drawn.push(...spools.map((spool) => columns.map(([, , text]) => text(spool))));
  const lines = drawn
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
  return [...lines, ...spools.flatMap(restoredLine), '', seen].join('\n');
}

const age = (seconds: number | null): string => (seconds === null ? '-' : duration(Math.round(seconds)));

const columns: readonly [string, number, (spool: SpoolStatus) => string][] = [
  ['host', 14, ({ host }) => host],
  ['goal', 14, ({ goal_id }) => goal_id],
  ['to ship', 8, ({ unshipped }) => String(unshipped)],
  ['backlog', 8, ({ backlog }) => String(backlog)],
  ['oldest', 8, ({ oldest_age_seconds }) => age(oldest_age_seconds)],
  ['lag', 8, ({ lag_seconds }) => (lag_seconds === null ? '-' : `${lag_seconds.toFixed(1)} s`)],
  ['dead', 5, ({ dead_letters }) => String(dead_letters)],
  ['to fetch', 9, ({ undelivered }) => String(undelivered)],
  ['seen', 6, ({ seen_seconds_ago }) => age(seen_seconds_ago)],
];

const restoredLine = ({ host, goal_id, restored }: SpoolStatus): string[] =>
  restored === null
    ? []
    : [
        `${host} ${goal_id}: restored from a backup or copied; its own course began at #${restored.first_sequence}`,
      ];
