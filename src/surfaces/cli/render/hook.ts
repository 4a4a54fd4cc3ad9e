import { createPatch } from 'diff';

interface HookPlan {
  readonly action: string;
  readonly host: string;
  readonly file: string;
  readonly changed: boolean;
  readonly executed: boolean;
  readonly before: string | null;
  readonly after: string | null;
}

/** What is done to a settings file, as a patch. */
export function describeHookPlan({ action, host, file, changed, executed, before, after }: HookPlan): string {
  if (!changed) return `${file}: nothing to ${action}`;
  const patch = createPatch(file, before ?? '', after ?? '', undefined, undefined, { context: 2 });
  const body = patch.split('\n').slice(2).join('\n').trimEnd();
  const done = executed ? 'Written.' : 'Nothing is written yet: add --execute.';
  const note =
    host === 'codex' && action === 'install' ? ['Codex reads this file where its hooks feature is on.'] : [];
  return [body, ...note, done].join('\n');
}
