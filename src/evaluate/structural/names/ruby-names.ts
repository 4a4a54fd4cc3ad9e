import { childIn, type SyntaxNode } from '../syntax/syntax-node.ts';
import { type BindRule, BlockBinder, type BlockNaming, nothing } from './block-binder.ts';
import { type NameTable, Scope } from './scopes.ts';

/** Methods that look local variables up by their spelling. */
const READS_NAMES =
  /\b(?:binding|eval|instance_eval|class_eval|module_eval|instance_exec|local_variables|local_variable_\w+)\b|\b(?:method|instance_method|lambda|proc)\b[^\n]*\.parameters\b/;

/** An identifier is a variable only where one of that name was assigned before; otherwise it calls a method. */
function assign(leaf: SyntaxNode, scope: Scope, binder: BlockBinder): void {
  for (let seen: Scope | null = scope; seen; seen = seen.parent)
    if (seen.bindings.has(leaf.text)) {
      binder.table.refer(scope, leaf);
      return;
    }
  binder.declareLocal(scope, leaf);
}

function target(node: SyntaxNode | undefined, scope: Scope, binder: BlockBinder): void {
  if (!node) return;
  if (node.kind === 'identifier') assign(node, scope, binder);
  else if (/assignment_list$|^destructured|^rest_assignment$|^splat_parameter$/.test(node.kind))
    for (const child of node.children) target(child, scope, binder);
  else binder.visit(node, scope);
}

const assignment: BindRule = (node, scope, binder) => {
  target(childIn(node, 'left'), scope, binder);
  binder.visitExcept(node, scope, 'left');
};

function parameters(list: SyntaxNode | undefined, inner: Scope, binder: BlockBinder): void {
  for (const child of list?.children ?? []) {
    const name = child.kind === 'identifier' ? child : childIn(child, 'name');
    if (child.kind === 'destructured_parameter') parameters(child, inner, binder);
    else if (name?.kind === 'identifier')
      binder.declare(inner, name, 'parameter', {
        role: 'parameter',
        fixed: child.kind === 'keyword_parameter' ? 'it is passed by keyword' : null,
      });
    binder.visitExcept(
      child.kind === 'identifier' || child.kind === 'destructured_parameter'
        ? { ...child, children: [] }
        : child,
      inner,
      'name',
    );
  }
}

/** A method, a class and a module see no variable of what is around them. */
const gate: BindRule = (node, _scope, binder) => {
  const inner = new Scope('function', null);
  parameters(childIn(node, 'parameters'), inner, binder);
  binder.visitExcept(node, inner, 'name', 'parameters', 'object');
};

const closure: BindRule = (node, scope, binder) => {
  const inner = new Scope('function', scope);
  parameters(childIn(node, 'parameters'), inner, binder);
  binder.visitExcept(node, inner, 'parameters');
};

const naming: BlockNaming = {
  scopes: {},
  names: new Set(['identifier']),
  rules: {
    method: gate,
    singleton_method: gate,
    class: gate,
    module: gate,
    singleton_class: gate,
    block: closure,
    do_block: closure,
    lambda: closure,
    assignment,
    operator_assignment: assignment,
    for: (node, scope, binder) => {
      target(childIn(node, 'pattern'), scope, binder);
      binder.visitExcept(node, scope, 'pattern');
    },
    exception_variable: (node, scope, binder) => {
      for (const child of node.children) target(child, scope, binder);
    },
    call: (node, scope, binder) => binder.visitExcept(node, scope, 'method'),
    pair: (node, scope, binder) => {
      const key = childIn(node, 'key');
      if (key?.kind === 'hash_key_symbol' && !childIn(node, 'value')) binder.table.opaque.add(key.text);
      binder.visitInside(node, scope);
    },
    in_clause: (node, scope, binder) => {
      for (const child of node.children)
        if (child.field === 'pattern' || child.field === 'guard') binder.opaque(child);
        else binder.visit(child, scope);
    },
    match_pattern: (node, _scope, binder) => binder.opaque(node),
    test_pattern: (node, _scope, binder) => binder.opaque(node),
    alias: nothing,
    undef: nothing,
    keyword_parameter: nothing,
  },
};

/** Resolves the local variables of a Ruby form; methods, constants and instance variables keep their names. */
export function bindRuby(root: SyntaxNode, text: string): NameTable {
  return BlockBinder.bind(naming, root, text, ({ table }) => {
    if (READS_NAMES.test(text)) table.frozen = 'names are read by their spelling';
  });
}
