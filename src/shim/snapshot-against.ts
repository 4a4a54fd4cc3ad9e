import type { Observer } from '../contract/observer.ts';
import type { Tail } from '../spool/enqueue.ts';
import { listDeclaredFiles } from './declared-files.ts';
import { type SnapshotLimits, type SnapshotTaken, takeSnapshot } from './snapshot.ts';

interface Looked {
  readonly observer: Observer;
  readonly scope: SnapshotLimits;
}

/** Looks at the declared files, sparing those that the newest entry already knows. */
export function snapshotAgainst({ observer, scope }: Looked, tail: Tail | null): SnapshotTaken {
  const known = tail?.stored?.event ?? null;
  const listed = listDeclaredFiles(observer, known?.files ?? []);
  if ('failed' in listed) return listed;
  const previous = known && { files: known.files, takenAt: Date.parse(known.captured_at) };
  return takeSnapshot(observer.workspace, listed.files, previous, scope);
}
