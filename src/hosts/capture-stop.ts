import type { HookPayload } from '../contract/hook.ts';
import { openCapture } from '../shim/capture.ts';

/**
 * Captures the transition up to a stop, as a refresh around a command that did nothing would. Whatever goes wrong is
 * tallied in the state, as for every refresh.
 */
export async function captureStop(state: string, agentId: string, payload: HookPayload): Promise<void> {
  const { transcript_path: log, turn_id: turn } = payload;
  const words = [
    ...['--state-dir', state, '--agent-id', agentId],
    ...(log === null ? [] : ['--session-log', log]),
    ...(turn === null ? [] : ['--turn-id', turn]),
  ];
  const capture = openCapture(words, ['drift', 'hook']);
  await capture?.afterCommand({
    exitCode: 0,
    signal: null,
    startedAt: Date.now(),
    durationMs: 0,
    stdoutTail: null,
    stdoutCut: false,
  });
}
