import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { claimWords, formObligation, makeAssistRig } from '../support/assist.ts';
import { callDrift, documentOf } from '../support/call-drift.ts';
import { driftProgram, makeRig, run, temporaryFolder } from '../support/rig.ts';

type AnyRig = Pick<Awaited<ReturnType<typeof makeRig>>, 'work' | 'state'>;

const stop = (more: object = {}) =>
  JSON.stringify({
    session_id: 's1',
    hook_event_name: 'Stop',
    permission_mode: 'default',
    last_assistant_message: 'done',
    ...more,
  });

/** What a host gets for a payload: nothing, or one document. */
const hook = async (rig: AnyRig, payload: string, ...words: string[]) => {
  const called = await callDrift(
    ['hook', 'claude-code', '--state-dir', rig.state, '--agent-id', 'scout', ...words],
    {
      cwd: rig.work,
      input: payload,
    },
  );
  expect(called).toMatchObject({ exit: 0, stderr: '' });
  return called.stdout === '' ? null : documentOf(called);
};

/** An agent under assist that owes something. */
const makeOwing = async () => {
  const rig = await makeAssistRig();
  const { obligation_id: id } = await formObligation(rig, 'hook');
  return { ...rig, id };
};

describe('drift hook at a stop', () => {
  it('captures the transition with its agent, turn and session log', async () => {
    const rig = await makeRig();
    const transcript = join(rig.dir, 'session.jsonl');
    writeFileSync(transcript, '');
    rig.write('a.txt', 'two\n');

    expect(await hook(rig, stop({ transcript_path: transcript, turn_id: 't-1', cwd: rig.work }))).toBeNull();
    const { events } = await rig.status();
    expect(events[0]).toMatchObject({
      status: 'queued',
      run: { agent_id: 'scout', turn_instance_id: 't-1' },
    });
  });

  it.each([
    ['no JSON', 'hello'],
    ['no object', '[]'],
    ['nothing', ''],
    [
      'values of other types',
      JSON.stringify({ session_id: 7, cwd: 3, stop_hook_active: 'yes', hook_event_name: null }),
    ],
    ['another event', JSON.stringify({ hook_event_name: 'PreToolUse' })],
  ])('lets go without a word when the payload is %s', async (_name, payload) => {
    expect(await hook(await makeRig(), payload)).toBeNull();
  });

  it('lets go without a word where there is no observer, it is off, or its state is broken', async () => {
    const bare = temporaryFolder();
    const off = await makeRig();
    await off.drift(['configure', '--mode', 'off']);
    const broken = await makeRig();
    writeFileSync(join(broken.state, 'observer.json'), '{');

    expect(await hook({ work: bare, state: join(bare, 'none') }, stop())).toBeNull();
    expect(await hook(off, stop(), '--block')).toBeNull();
    expect(await hook(broken, stop(), '--block')).toBeNull();
    expect((await off.status()).events).toEqual([]);
  });

  it('ends well and says nothing as the built program too', async () => {
    const folder = temporaryFolder();

    expect(await run([driftProgram, 'hook', 'codex', '--block'], { cwd: folder, input: stop() })).toEqual({
      rc: 0,
      out: '',
      err: '',
    });
  });

  it('never ends with the status that a host takes for a block', async () => {
    const folder = temporaryFolder();
    const wrong = await callDrift(['hook', 'claude-code', '--blok'], { cwd: folder, input: stop() });

    expect(wrong.exit).toBe(1);
    expect((await callDrift(['hook', 'emacs'], { cwd: folder })).exit).toBe(2);
  });
});

