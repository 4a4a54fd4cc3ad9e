import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hookLine, planInstall, planUninstall } from '../../src/hosts/hook-settings.ts';

const commands = (more = '') => ({
  Stop: hookLine(`/opt/drift/bin/drift hook claude-code${more}`),
  UserPromptSubmit: hookLine('/opt/drift/bin/drift hook claude-code'),
});
const textOf = (plan: ReturnType<typeof planInstall>): string =>
  plan.ok ? (plan.text ?? '') : `refused: ${plan.field}`;
const install = (text: string | null, more?: string) => textOf(planInstall(text, commands(more)));
const uninstall = (text: string) => textOf(planUninstall(text));

const foreign = { hooks: [{ type: 'command', command: './lint.sh' }] };

describe('planInstall', () => {
  it('makes a settings file where there is none', () => {
    const made = JSON.parse(install(null));

    expect(Object.keys(made.hooks)).toEqual(['Stop', 'UserPromptSubmit']);
    expect(made.hooks.Stop).toEqual([
      { hooks: [{ type: 'command', command: '/opt/drift/bin/drift hook claude-code || true', timeout: 30 }] },
    ]);
  });

  it('leaves every other byte as it is', () => {
    const text =
      '{\n\t"model": "m",   "env": {"A":"1"},\n\t"hooks": {\n\t\t"Stop": [{"matcher": "", "hooks": [{"type":"command","command":"./lint.sh"}]}]\n\t}\n}\n';
    const after = install(text);

    expect(after).toContain('\t"model": "m",   "env": {"A":"1"},\n');
    expect(after).toContain('{"matcher": "", "hooks": [{"type":"command","command":"./lint.sh"}]}');
    expect(JSON.parse(after).hooks.Stop).toHaveLength(2);
  });

  it('changes nothing the second time, and only the command when its options change', () => {
    const once = install(null);
    const held = install(once, ' --block');

    expect(planInstall(once, commands())).toMatchObject({ changed: false, text: once });
    expect(held.replace(' --block', '')).toBe(once);
    expect(install(held)).toBe(once);
  });

  it.each([
    ['{', ''],
    ['[]', ''],
    ['{"hooks": []}', 'hooks'],
    ['{"hooks": {"Stop": {}}}', 'hooks.Stop'],
    ['{"a": 1,}', ''],
  ])('refuses %s and names the key', (text, field) => {
    expect(planInstall(text, commands())).toEqual({ ok: false, field });
    expect(planUninstall(text)).toEqual({ ok: false, field });
  });
});

describe('planUninstall', () => {
  it('takes out what install put in, and nothing else, whatever the settings hold', () => {
    const settings = fc.record(
      {
        model: fc.string(),
        permissions: fc.record({ allow: fc.array(fc.string(), { maxLength: 2 }) }),
        hooks: fc.record(
          {
            Stop: fc.constant([foreign]),
            UserPromptSubmit: fc.constant([foreign, foreign]),
            PreToolUse: fc.constant([{ matcher: 'Bash', ...foreign }]),
          },
          { requiredKeys: ['PreToolUse'] },
        ),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(settings, fc.constantFrom('', '  ', '\t', '    '), (value, indent) => {
        const text = JSON.stringify(value, null, indent);

        const installed = install(text);

        expect(JSON.parse(uninstall(installed))).toEqual(value);
        if (value.hooks) expect(uninstall(installed)).toBe(text);
      }),
      { numRuns: 60 },
    );
  });

  it('takes our hook out of a group that others share', () => {
    const ours = { type: 'command', command: "'/my tools/drift' hook codex --block || true" };
    const shared = JSON.stringify({
      hooks: { Stop: [{ hooks: [foreign.hooks[0], ours] }, { hooks: [ours] }] },
    });

    expect(JSON.parse(uninstall(shared))).toEqual({ hooks: { Stop: [foreign] } });
  });

  it('leaves a file without our hooks alone', () => {
    const text = JSON.stringify({
      hooks: { Stop: [{ hooks: [{ command: 'overdrift hook claude-code' }] }] },
    });

    expect(planUninstall(text)).toEqual({ ok: true, text, changed: false });
    expect(planUninstall(null)).toEqual({ ok: true, text: null, changed: false });
  });
});
