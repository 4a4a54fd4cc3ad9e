import { readTail } from '../spool/enqueue.ts';
import { nodeIo } from '../spool/spool-io.ts';
import type { StateLayout } from '../spool/state-layout.ts';
import { goalLayout } from '../spool/state-layout.ts';
import { findTail } from '../spool/tail.ts';
import type { Binding } from './binding.ts';
import { sizeOfIndex } from './loopx-run.ts';
import { identifyWorkspace, type WorkspaceIdentity } from './preconditions.ts';
import type { RefreshOptions } from './refresh-options.ts';
import type { SnapshotTaken } from './snapshot.ts';
import { snapshotAgainst } from './snapshot-against.ts';

/** What is known of a wrapped command before it starts, whatever can be looked at. */
export interface Opening {
  readonly state: string;
  readonly layout: StateLayout;
  readonly binding: Binding;
  readonly options: RefreshOptions;
  readonly command: readonly string[];
  readonly host: 'generic' | 'loopx';
}

/** One refresh, from its start to its record. */
export interface Session extends Opening {
  readonly span: 'turn' | 'refresh';
  readonly workspace: WorkspaceIdentity;
  readonly tailAtStart: number;
  readonly indexSize: number;
  /** Only for the span `refresh`. */
  readonly before: SnapshotTaken | null;
}

/** Looks at chain, workspace and, where that is the span, the files. Throws what the filesystem reports. */
export function openSession(opening: Opening): Session {
  const { layout, binding, host } = opening;
  const { observer } = binding;
  const span = binding.span ?? (host === 'loopx' ? 'refresh' : 'turn');
  return {
    ...opening,
    span,
    workspace: identifyWorkspace(observer.workspace),
    tailAtStart: findTail(nodeIo, layout),
    indexSize: host === 'loopx' ? sizeOfIndex(goalLayout(observer.runtime_root, observer.goal_id).index) : 0,
    // Nothing else asks for the tail's content, which the enqueuer reads while nobody waits for the command.
    before: span === 'refresh' ? snapshotAgainst(binding, readTail(nodeIo, layout)) : null,
  };
}
