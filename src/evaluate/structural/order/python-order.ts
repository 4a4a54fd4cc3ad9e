import type { NameTable } from '../names/scopes.ts';
import { childIn, childOf, type SyntaxNode, walk } from '../syntax/syntax-node.ts';
import { pythonStandardLibrary } from './python-standard-library.ts';
import type { Movable, OrderRules } from './sort-movable.ts';

const IMPORTED: Movable = { binds: [], reads: [] };
const LITERALS = new Set(['integer', 'float', 'string', 'true', 'false', 'none']);
const COLLECTIONS = new Set([
  'tuple',
  'list',
  'set',
  'dictionary',
  'pair',
  'unary_operator',
  'concatenated_string',
]);
const PLAIN_DECORATOR = /^(?:staticmethod|classmethod|property)$/;

/**
 * Python statements run in order, so only such may change places as neither run anything nor look at each other:
 * functions with plain defaults, constants, imports of the standard library, plain classes; and names within one import.
 */
export const pythonOrder: OrderRules = (child, parent, owner, names) => {
  if (parent.kind === 'import_from_statement' && child.field === 'name') return IMPORTED;
  if (parent.kind === 'module') return moduleItem(child);
  if (parent.kind === 'block' && child.kind === 'function_definition')
    return method(child, parent, owner, names);
  return null;
};

function moduleItem(node: SyntaxNode): Movable | null {
  switch (node.kind) {
    case 'function_definition':
      return functionItem(node);
    case 'class_definition':
      return classItem(node);
    case 'expression_statement':
      return constantItem(node);
    case 'import_statement':
    case 'import_from_statement':
      return importItem(node);
    default:
      return null;
  }
}

/** Methods move only where all statements are plain members, and no base can collect them in their order. */
function method(
  node: SyntaxNode,
  block: SyntaxNode,
  owner: SyntaxNode | null,
  names: NameTable,
): Movable | null {
  if (owner?.kind !== 'class_definition' || !basesOf(owner).every((base) => isIdleBase(base, names)))
    return null;
  const first = childIn(node, 'parameters')?.children[1];
  const isMethod = first?.kind === 'identifier' && (first.text === 'self' || first.text === 'cls');
  const plain = block.children.every(
    (child) =>
      child.kind === 'function_definition' ||
      child.kind === 'decorated_definition' ||
      child.kind === 'expression_statement',
  );
  return isMethod && plain ? functionItem(node) : null;
}

/** Makers of lexers and parsers try the rules in the order of such functions. */
const RULE_OF_A_LEXER = /^[tp]_/;

function functionItem(node: SyntaxNode): Movable | null {
  const name = childIn(node, 'name')?.text;
  if (name !== undefined && RULE_OF_A_LEXER.test(name)) return null;
  const reads: string[] = [];
  for (const child of node.children)
    if (child.field !== 'body' && child.field !== 'name' && !readsOf(child, reads)) return null;
  return name === undefined ? null : { binds: [name], reads };
}

/** Notes the names that defaults and annotations read; false when they run something. */
function readsOf(node: SyntaxNode, reads: string[]): boolean {
  let pure = true;
  walk(node, (part) => {
    if (
      part.kind === 'call' ||
      part.kind === 'await' ||
      part.kind === 'yield' ||
      part.kind === 'named_expression' ||
      part.kind === 'lambda' ||
      part.kind.endsWith('comprehension')
    )
      pure = false;
    else if (part.kind === 'identifier') reads.push(part.text);
  });
  return pure;
}

function constantItem(node: SyntaxNode): Movable | null {
  const [assignment] = node.children;
  const target = assignment && childIn(assignment, 'left');
  const value = assignment && childIn(assignment, 'right');
  if (
    node.children.length !== 1 ||
    assignment?.kind !== 'assignment' ||
    target?.kind !== 'identifier' ||
    !value
  )
    return null;
  const reads: string[] = [];
  const type = childIn(assignment, 'type');
  if (type && !readsOf(type, reads)) return null;
  return isLiteral(value) ? { binds: [target.text], reads } : null;
}

function isLiteral(node: SyntaxNode): boolean {
  if (node.children.length === 0) return LITERALS.has(node.kind) || /^[()[\]{},:+-]$/.test(node.kind);
  return COLLECTIONS.has(node.kind) && node.children.every(isLiteral);
}

function classItem(node: SyntaxNode): Movable | null {
  const name = childIn(node, 'name')?.text;
  const body = childIn(node, 'body');
  const bases = basesOf(node);
  if (name === undefined || !body || childOf(node, 'type_parameters')) return null;
  if (!bases.every((base) => PLAIN_BASE.test(base.text))) return null;
  const reads = bases.map((base) => base.text);
  for (const member of body.children) {
    const part = member.kind === 'decorated_definition' ? plainDecorated(member) : member;
    const item = part?.kind === 'function_definition' ? functionItem(part) : part && constantItem(part);
    if (!item) return null;
    reads.push(...item.reads);
  }
  return { binds: [name], reads };
}

const PLAIN_BASE = /^(?:object|\w*(?:Error|Exception|Warning))$/;
/** Bases that never look at the order of methods. */
const IDLE_BASE = /^(?:ABC|Protocol|TestCase|IsolatedAsyncioTestCase|Thread)$/;

function basesOf(node: SyntaxNode): readonly SyntaxNode[] {
  const bases = childIn(node, 'superclasses')?.children ?? [];
  return bases.filter((child) => child.children.length > 0 || child.kind === 'identifier');
}

/** A base that is known, or a class of the file whose own bases are; any other may have a metaclass. */
function isIdleBase(base: SyntaxNode, names: NameTable): boolean {
  if (PLAIN_BASE.test(base.text) || IDLE_BASE.test(base.text)) return true;
  const own = names.uses.get(base);
  return own?.role === 'class' && own.fixed === null;
}

function plainDecorated(node: SyntaxNode): SyntaxNode | undefined {
  const decorators = node.children.filter((child) => child.kind === 'decorator');
  const plain = decorators.every((one) => PLAIN_DECORATOR.test(one.children[1]?.text ?? ''));
  return plain ? childOf(node, 'function_definition') : undefined;
}

function importItem(node: SyntaxNode): Movable | null {
  const binds: string[] = [];
  for (const child of node.children) {
    if (child.kind === 'wildcard_import') return null;
    if (child.field !== 'name' && child.field !== 'module_name') continue;
    const name = child.kind === 'aliased_import' ? childIn(child, 'name') : child;
    const first = name?.children[0]?.text ?? '';
    const isModule = node.kind === 'import_statement' || child.field === 'module_name';
    if (isModule && !pythonStandardLibrary.has(first)) return null;
    if (child.field === 'name') binds.push(childIn(child, 'alias')?.text ?? first);
  }
  return { binds, reads: [] };
}
