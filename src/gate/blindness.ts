/**
 * Guards against a gate that saw nothing because nothing could start. Null when there was no attempt, when
 * anything was observed, or when at least one attempt got as far as a started program; else the text of a rank 0
 * failure, naming the runners that cannot be found.
 */
export function blindnessFailure(
  counts: { readonly attempts: number; readonly observations: number; readonly spawn_failures: number },
  unresolvableRunners: readonly string[],
): string | null {
  if (counts.attempts === 0 || counts.observations > 0 || counts.spawn_failures < counts.attempts)
    return null;
  const runners =
    unresolvableRunners.length > 0
      ? `: ${unresolvableRunners.map((runner) => `\`${runner}\``).join(', ')} cannot be found here`
      : '';
  return `blind: there are ${counts.attempts} commands to run and none of them could be started${runners}`;
}
