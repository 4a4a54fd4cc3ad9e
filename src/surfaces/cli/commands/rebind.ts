import { resolve } from 'node:path';
import { ok } from '../../../contract/result.ts';
import { findBinding } from '../../../observer/load-observer.ts';
import { type Rebound, rebindObserver } from '../../../observer/rebind-observer.ts';
import { type Answer, defineCommand } from '../command.ts';

export const command = defineCommand({
  usage: 'rebind --workspace DIR',
  describe:
    'Binds an observer to a workspace that was moved or renamed. A state that lies in the workspace has moved with it. Work in flight becomes stale, and the next refresh takes a new baseline.',
  examples: [
    ['drift rebind --workspace .', 'in a workspace that was moved'],
    ['drift rebind --workspace /srv/app --state-dir /srv/state', 'with a state that lies elsewhere'],
  ],
  build: (yargs) =>
    yargs.option('workspace', { type: 'string', demandOption: true, describe: 'where the work tree is now' }),
  run: async (args, io) => {
    const found = findBinding({ stateDir: args.stateDir, env: io.env, cwd: io.cwd });
    if (!found.ok) return found;
    const rebound = rebindObserver(found.value, resolve(io.cwd, args.workspace));
    return rebound.ok ? ok(answer(rebound.value)) : rebound;
  },
});

function answer({ before, observer, contractRevision }: Rebound): Answer {
  const document = {
    schema: 'drift_rebind_v1',
    goal_id: observer.goal_id,
    from: before.workspace,
    workspace: observer.workspace,
    runtime_root: observer.runtime_root,
    basis_file: observer.basis_file,
    contract_revision: contractRevision,
    epoch: observer.epoch,
  };
  const text = [
    `Goal ${observer.goal_id} is observed in ${observer.workspace}, before in ${before.workspace}.`,
    `runtime  ${observer.runtime_root}`,
    `basis    ${observer.basis_file}`,
    'The next refresh takes a new baseline.',
  ].join('\n');
  return { document, text };
}
