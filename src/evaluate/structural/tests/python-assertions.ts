import { childIn, childOf, type SyntaxNode } from '../syntax/syntax-node.ts';
import { constantNames, type Subjects, subjectOf, type TestReader } from './constant-tests.ts';
import { literalNumber, literalText } from './constants.ts';

const TYPES: Readonly<Record<string, RegExp>> = {
  int: /^int:|^unary_operator\(- int:/,
  float: /^float:|^unary_operator\(- float:/,
  str: /^s:/,
  bytes: /^b:/,
  bool: /^(?:True|False)$/,
  tuple: /^tuple\(/,
  list: /^list\(/,
  dict: /^dictionary\(/,
  set: /^set\(/,
};

/** pytest functions and `unittest` methods. */
export const pythonAssertions: TestReader = {
  isTestFile: (path) => /(?:^|\/)(?:test_[^/]*|[^/]*_tests?)\.py$|(?:^|\/)tests?\/[^/]*\.py$/.test(path),
  assertedBy(statement, subjects) {
    if (statement.kind === 'function_definition') return testFunction(statement, subjects, false);
    return statement.kind === 'class_definition' ? testClass(statement, subjects) : null;
  },
  isHarmlessImport(statement, subjects) {
    if (statement.kind !== 'import_statement' && statement.kind !== 'import_from_statement') return false;
    return statement.children
      .filter((child) => child.field === 'name')
      .every((child) => {
        const bound = childIn(child, 'alias') ?? child.children.at(-1);
        const first = (childIn(statement, 'module_name') ?? child).children[0]?.text ?? '';
        return (
          /^(?:pytest|unittest|inspect|types)$/.test(first) ||
          subjects.modules.has(bound?.text ?? '') ||
          subjects.members.has(bound?.text ?? '')
        );
      });
  },
};

function testClass(node: SyntaxNode, subjects: Subjects): readonly string[] | null {
  if (!/^Test|Tests?$/.test(childIn(node, 'name')?.text ?? '')) return null;
  return collect(childIn(node, 'body')?.children ?? [], (child) =>
    child.kind === 'function_definition' ? testFunction(child, subjects, true) : null,
  );
}

function testFunction(node: SyntaxNode, subjects: Subjects, isMethod: boolean): readonly string[] | null {
  const names = (childIn(node, 'parameters')?.children ?? []).filter((child) => child.kind === 'identifier');
  if (!/^test/.test(childIn(node, 'name')?.text ?? '') || names.length !== (isMethod ? 1 : 0)) return null;
  if (childOf(node, 'async')) return null;
  return collect(childIn(node, 'body')?.children ?? [], (child) => statementOf(child, subjects));
}

/** What all parts assert; null when one of them does something else, or there is none. */
function collect(
  parts: readonly SyntaxNode[],
  read: (part: SyntaxNode) => readonly string[] | null,
): readonly string[] | null {
  const found = parts.map(read);
  return found.length > 0 && found.every((one) => one !== null) ? found.flat() : null;
}

function statementOf(node: SyntaxNode, subjects: Subjects): readonly string[] | null {
  if (node.kind === 'assert_statement') return conditionOf(node.children[1], subjects);
  const call =
    node.kind === 'expression_statement' && node.children.length === 1 ? node.children[0] : undefined;
  return call?.kind === 'call' ? unittestCall(call, subjects) : null;
}

function argumentsOf(call: SyntaxNode): readonly SyntaxNode[] {
  return (childIn(call, 'arguments')?.children ?? []).filter(({ kind }) => !/^[(),]$/.test(kind));
}

function conditionOf(node: SyntaxNode | undefined, subjects: Subjects): readonly string[] | null {
  if (!node) return null;
  if (node.kind === 'boolean_operator' && childOf(node, 'and'))
    return collect(
      node.children.filter(({ kind }) => kind !== 'and'),
      (part) => conditionOf(part, subjects),
    );
  if (node.kind === 'comparison_operator' && node.children.length === 3) return comparisonOf(node, subjects);
  if (node.kind !== 'call') return truthOf(node, subjects);
  return predicateOf(childIn(node, 'function')?.text ?? '', argumentsOf(node), subjects);
}

function comparisonOf(node: SyntaxNode, subjects: Subjects): readonly string[] | null {
  const [left, operator, right] = node.children as [SyntaxNode, SyntaxNode, SyntaxNode];
  const one = subjectOf(left, subjects) ?? docOf(left, subjects);
  const other = subjectOf(right, subjects);
  if (one && literalText(right) !== null)
    return holds(one.value, operator, right) ? constantNames(one) : null;
  return other &&
    literalText(left) !== null &&
    /^(?:==|is|!=|is not)$/.test(operator.kind) &&
    holds(other.value, operator, left)
    ? constantNames(other)
    : null;
}

function holds(value: SyntaxNode | 'callable' | 'doc', { kind }: SyntaxNode, literal: SyntaxNode): boolean {
  const same = typeof value !== 'string' && literalText(value) === literalText(literal);
  if (kind === '==' || kind === 'is') return same;
  if (kind === '!=' || kind === 'is not') return !same;
  const left = typeof value === 'string' ? null : literalNumber(value);
  const right = literalNumber(literal);
  if (left === null || right === null) return false;
  return kind === '<'
    ? left < right
    : kind === '<='
      ? left <= right
      : kind === '>'
        ? left > right
        : kind === '>=' && left >= right;
}

/** `f.__doc__`: what a docstring says is text, so asserting that there is one restates it. */
function docOf(node: SyntaxNode, subjects: Subjects): { name: string; value: 'doc' } | null {
  if (node.kind !== 'attribute' || childIn(node, 'attribute')?.text !== '__doc__') return null;
  const subject = subjectOf(childIn(node, 'object'), subjects);
  return subject ? { name: subject.name, value: 'doc' } : null;
}

function truthOf(node: SyntaxNode, subjects: Subjects): readonly string[] | null {
  const subject = subjectOf(node, subjects) ?? docOf(node, subjects);
  return subject ? constantNames(subject) : null;
}

function predicateOf(
  name: string,
  values: readonly SyntaxNode[],
  subjects: Subjects,
): readonly string[] | null {
  const [first, second] = values;
  const subject = subjectOf(first, subjects);
  if (name === 'callable' && values.length === 1)
    return subject?.value === 'callable' ? constantNames(subject) : null;
  if (name === 'isinstance' && values.length === 2)
    return subject && isOfType(subject.value, second) ? constantNames(subject) : null;
  if (name !== 'hasattr' || values.length !== 2 || first?.kind !== 'identifier') return null;
  const contents = subjects.modules.get(first.text);
  const member = second?.text.replace(/^s:/, '') ?? '';
  return contents && (contents.constants.has(member) || contents.callables.has(member)) ? [] : null;
}

function isOfType(value: SyntaxNode | 'callable', type: SyntaxNode | undefined): boolean {
  const types =
    type?.kind === 'tuple' ? type.children.filter(({ kind }) => kind === 'identifier') : type ? [type] : [];
  const text = value === 'callable' ? '' : (literalText(value) ?? '');
  return types.some(({ text: name }) => TYPES[name]?.test(text) ?? false);
}

function unittestCall(call: SyntaxNode, subjects: Subjects): readonly string[] | null {
  const callee = childIn(call, 'function');
  if (callee?.kind !== 'attribute' || childIn(callee, 'object')?.text !== 'self') return null;
  const values = argumentsOf(call);
  const [first, second] = values;
  const subject = subjectOf(first, subjects) ?? subjectOf(second, subjects);
  const literal = subjectOf(first, subjects) ? second : first;
  switch (childIn(callee, 'attribute')?.text) {
    case 'assertEqual':
      return subject &&
        typeof subject.value !== 'string' &&
        literalText(subject.value) === literalText(literal)
        ? constantNames(subject)
        : null;
    case 'assertTrue':
      return conditionOf(first, subjects);
    case 'assertIsInstance':
      return predicateOf('isinstance', values, subjects);
    case 'assertIsNotNone':
      return first ? truthOf(first, subjects) : null;
    default:
      return null;
  }
}
