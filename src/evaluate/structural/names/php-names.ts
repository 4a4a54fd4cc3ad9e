import { childIn, childOf, type SyntaxNode } from '../syntax/syntax-node.ts';
import { type BindRule, BlockBinder, type BlockNaming, nothing } from './block-binder.ts';
import { type NameTable, Scope } from './scopes.ts';

const SUPERGLOBAL = /^\$(?:this|GLOBALS|_[A-Z]+|argc|argv|http_response_header|php_errormsg)$/;
/** Functions that look variables up by their spelling. */
const READS_NAMES =
  /\b(?:compact|extract|get_defined_vars|parse_str|mb_parse_str|eval|create_function)\s*\(|\$\$|\$\{|\bReflection\w+|->getParameters\(/i;

/** A function's variables are those that occur in it; one that runs in the open belongs to every file that is included. */
const variable: BindRule = (leaf, scope, binder) => {
  if (SUPERGLOBAL.test(leaf.text)) return;
  const home = homeOf(scope, leaf.text);
  if (home.kind === 'module') binder.table.free.add(leaf);
  else binder.declare(home, leaf, 'local');
};

const arrows = new WeakSet<Scope>();

function homeOf(scope: Scope, name: string): Scope {
  const redirect = scope.redirects.get(name);
  if (redirect) return homeOf(redirect, name);
  return arrows.has(scope) && !scope.bindings.has(name) && scope.parent ? homeOf(scope.parent, name) : scope;
}

const functionLike: BindRule = (node, scope, binder) => {
  const inner = new Scope('function', scope);
  const fixed = handsNamesOver(node, scope) ? 'a framework reads it' : null;
  if (node.kind === 'arrow_function') arrows.add(inner);
  for (const child of childIn(node, 'parameters')?.children ?? []) {
    const name = childIn(child, 'name');
    const own =
      child.kind === 'property_promotion_parameter'
        ? 'it is a property too'
        : childOf(child, 'attribute_list')
          ? 'a framework reads it'
          : fixed;
    if (name?.kind === 'variable_name')
      binder.declare(inner, name, 'parameter', { role: 'parameter', fixed: own });
    binder.visitExcept(child, scope, 'name');
  }
  for (const leaf of captured(node)) {
    inner.redirects.set(leaf.text, scope);
    binder.visit(leaf, scope);
  }
  binder.visitAll(
    node.children.filter(({ field }) => field === 'body'),
    inner,
  );
};

function captured(node: SyntaxNode): readonly SyntaxNode[] {
  const clause = childOf(node, 'anonymous_function_use_clause');
  return (clause?.children ?? [])
    .flatMap((child) => (child.kind === 'by_ref' ? child.children : [child]))
    .filter(({ kind }) => kind === 'variable_name');
}

const frameworkClasses = new WeakSet<Scope>();

/** Containers, too, pass a constructor's arguments by name. */
function handsNamesOver(node: SyntaxNode, scope: Scope): boolean {
  const isConstructor = childIn(node, 'name')?.text.toLowerCase() === '__construct';
  return isConstructor || childOf(node, 'attribute_list') !== undefined || frameworkClasses.has(scope);
}

const classLike: BindRule = (node, _scope, binder) => {
  const inner = new Scope('class', null);
  const name = childIn(node, 'name')?.text ?? '';
  if (
    childOf(node, 'base_clause') ||
    childOf(node, 'attribute_list') ||
    /Controller|Command|Handler|Listener|Job|Test|Provider$/.test(name)
  )
    frameworkClasses.add(inner);
  binder.visitAll(
    node.children.filter(({ kind }) => kind === 'declaration_list' || kind === 'enum_declaration_list'),
    inner,
  );
};

const include: BindRule = (node, scope, binder) => {
  if (scope.kind === 'function') binder.table.frozen ??= 'an included file sees the names';
  binder.visitInside(node, scope);
};

const naming: BlockNaming = {
  scopes: {},
  names: new Set(['variable_name']),
  rules: {
    variable_name: variable,
    function_definition: functionLike,
    method_declaration: functionLike,
    anonymous_function: functionLike,
    arrow_function: functionLike,
    class_declaration: classLike,
    trait_declaration: classLike,
    enum_declaration: classLike,
    anonymous_class: (node, scope, binder) => {
      binder.visitAll(
        node.children.filter(({ kind }) => kind === 'arguments'),
        scope,
      );
      classLike(node, scope, binder);
    },
    interface_declaration: classLike,
    property_declaration: nothing,
    scoped_property_access_expression: nothing,
    global_declaration: (node, scope, binder) => {
      for (const leaf of node.children)
        if (leaf.kind === 'variable_name') binder.declare(scope, leaf, 'local', { fixed: 'it is a global' });
    },
    argument: (node, scope, binder) => {
      const name = childIn(node, 'name');
      if (name) binder.table.keywords.add(`$${name.text}`);
      binder.visitExcept(node, scope, 'name');
    },
    include_expression: include,
    include_once_expression: include,
    require_expression: include,
    require_once_expression: include,
  },
};

/** Resolves the variables of a PHP form; functions, classes and members keep their names. */
export function bindPhp(root: SyntaxNode, text: string): NameTable {
  return BlockBinder.bind(naming, root, text, ({ table }) => {
    if (READS_NAMES.test(text)) table.frozen = 'names are read by their spelling';
  });
}
