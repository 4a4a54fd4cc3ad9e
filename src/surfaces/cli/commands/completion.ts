import { ok } from '../../../contract/result.ts';
import { defineCommand } from '../command.ts';
import { completionScript } from '../complete.ts';

export const command = defineCommand({
  usage: 'completion',
  describe: 'Prints the script that completes commands and options in bash, or in zsh where SHELL names it.',
  examples: [
    ['drift completion >> ~/.bashrc', 'bash, from the next shell on'],
    ['SHELL=zsh drift completion >> ~/.zshrc', 'zsh'],
  ],
  build: (yargs) => yargs,
  run: async () => {
    const script = await completionScript();
    return ok({ document: { script }, text: script.trimEnd() });
  },
});
