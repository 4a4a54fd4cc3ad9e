import yargs, { type Argv } from 'yargs';
import { commands } from './commands.ts';

/** What a shell asks drift with, followed by the words of the line so far. */
export const completionRequest = '--get-yargs-completions';

/** Prints what may follow on a command line, one candidate a line, as the script of `drift completion` expects it. */
export async function complete(words: readonly string[]): Promise<void> {
  await (await allCommands([completionRequest, ...words])).parse();
}

/** The script that teaches a shell to ask. yargs writes zsh's where `SHELL` names zsh, else bash's. */
export async function completionScript(): Promise<string> {
  let script = '';
  const parser = await allCommands([]);
  await parser.parse(['completion'], {}, (_error: unknown, _argv: unknown, output: string) => {
    script = output;
  });
  return script;
}

async function allCommands(argv: readonly string[]): Promise<Argv> {
  const parser = yargs([...argv])
    .scriptName('drift')
    .locale('en')
    .version(false)
    .exitProcess(false)
    .completion('completion', false);
  for (const [name, { summary, load }] of Object.entries(commands)) {
    const { build } = (await load()).command;
    parser.command(name, summary, (inner) =>
      build(inner).options({ json: { type: 'boolean' }, 'state-dir': { type: 'string' } }),
    );
  }
  return parser;
}
