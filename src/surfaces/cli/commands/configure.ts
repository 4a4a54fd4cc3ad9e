import type { Failure } from '../../../contract/failure.ts';
import { fail, ok, type Result } from '../../../contract/result.ts';
import { setRequestBudget } from '../../../evaluate/system-one/ledger/request-budget.ts';
import type { LoadedObserver } from '../../../observer/load-observer.ts';
import {
  applyReconfigure,
  planReconfigure,
  type Reconfigured,
  type Setting,
} from '../../../observer/reconfigure.ts';
import { type Answer, defineCommand } from '../command.ts';
import { loadFor } from '../load.ts';

export const command = defineCommand({
  usage: 'configure KEY=VALUE… [--execute] | --mode off|shadow',
  describe:
    'Shows or changes settings. KEY=VALUE is a preview unless --execute; --mode acts at once. A change makes work in flight stale, and the next refresh takes a new baseline.',
  examples: [
    ['drift configure', 'show every setting'],
    ['drift configure minimum_label_probability=0.7 --execute', 'change one'],
    ['drift configure --mode off', 'only pass through from now on'],
  ],
  build: (yargs) =>
    yargs
      .demandCommand(0, 64, undefined, 'too many settings at once')
      .option('mode', { choices: ['off', 'shadow'] as const, describe: 'off: refresh only passes through' })
      .option('execute', { type: 'boolean', default: false, describe: 'write the change' }),
  run: async (args, io) => {
    const loaded = loadFor(args, io);
    if (!loaded.ok) return loaded;
    const settings = readSettings(args._.map(String));
    if (!settings.ok) return settings;
    const wanted =
      args.mode === undefined ? settings.value : [...settings.value, { key: 'mode', value: args.mode }];
    const plan = planReconfigure(loaded.value, wanted);
    if (!plan.ok) return plan;
    const execute =
      wanted.length > 0 && (args.execute || (args.mode !== undefined && settings.value.length === 0));
    if (!execute) return ok(answer(plan.value, { epoch: null, asked: wanted.length > 0 }));
    const budget = fixBudget(loaded.value, plan.value, wanted);
    if (!budget.ok) return budget;
    const epoch = applyReconfigure(loaded.value, plan.value);
    return epoch.ok ? ok(answer(plan.value, { epoch: epoch.value, asked: true })) : epoch;
  },
});

/** Naming the number here is what raises a budget; the same number written into the file by hand does not. */
function fixBudget(
  { layout }: LoadedObserver,
  { after }: Reconfigured,
  wanted: readonly Setting[],
): Result<null, Failure> {
  const max = after.system_one?.max_requests;
  const named = wanted.some(({ key }) => key === 'system_one' || key === 'system_one.max_requests');
  return max === undefined || !named ? ok(null) : setRequestBudget(layout.requests, max);
}

function readSettings(words: readonly string[]): Result<Setting[], Failure> {
  const settings: Setting[] = [];
  for (const word of words) {
    const at = word.indexOf('=');
    if (at < 1) return fail({ reason: 'usage', field: word, detail: `${word} is not KEY=VALUE` });
    settings.push({ key: word.slice(0, at), value: word.slice(at + 1) });
  }
  return ok(settings);
}

function answer(
  { before, after, changed }: Reconfigured,
  { epoch, asked }: { epoch: number | null; asked: boolean },
): Answer {
  const written = epoch !== null;
  const document = { schema: 'drift_configure_v1', executed: written, changed, epoch, before, after };
  const shown = JSON.stringify(after, null, 2);
  if (!asked) return { document, text: shown };
  const note = written
    ? `Written; configuration epoch ${epoch}.`
    : 'Preview; nothing was written. Add --execute to write it.';
  return { document, text: `${shown}\n${note}` };
}
