import { lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '../contract/finding.ts';
import { ageOf, readFileClock } from '../spool/file-clock.ts';
import { nodeIo } from '../spool/spool-io.ts';
import { kindOfStateEntry, type StateEntryKind } from '../spool/state-entries.ts';
import { type StateLayout, shardOf } from '../spool/state-layout.ts';

const OPEN_TO_OTHERS = 0o077;
const ABANDONED_MS = 3_600_000;

/** What may lie in a folder of the state, by name, and as what. */
interface Place {
  readonly folder: string;
  readonly kindOf: (name: string) => StateEntryKind | null;
}

const named =
  (pattern: RegExp, kind: StateEntryKind) =>
  (name: string): StateEntryKind | null =>
    pattern.test(name) ? kind : null;

/** Every folder of the spool, and what drift makes in it. */
function placesOf(layout: StateLayout, state: string): Place[] {
  const shards = namesIn(layout.events).filter((name) => /^\d{8}$/.test(name));
  return [
    { folder: state, kindOf: kindOfStateEntry },
    { folder: layout.events, kindOf: named(/^\d{8}$/, 'folder') },
    ...shards.map((shard) => ({ folder: join(layout.events, shard), kindOf: entryOf(shard) })),
    { folder: layout.markers, kindOf: named(/^(id|evidence|state|change)$/, 'folder') },
    ...namesIn(layout.markers).map((kind) => ({
      folder: join(layout.markers, kind),
      kindOf: named(/^[0-9a-f]{64}(\.\d+\.\d+)?$/, 'file'),
    })),
    { folder: layout.tally, kindOf: named(/^[a-z_]{1,80}$/, 'file') },
    { folder: layout.journal, kindOf: named(/^\d{8}\.jsonl$/, 'file') },
    { folder: layout.dead, kindOf: named(/^\d{12}\.json$/, 'file') },
  ];
}

const entryOf =
  (shard: string) =>
  (name: string): StateEntryKind | null =>
    /^\d{12}\.json$/.test(name) && shardOf(Number(name.slice(0, 12))) === shard ? 'file' : null;

/** Strangers, things of the wrong kind, things that others may read or own, and what killed writers left. */
export function examineFiles(layout: StateLayout, state: string): Finding[] {
  const places = placesOf(layout, state);
  return [
    ...modeFinding(state),
    ...places.flatMap(({ folder, kindOf }) =>
      namesIn(folder).flatMap((name) => examineOne(join(folder, name), kindOf(name))),
    ),
    ...leftovers(layout),
  ];
}

function examineOne(file: string, kind: StateEntryKind | null): Finding[] {
  if (kind === null) return [{ reason: 'stranger', file }];
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  const isRight = kind === 'file' ? stat.isFile() : stat.isDirectory();
  return isRight ? modeFinding(file, stat) : [{ reason: 'irregular_file', file, detail: kindWord(stat) }];
}

function modeFinding(file: string, known?: Stats): Finding[] {
  const stat = known ?? lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  if (process.geteuid && stat.uid !== process.geteuid())
    return [{ reason: 'not_private', file, detail: 'it belongs to another user' }];
  const open = stat.mode & OPEN_TO_OTHERS;
  return open === 0
    ? []
    : [{ reason: 'not_private', file, detail: `mode ${(stat.mode & 0o777).toString(8)}` }];
}

function kindWord(stat: Stats): string {
  if (stat.isSymbolicLink()) return 'a link';
  if (stat.isDirectory()) return 'a folder';
  return stat.isFile() ? 'a file' : 'a pipe or device';
}

/** Only what is old is left over; a writer may be at work on the rest. */
function leftovers(layout: StateLayout): Finding[] {
  const names = namesIn(layout.staging);
  if (names.length === 0) return [];
  const clock = readFileClock(nodeIo, layout.staging);
  const old = names.filter((name) => ageOf(nodeIo, layout.staging, name, clock) > ABANDONED_MS);
  if (old.length === 0) return [];
  return [{ reason: 'leftovers', file: layout.staging, detail: `${old.length} file(s)`, isNotice: true }];
}

/** Names of what is no folder, or cannot be read, are none: what is wrong with it is found above it. */
export function namesIn(folder: string): string[] {
  try {
    return lstatSync(folder).isDirectory() ? nodeIo.readdirSync(folder) : [];
  } catch {
    return [];
  }
}
