/** Session logs as the hosts write them, from their public shapes. */

let count = 0;
const nextId = (): string => {
  count += 1;
  return count.toString(16).padStart(8, '0');
};

export const toLog = (...rows: readonly unknown[]): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join('');

interface Linked {
  readonly id?: string;
  /** Null is the root. */
  readonly parent?: string | null;
}

const stamp = '2026-03-01T09:00:00.000Z';

/** pi, session format 3. */
export const pi = {
  header: () => ({
    type: 'session',
    version: 3,
    id: 'c0ffee00-0000-4000-8000-000000000001',
    timestamp: stamp,
    cwd: '/w',
  }),
  entry: (type: string, more: object = {}, { id = nextId(), parent }: Linked = {}) => ({
    type,
    id,
    ...(parent === undefined ? {} : { parentId: parent }),
    timestamp: stamp,
    ...more,
  }),
  user: (text = 'go on', linked: Linked = {}) =>
    pi.entry(
      'message',
      { message: { role: 'user', content: [{ type: 'text', text }], timestamp: 1 } },
      linked,
    ),
  assistant: (stopReason: string, more: object = {}, linked: Linked = {}) =>
    pi.entry(
      'message',
      {
        message: {
          role: 'assistant',
          content: [{ type: 'text', text: 'ok' }],
          provider: 'p',
          model: 'm',
          stopReason,
          ...more,
          timestamp: 1,
        },
      },
      linked,
    ),
  toolResult: (linked: Linked = {}) =>
    pi.entry(
      'message',
      { message: { role: 'toolResult', toolCallId: 'c', toolName: 'bash', content: [] } },
      linked,
    ),
  compaction: (linked: Linked = {}) =>
    pi.entry('compaction', { summary: 's', firstKeptEntryId: '00000001', tokensBefore: 9 }, linked),
};

const claudeRow = (type: string, more: object) => ({
  type,
  uuid: nextId(),
  sessionId: 's',
  timestamp: stamp,
  cwd: '/w',
  version: '2.1.0',
  isSidechain: false,
  ...more,
});

/** Claude Code. */
export const claude = {
  user: (text = 'go on', more: object = {}) =>
    claudeRow('user', { message: { role: 'user', content: text }, ...more }),
  assistant: (
    stop: string | null,
    { content = [{ type: 'text', text: 'ok' }] as object[], id = nextId(), ...more } = {},
  ) =>
    claudeRow('assistant', {
      message: { id, role: 'assistant', model: 'm', content, stop_reason: stop, usage: {} },
      requestId: 'r',
      ...more,
    }),
  toolUse: (more: object = {}) =>
    claude.assistant('tool_use', {
      content: [{ type: 'tool_use', id: 't', name: 'Bash', input: {} }],
      ...more,
    }),
  toolResult: (text = 'done') =>
    claudeRow('user', {
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: text }] },
    }),
  interrupt: (forTool = false) =>
    claude.user(`[Request interrupted by user${forTool ? ' for tool use' : ''}]`),
  boundary: (trigger = 'auto') =>
    claudeRow('system', { subtype: 'compact_boundary', compactMetadata: { trigger, preTokens: 9 } }),
  summaryOfCompaction: () => claude.user('This session is being continued …', { isCompactSummary: true }),
  apiError: (text = 'API Error: 529') =>
    claudeRow('assistant', {
      isApiErrorMessage: true,
      error: 'overloaded',
      message: {
        id: nextId(),
        model: '<synthetic>',
        role: 'assistant',
        stop_reason: 'stop_sequence',
        content: [{ type: 'text', text }],
      },
    }),
  result: (subtype: string, more: object = {}) => ({
    type: 'result',
    subtype,
    is_error: subtype !== 'success',
    session_id: 's',
    ...more,
  }),
};

const codexRow = (type: string, payload: object) => ({
  timestamp: `2026-03-01T09:00:00.${nextId()}Z`,
  type,
  payload,
});

/** Codex. */
export const codex = {
  meta: () => codexRow('session_meta', { id: 's', cwd: '/w', cli_version: '0.100.0' }),
  event: (type: string, more: object = {}) => codexRow('event_msg', { type, ...more }),
  start: (turn: string) => codex.event('task_started', { turn_id: turn, model_context_window: 9 }),
  complete: (turn: string, last: string | null = 'done') =>
    codex.event('task_complete', { turn_id: turn, last_agent_message: last }),
  aborted: (turn: string, reason = 'interrupted') => codex.event('turn_aborted', { turn_id: turn, reason }),
  item: (payload: object) => codexRow('response_item', payload),
  user: (text = 'go on') =>
    codex.item({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }),
  assistant: () =>
    codex.item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'ok' }] }),
  call: () => codex.item({ type: 'function_call', name: 'shell', arguments: '{}', call_id: 'c' }),
  output: () => codex.item({ type: 'function_call_output', call_id: 'c', output: 'x' }),
  compacted: () => codexRow('compacted', { message: '' }),
};
