/**
 * The program and its arguments. A calling form of the seeds leaves the program out: `drift refresh -- refresh-state …`
 * and `drift refresh -- --goal-id …` mean `loopx` (design §5). `bin/drift` does the same where Node is missing.
 */
export function completeCommand(command: readonly string[]): readonly string[] {
  const [first = ''] = command;
  return first === 'refresh-state' || /^--[a-z]/i.test(first) ? ['loopx', ...command] : command;
}
