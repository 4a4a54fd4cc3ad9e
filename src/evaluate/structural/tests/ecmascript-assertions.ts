import { childIn, type SyntaxNode } from '../syntax/syntax-node.ts';
import { constantNames, type Subjects, subjectOf, type TestReader } from './constant-tests.ts';
import { literalText } from './constants.ts';

/** `test`, `it` and `describe` of the usual runners, with `expect` or `node:assert`. */
export const ecmascriptAssertions: TestReader = {
  isTestFile: (path) =>
    /\.(?:test|spec)\.[mc]?[jt]sx?$|(?:^|\/)(?:__tests__|tests?)\/[^/]*\.[mc]?[jt]sx?$/.test(path),
  assertedBy: (statement, subjects) => blockOf(statement, subjects),
  isHarmlessImport(statement, subjects) {
    if (statement.kind !== 'import_statement') return false;
    const module = childIn(statement, 'source')?.text.replace(/^s:/, '') ?? '';
    if (/^(?:vitest|node:test|node:assert(?:\/strict)?|assert|chai|@jest\/globals|bun:test)$/.test(module))
      return true;
    return boundBy(statement).every((name) => subjects.modules.has(name) || subjects.members.has(name));
  },
};

function boundBy(node: SyntaxNode): string[] {
  if (node.kind === 'import_specifier') return [childIn(node, 'alias')?.text ?? ''];
  const own =
    node.kind === 'namespace_import' || node.kind === 'import_clause'
      ? node.children.filter(({ kind }) => kind === 'identifier')
      : [];
  return [...own.map(({ text }) => text), ...node.children.flatMap(boundBy)];
}

function callOf(statement: SyntaxNode): { callee: SyntaxNode; values: readonly SyntaxNode[] } | null {
  const call = statement.kind === 'expression_statement' ? statement.children[0] : statement;
  const callee = call?.kind === 'call_expression' ? childIn(call, 'function') : undefined;
  const list = call && childIn(call, 'arguments');
  return callee && list
    ? { callee, values: list.children.filter(({ kind }) => !/^[(),]$/.test(kind)) }
    : null;
}

function blockOf(statement: SyntaxNode, subjects: Subjects): readonly string[] | null {
  const call = callOf(statement);
  if (!call || !/^(?:test|it|describe|suite)$/.test(call.callee.text) || call.values.length !== 2)
    return null;
  const [title, body] = call.values as [SyntaxNode, SyntaxNode];
  const block = childIn(body, 'body');
  if (
    title.kind !== 'string' ||
    !/^(?:arrow_function|function_expression)$/.test(body.kind) ||
    block?.kind !== 'statement_block'
  )
    return null;
  if (
    body.children.some(({ kind }) => kind === 'async') ||
    (childIn(body, 'parameters')?.children.length ?? 0) !== 2
  )
    return null;
  const parts = block.children
    .slice(1, -1)
    .map((part) => blockOf(part, subjects) ?? assertionOf(part, subjects));
  return parts.length > 0 && parts.every((part) => part !== null) ? parts.flat() : null;
}

function assertionOf(statement: SyntaxNode, subjects: Subjects): readonly string[] | null {
  const call = callOf(statement);
  if (call?.callee.kind !== 'member_expression') return null;
  const method = childIn(call.callee, 'property')?.text ?? '';
  const owner = childIn(call.callee, 'object');
  if (owner?.kind === 'identifier' && owner.text === 'assert')
    return /^(?:equal|strictEqual|deepEqual|deepStrictEqual)$/.test(method) && call.values.length === 2
      ? equality(call.values[0], call.values[1], subjects)
      : null;
  const expected = owner && callOf(owner);
  if (expected?.callee.text !== 'expect' || expected.values.length !== 1) return null;
  const [actual] = expected.values;
  if (/^(?:toBe|toEqual|toStrictEqual)$/.test(method) && call.values.length === 1)
    return equality(actual, call.values[0], subjects);
  const subject = subjectOf(actual, subjects);
  if (method === 'toBeDefined' || method === 'toBeTruthy') return subject ? constantNames(subject) : null;
  return method === 'toBeTypeOf' && call.values[0]?.text === 's:function' && subject?.value === 'callable'
    ? constantNames(subject)
    : null;
}

function equality(
  actual: SyntaxNode | undefined,
  literal: SyntaxNode | undefined,
  subjects: Subjects,
): readonly string[] | null {
  const subject = subjectOf(actual, subjects);
  if (subject && subject.value !== 'callable')
    return literalText(subject.value) !== null && literalText(subject.value) === literalText(literal)
      ? constantNames(subject)
      : null;
  const isTypeof = actual?.kind === 'unary_expression' && actual.children[0]?.kind === 'typeof';
  const called = isTypeof ? subjectOf(childIn(actual, 'argument'), subjects) : null;
  return called?.value === 'callable' && literal?.text === 's:function' ? constantNames(called) : null;
}
