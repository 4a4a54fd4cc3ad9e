// The wrapper as one would write it first: yargs for the command line, zod for what is read and written, execa for the
// command, sha256 over every declared file before and after. For comparison only; what it gets wrong is listed in
// docs/decisions/0011-no-execa-on-the-hot-path.md. bench/overhead.mjs bundles it before it measures.
import { createHash, randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import yargs from 'yargs';
import { z } from 'zod';

const Options = z.object({
  spool: z.string().optional(),
  files: z.string().optional(),
  turnId: z.string().optional(),
});
const FileState = z.object({ path: z.string(), sha256: z.string().length(64), size: z.number().int() });
const Event = z.object({
  event_id: z.string().uuid(),
  turn_id: z.string().nullable(),
  exit_code: z.number().int().nullable(),
  before: z.array(FileState),
  after: z.array(FileState),
});

async function snapshot(paths) {
  return Promise.all(
    paths.map(async (path) => {
      const bytes = await readFile(path);
      return FileState.parse({
        path,
        sha256: createHash('sha256').update(bytes).digest('hex'),
        size: bytes.length,
      });
    }),
  );
}

async function refresh(argv) {
  const options = Options.parse(argv);
  const [program, ...words] = argv['--'];
  const paths = options.files
    ? z.array(z.string()).parse(JSON.parse(await readFile(options.files, 'utf8')))
    : [];
  const before = await snapshot(paths);
  const result = await execa(program, words, {
    stdin: 'inherit',
    stdout: ['inherit', 'pipe'],
    stderr: 'inherit',
    buffer: false,
    reject: false,
  });
  if (options.spool) {
    const after = await snapshot(paths);
    const id = randomUUID();
    const event = Event.parse({
      event_id: id,
      turn_id: options.turnId ?? null,
      exit_code: result.exitCode ?? null,
      before,
      after,
    });
    await writeFile(join(options.spool, `${id}.tmp`), JSON.stringify(event));
    await rename(join(options.spool, `${id}.tmp`), join(options.spool, `${id}.json`));
  }
  process.exitCode = result.exitCode ?? 1;
}

await yargs(process.argv.slice(2))
  .parserConfiguration({ 'populate--': true })
  .command(
    'refresh',
    'runs a command and records what it changed',
    (y) => y.string(['spool', 'files', 'turn-id']),
    refresh,
  )
  .demandCommand(1)
  .strict()
  .parseAsync();