describe('an open obligation', () => {
  it('is told to the user at a stop, and to the agent before its next prompt', async () => {
    const rig = await makeOwing();

    expect(await hook(rig, stop())).toEqual({ systemMessage: expect.stringContaining(rig.id) });
    const prompt = JSON.stringify({ session_id: 's1', hook_event_name: 'UserPromptSubmit', prompt: 'go on' });
    expect(await hook(rig, prompt)).toEqual({
      hookSpecificOutput: {
        hookEventName: 'UserPromptSubmit',
        additionalContext: expect.stringContaining(rig.id),
      },
    });
    expect(await hook(rig, stop(), '--agent-id', 'somebody-else')).toBeNull();
  });

  it('holds a stop at most once, whether the host says that it was held or not', async () => {
    const rig = await makeOwing();
    const held = { decision: 'block', reason: expect.stringContaining(rig.id) };
    const letGo = { systemMessage: expect.stringMatching(/held once and is let go/) };

    expect(await hook(rig, stop({ stop_hook_active: true }), '--block')).toEqual(letGo);
    expect(await hook(rig, stop({ stop_hook_active: false }), '--block')).toEqual(held);
    for (const flag of [false, true, undefined])
      expect(await hook(rig, stop({ stop_hook_active: flag }), '--block')).toEqual(letGo);
    expect(await hook(rig, stop({ session_id: 's2' }), '--block')).toEqual(held);
  });

  it('holds nothing when it cannot be noted down that it was held', async () => {
    const rig = await makeOwing();
    writeFileSync(join(rig.state, 'hook'), 'in the way');

    expect(await hook(rig, stop(), '--block')).toEqual({ systemMessage: expect.any(String) });
  });

  it('is not told in shadow', async () => {
    const rig = await makeAssistRig({ mode: 'shadow' });
    for (const n of [1, 2]) await rig.turn(claimWords(`h-${n}`, 'ev'));
    await rig.drain();

    expect(await hook(rig, stop(), '--block')).toBeNull();
  });
});

describe('drift hook install', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  const change = (verb: string, ...words: string[]) =>
    callDrift(['hook', verb, ...words], {
      cwd: folder,
      env: { HOME: folder, CODEX_HOME: join(folder, 'codex') },
    });
  const settings = () => join(folder, '.claude', 'settings.json');

  it('previews, and writes only when told to', async () => {
    const preview = await change('install', '--host', 'claude-code', '--block', '--json');

    expect(documentOf(preview)).toMatchObject({
      action: 'install',
      file: settings(),
      changed: true,
      executed: false,
      before: null,
    });
    expect(existsSync(settings())).toBe(false);
    const written = await change('install', '--host', 'claude-code', '--block', '--execute');
    expect(written.stdout).toMatch(/^\+.*hook claude-code --block \|\| true/m);
    expect(readFileSync(settings(), 'utf8')).toBe(documentOf(preview).after);
    expect(
      documentOf(await change('install', '--host', 'claude-code', '--block', '--execute', '--json')).changed,
    ).toBe(false);
  });

  it('gives a settings file back as it was, in its place behind a link, with its permissions', async () => {
    const text =
      '{\n  "model": "m",\n  "hooks": {\n    "Stop": [{ "hooks": [{ "type": "command", "command": "./lint.sh" }] }]\n  }\n}\n';
    mkdirSync(join(folder, '.claude'));
    writeFileSync(join(folder, 'kept.json'), text, { mode: 0o640 });
    symlinkSync(join(folder, 'kept.json'), settings());

    await change('install', '--host', 'claude-code', '--execute');
    expect(lstatSync(settings()).isSymbolicLink()).toBe(true);
    expect(JSON.parse(readFileSync(settings(), 'utf8')).hooks.Stop).toHaveLength(2);
    await change('uninstall', '--host', 'claude-code', '--execute');
    expect(readFileSync(join(folder, 'kept.json'), 'utf8')).toBe(text);
    expect((lstatSync(join(folder, 'kept.json')).mode & 0o777).toString(8)).toBe('640');
  });

  it('installs a line that a shell runs to a good end, whatever becomes of drift', async () => {
    await change('install', '--host', 'codex', '--execute');
    const { hooks } = JSON.parse(readFileSync(join(folder, 'codex', 'hooks.json'), 'utf8'));
    const line = hooks.Stop[0].hooks[0].command;

    expect(line).toBe(`${driftProgram} hook codex || true`);
    expect(await run(['sh', '-c', line], { cwd: folder, input: stop() })).toEqual({
      rc: 0,
      out: '',
      err: '',
    });
    const gone = line.replace(driftProgram, '/nowhere/drift');
    expect((await run(['sh', '-c', gone], { cwd: folder, input: stop() })).rc).toBe(0);
  });

  it('refuses settings that are no JSON, and leaves them alone', async () => {
    mkdirSync(join(folder, '.claude'));
    writeFileSync(settings(), '{ broken');
    const refused = await change('install', '--host', 'claude-code', '--execute', '--json');

    expect(refused.exit).toBe(2);
    expect(documentOf(refused).error).toMatchObject({ reason: 'json_invalid', file: settings() });
    expect(readFileSync(settings(), 'utf8')).toBe('{ broken');
  });

  it.each([[['install']], [['uninstall', '--host', 'emacs']], [['remove']], [[]]])(
    'refuses %j with exit 2',
    async (words) => {
      expect((await change(...(words as [string]))).exit).toBe(2);
    },
  );
});
