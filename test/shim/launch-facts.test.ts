import { describe, expect, it } from 'vitest';
import { completeCommand } from '../../src/shim/launch/command-line.ts';
import { readLaunch } from '../../src/shim/launch/launch-facts.ts';

const report = (fields: Readonly<Record<number, string>>, limits: string): string =>
  `report=${Array.from({ length: 50 }, (_, i) => fields[i + 3] ?? '1').join(' ')}\n${limits}`;

describe('what the launcher tells', () => {
  it('is cut from the options, and these from the command, at the first --', () => {
    const { options, command } = readLaunch([
      'pipe=',
      'fds=open 0',
      'refresh',
      '--state-dir',
      'a=b',
      '--',
      'x',
      '--',
      'y=1',
    ]);

    expect([options, command]).toEqual([
      ['--state-dir', 'a=b'],
      ['x', '--', 'y=1'],
    ]);
  });

  it('is unknown where there was no launcher', () => {
    const { facts } = readLaunch(['refresh', '--', 'true']);

    expect(facts).toEqual({
      pipe: null,
      descriptors: null,
      nonBlocking: [],
      ignoredSignals: [],
      blockedSignals: [],
      hasTerminal: null,
      coreLimit: null,
      openFilesLimit: null,
      hiddenVariables: [],
      isProgram: null,
      nodeParts: { spawn: null, hash: null },
    });
  });

  it('names signals by their numbers', () => {
    const masks = { 7: '34816', 32: '1073741825', 33: '4098' };

    const { facts } = readLaunch([report(masks, '0\n1024\n4096\n'), 'refresh', '--', 'true']);

    expect([facts.blockedSignals, facts.ignoredSignals, facts.hasTerminal]).toEqual([[1, 31], [2, 13], true]);
  });

  it('asks for a limit only where Node leaves another one', () => {
    const limitsOf = (limits: string) => {
      const { facts } = readLaunch([report({}, limits), 'refresh', '--', 'true']);
      return [facts.coreLimit, facts.openFilesLimit];
    };

    expect(limitsOf('0\n1024\n4096\n')).toEqual([null, '1024']);
    expect(limitsOf('unlimited\n4096\n4096\n')).toEqual(['unlimited', null]);
  });

  it('names the variables that were hidden', () => {
    const { facts } = readLaunch(['hidden= NODE_OPTIONS NODE_X', 'pipe=9', 'refresh', '--', 'true']);

    expect([facts.hiddenVariables, facts.pipe]).toEqual([['NODE_OPTIONS', 'NODE_X'], 9]);
  });
});

describe('the calling form of the seeds', () => {
  it.each([
    [['refresh-state', '--goal-id', 'g'], 'loopx'],
    [['--goal-id', 'g'], 'loopx'],
    [['--Goal'], 'loopx'],
    [['--'], '--'],
    [['--1'], '--1'],
    [['-x'], '-x'],
    [['loopx', 'refresh-state'], 'loopx'],
    [['refresh-state-x'], 'refresh-state-x'],
  ])('%j starts %s', (command, program) => {
    expect(completeCommand(command)[0]).toBe(program);
  });
});
