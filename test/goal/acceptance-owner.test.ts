import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readAcceptance } from '../../src/goal/acceptance-owner.ts';
import { temporaryFolder } from '../support/rig.ts';

const document = {
  schema_version: 'drift_acceptance_owner_v1',
  requirements: [
    {
      goal_id: 'harbour',
      agent_id: 'scout',
      todo_id: 'todo-1',
      contract_digest: 'digest',
      contract_revision: 1,
      todo_semantic_digest: 'semantic',
      criteria: [{ criterion_id: 'c-1', description: 'At most three tries' }],
    },
  ],
};

function ask(text: string, how: 'file' | 'command') {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'owner.json'), text);
  return readAcceptance(how === 'file' ? { file: 'owner.json' } : { command: ['cat', 'owner.json'] }, folder);
}
const reasonOf = (result: ReturnType<typeof readAcceptance>) => (result.ok ? 'read' : result.failure.reason);

describe('the acceptance owner', () => {
  it.each(['file', 'command'] as const)('is asked through a %s, in the workspace', (how) => {
    const answer = ask(JSON.stringify(document), how);
    expect(answer.ok && answer.value[0]?.criteria).toEqual(document.requirements[0]?.criteria);
  });

  it.each([
    ['{"schema_version":"drift_acceptance_owner_v1"}', 'acceptance_unavailable'],
    [JSON.stringify({ ...document, schema_version: 'v2' }), 'acceptance_unavailable'],
    [JSON.stringify({ ...document, note: 'x' }), 'acceptance_unavailable'],
    [
      JSON.stringify({ ...document, requirements: [{ ...document.requirements[0], contract_revision: 0 }] }),
      'acceptance_unavailable',
    ],
    [
      JSON.stringify({ ...document, requirements: [{ ...document.requirements[0], criteria: [] }] }),
      'acceptance_unavailable',
    ],
    ['{"schema_version":1,"schema_version":2}', 'json_invalid'],
    ['not json', 'json_invalid'],
  ])('that answers %s is not believed', (text, reason) => {
    expect(reasonOf(ask(text, 'file'))).toBe(reason);
    expect(reasonOf(ask(text, 'command'))).toBe('acceptance_unavailable');
  });

  it.each([
    [['sh', '-c', 'exit 3'], 'it ended with 3'],
    [['sh', '-c', 'kill -TERM $$'], 'it was ended by SIGTERM'],
    [['/nowhere/owner'], 'ENOENT'],
  ])('that fails (%s) is unavailable', (command, detail) => {
    expect(readAcceptance({ command }, temporaryFolder())).toMatchObject({
      ok: false,
      failure: { reason: 'acceptance_unavailable', detail },
    });
  });
});
