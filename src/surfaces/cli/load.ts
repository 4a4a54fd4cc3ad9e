import type { Failure } from '../../contract/failure.ts';
import type { Result } from '../../contract/result.ts';
import { type LoadedObserver, loadObserver } from '../../observer/load-observer.ts';
import type { CommonArguments } from './command.ts';
import type { Io } from './io.ts';

/** The observer that a command speaks of. */
export const loadFor = (args: CommonArguments, io: Io): Result<LoadedObserver, Failure> =>
  loadObserver({ stateDir: args.stateDir, config: args.config, env: io.env, cwd: io.cwd });
