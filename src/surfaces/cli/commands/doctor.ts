import { existsSync } from 'node:fs';
import { exitCode } from '../../../contract/exit-code.ts';
import { fail, ok } from '../../../contract/result.ts';
import { examine, examineFormat } from '../../../doctor/examine.ts';
import { loadObserver } from '../../../observer/load-observer.ts';
import { locateState } from '../../../spool/locate-state.ts';
import { stateFormat } from '../../../spool/state-layout.ts';
import { defineCommand } from '../command.ts';
import type { Io } from '../io.ts';
import { doctorDocument, renderDoctor } from '../render/doctor.ts';

export const command = defineCommand({
  usage: 'doctor [--migrate]',
  describe:
    'Names everything that is damaged, strange or missing in an observer, each with its file and what to do. It reads every entry and changes nothing. Exit 1 when there is a finding.',
  examples: [
    ['drift doctor', 'what is wrong, and the next step for each'],
    ['drift doctor --json', 'the same for scripts: exit 1 with findings, 0 without'],
    ['drift doctor --migrate', 'move a state of an older format to the one of this version'],
  ],
  exits: [['1', 'there is a finding']],
  build: (yargs) =>
    yargs.option('migrate', { type: 'boolean', default: false, describe: 'move an older format to today’s' }),
  run: async (args, io) => {
    const query = { stateDir: args.stateDir, config: args.config, env: io.env, cwd: io.cwd };
    const state = locateState(query);
    if (state === null || !existsSync(state))
      return fail({ reason: 'state_not_found', ...(state === null ? {} : { file: state }) });
    const format = examineFormat(state);
    // Of a format that this version does not know nothing may be touched, nor said.
    if (!format.ok && format.failure.reason === 'state_version_unknown') return format;
    if (args.migrate) {
      if (!format.ok) return format;
      return ok({
        document: { status: 'current', format: stateFormat, migrated: [] },
        text: `${state} is of today's format, ${stateFormat}; there is nothing to move`,
      });
    }
    const loaded = loadObserver(query);
    const where = { env: io.env, cwd: io.cwd };
    const examination = examine({ state, loaded, where, onProgress: progress(io) });
    const isHealthy = examination.findings.every(({ isNotice }) => isNotice);
    return ok({
      document: doctorDocument(examination),
      text: renderDoctor(examination, io),
      exit: isHealthy ? exitCode.done : exitCode.finding,
    });
  },
});

function progress(io: Io): ((sequence: number, tail: number) => void) | undefined {
  if (!io.tty.stderr) return undefined;
  return (sequence, tail) => {
    if (tail > 2_000) io.stderr.write(`\rdoctor: entry ${sequence} of ${tail}\x1b[K`);
  };
}
