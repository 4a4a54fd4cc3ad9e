/**
 * The program and its arguments. A calling form of the seeds leaves the program out: `drift refresh -- refresh-state …`
 * and `drift refresh -- --goal-id …` mean `loopx` (design §5). `bin/drift` does the same where Node is missing.
 */
export function completeCommand(command: readonly string[]): readonly string[] {
  const [first = ''] = command;
  return first === 'refresh-state' || isLongOption(first) ? ['loopx', ...command] : command;
}

const isLongOption = (word: string): boolean => word.startsWith('--') && /^--[a-z]/i.test(word);
