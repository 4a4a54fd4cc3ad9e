import { childIn, childOf, type SyntaxNode, walk } from '../syntax/syntax-node.ts';
import { notePythonReaders } from './python-readers.ts';
import { type BindingKind, NameTable, Scope } from './scopes.ts';

/** Calls that look local names up by their spelling. */
const READS_NAMES = new Set(['eval', 'exec', 'locals', 'execfile']);
/** Functions that run, or look up, what a text names. */
const READS_TEXT = /(?:^|\.)(?:query|evaluate|sql|timeit|run|runctx|repeat)$/;
/** The same, when called without an argument. */
const READS_NAMES_BARE = new Set(['vars', 'dir']);
/** Decorators under which a function's parameters are still passed by its callers alone. */
const PLAIN_DECORATORS =
  /^@(?:staticmethod|classmethod|property|\w+\.(?:setter|getter|deleter)|(?:functools\.)?(?:cache|lru_cache|wraps)|(?:abc\.)?abstractmethod|(?:typing\.)?(?:override|final)|(?:contextlib\.)?(?:contextmanager|asynccontextmanager))\b/;

/** Resolves the names of a Python form (Python reference, 4.2). */
export function bindPython(root: SyntaxNode, text: string): NameTable {
  const binder = new PythonBinder(text);
  notePythonReaders(binder.table, text);
  binder.visit(root, binder.table.module);
  binder.table.resolve((scope, from) => scope.kind === 'class' && scope !== from);
  return binder.table;
}

class PythonBinder {
  readonly table = new NameTable();
  private readonly text: string;
  private readonly queriesTables: boolean;

  constructor(text: string) {
    this.text = text;
    this.queriesTables = /\bduckdb\b/.test(text);
  }

  visit(node: SyntaxNode, scope: Scope): void {
    const rule = this.rules[node.kind];
    if (rule) rule(node, scope);
    else if (node.kind === 'identifier') this.refer(node, scope);
    else this.visitAll(node.children, scope);
  }

  private readonly rules: Readonly<Record<string, (node: SyntaxNode, scope: Scope) => void>> = {
    decorated_definition: (node, scope) => this.decorated(node, scope),
    function_definition: (node, scope) => this.functionDefinition(node, scope, []),
    lambda: (node, scope) => this.lambda(node, scope),
    class_definition: (node, scope) => this.classDefinition(node, scope, null),
    list_comprehension: (node, scope) => this.comprehension(node, scope),
    set_comprehension: (node, scope) => this.comprehension(node, scope),
    dictionary_comprehension: (node, scope) => this.comprehension(node, scope),
    generator_expression: (node, scope) => this.comprehension(node, scope),
    assignment: (node, scope) => this.assign(node, scope),
    augmented_assignment: (node, scope) => this.assign(node, scope),
    for_statement: (node, scope) => this.assign(node, scope),
    named_expression: (node, scope) => {
      const home = homeOfWalrus(scope);
      this.target(childIn(node, 'name'), home);
      this.visitAll(
        node.children.filter((child) => child.field !== 'name'),
        scope,
      );
    },
    as_pattern: (node, scope) => {
      for (const child of node.children)
        if (child.kind === 'as_pattern_target') this.targets(child.children, scope);
        else this.visit(child, scope);
    },
    delete_statement: (node, scope) => this.targets(node.children, scope),
    global_statement: (node, scope) => this.redirect(node, scope, this.table.module),
    nonlocal_statement: (node, scope) => this.redirect(node, scope, enclosingFunction(scope)),
    import_statement: (node, scope) => this.importModules(node, scope),
    import_from_statement: (node, scope) => this.importNames(node, scope),
    future_import_statement: () => {},
    attribute: (node, scope) => this.attribute(node, scope),
    call: (node, scope) => this.call(node, scope),
    keyword_argument: (node, scope) => {
      const name = childIn(node, 'name')?.text ?? '';
      this.table.keywords.add(name);
      // Compilers of functions take their parameters by name.
      if (name.endsWith('argnames')) this.wordsOf(node.children);
      this.visitAll(
        node.children.filter((child) => child.field !== 'name'),
        scope,
      );
    },
    case_clause: (node, scope) => {
      for (const child of node.children)
        if (child.kind === 'case_pattern') this.opaque(child);
        else this.visit(child, scope);
    },
    string: (node) => {
      // Libraries of tables look locals up that a text marks so.
      for (const [, name = ''] of node.text.matchAll(/@([A-Za-z_]\w*)/g)) this.table.opaque.add(name);
    },
    interpolation: (node, scope) => {
      if (childOf(node, '=')) this.opaque(node);
      this.visitAll(node.children, scope);
    },
    type_alias_statement: (node) => this.opaque(node),
    type_parameter: (node) => this.opaque(node),
    class_pattern: (node) => this.opaque(node),
  };

  private visitAll(nodes: readonly SyntaxNode[], scope: Scope): void {
    for (const node of nodes) this.visit(node, scope);
  }

  private refer(leaf: SyntaxNode, scope: Scope): void {
    if (READS_NAMES.has(leaf.text)) this.table.frozen ??= `${leaf.text} reads names by their spelling`;
    if (leaf.text === 'globals') this.readsModule('globals reads names by their spelling');
    this.table.refer(scope, leaf);
  }

  private readsModule(why: string): void {
    this.table.moduleFrozen ??= why;
    this.table.readsOrder = true;
  }

  private opaque(node: SyntaxNode): void {
    walk(node, (leaf) => {
      if (leaf.kind === 'identifier') this.table.opaque.add(leaf.text);
    });
  }

  private decorated(node: SyntaxNode, scope: Scope): void {
    const decorators = node.children.filter((child) => child.kind === 'decorator');
    this.visitAll(decorators, scope);
    const texts = decorators.map((decorator) => this.text.slice(decorator.start, decorator.end));
    for (const child of node.children)
      if (child.kind === 'function_definition') this.functionDefinition(child, scope, texts);
      else if (child.kind === 'class_definition') this.classDefinition(child, scope, 'decorated');
  }

  private functionDefinition(node: SyntaxNode, scope: Scope, decorators: readonly string[]): void {
    const name = childIn(node, 'name');
    if (name) {
      const kind: BindingKind = scope.kind === 'class' ? 'member' : 'local';
      this.table.declare(scope, name, kind, {
        role: 'function',
        fixed: decorators.length > 0 ? `${name.text} is decorated` : null,
        exported: scope.kind === 'module',
      });
    }
    const inner = new Scope('function', scope);
    const plain = decorators.every((decorator) => PLAIN_DECORATORS.test(decorator));
    const isTest = /^(?:test|setup|teardown|setUp|tearDown|pytest_)/.test(name?.text ?? '');
    const fixed = plain && !isTest ? null : 'its function is called by a framework';
    this.parameters(childIn(node, 'parameters'), scope, inner, fixed ?? this.foreignMethod(scope));
    for (const child of node.children)
      if (child.field === 'body') this.visit(child, inner);
      else if (child.field !== 'name' && child.field !== 'parameters') this.visit(child, scope);
  }

  /** Methods of a class with foreign bases may be called, by keyword, from where the bases live. */
  private foreignMethod(scope: Scope): string | null {
    return scope.kind === 'class' && this.foreignClasses.has(scope)
      ? 'its class extends a foreign one'
      : null;
  }
  private readonly foreignClasses = new Set<Scope>();

  private lambda(node: SyntaxNode, scope: Scope): void {
    const inner = new Scope('function', scope);
    this.parameters(childIn(node, 'parameters'), scope, inner, null);
    this.visitAll(
      node.children.filter((child) => child.field === 'body'),
      inner,
    );
  }

  private parameters(list: SyntaxNode | undefined, outer: Scope, inner: Scope, fixed: string | null): void {
    const children = list?.children ?? [];
    const collects = children.some((child) => parameterName(child)?.splat === '**');
    const separator = children.findIndex(
      (child) => child.kind === 'keyword_separator' || parameterName(child)?.splat === '*',
    );
    for (const [index, child] of children.entries()) {
      this.visitAll(
        child.children.filter(({ field }) => field === 'type' || field === 'value'),
        outer,
      );
      const parameter = parameterName(child);
      if (!parameter) continue;
      const isKeyword = separator >= 0 && index > separator;
      const own = isKeyword ? 'it is passed by keyword' : collects ? 'other keywords are collected' : null;
      this.table.declare(inner, parameter.leaf, parameter.splat ? 'local' : 'parameter', {
        role: 'parameter',
        fixed: parameter.splat ? null : (fixed ?? own),
      });
    }
  }

  private classDefinition(node: SyntaxNode, scope: Scope, decorated: string | null): void {
    const name = childIn(node, 'name');
    const bases = childIn(node, 'superclasses');
    const foreign = bases?.children.some((base) => this.isForeign(base)) ?? false;
    const fixed = decorated ?? (foreign ? 'foreign base' : null);
    if (name)
      this.table.declare(scope, name, scope.kind === 'class' ? 'member' : 'local', {
        role: 'class',
        fixed: fixed === null ? null : `the class ${name.text} is known to a framework (${fixed})`,
        exported: scope.kind === 'module',
      });
    const inner = new Scope('class', scope);
    if (foreign || decorated) this.foreignClasses.add(inner);
    for (const child of node.children)
      if (child.field === 'body') this.visit(child, inner);
      else if (child.field !== 'name') this.visit(child, scope);
  }

  private isForeign(base: SyntaxNode): boolean {
    if (base.kind === 'keyword_argument') return true;
    const text = this.text.slice(base.start, base.end);
    if (
      /^[(),]$/.test(text) ||
      /^(?:object|(?:abc\.)?ABC|(?:typing\.)?(?:Protocol|Generic)(?:\[.*\])?|[A-Z]\w*(?:Error|Exception|Warning))$/s.test(
        text,
      )
    )
      return false;
    const own = base.kind === 'identifier' ? this.table.module.bindings.get(text)?.[0] : undefined;
    return own?.role !== 'class' || own.fixed !== null;
  }

  private comprehension(node: SyntaxNode, scope: Scope): void {
    const inner = new Scope('function', scope);
    comprehensions.add(inner);
    let first = true;
    for (const child of node.children.filter((part) => part.kind === 'for_in_clause')) {
      this.target(childIn(child, 'left'), inner);
      for (const part of child.children) if (part.field !== 'left') this.visit(part, first ? scope : inner);
      first = false;
    }
    this.visitAll(
      node.children.filter((part) => part.kind !== 'for_in_clause'),
      inner,
    );
  }

  private assign(node: SyntaxNode, scope: Scope): void {
    for (const child of node.children)
      if (child.field === 'left') this.target(child, scope);
      else this.visit(child, scope);
  }

  private targets(nodes: readonly SyntaxNode[], scope: Scope): void {
    for (const node of nodes) this.target(node, scope);
  }

  private target(node: SyntaxNode | undefined, scope: Scope): void {
    if (!node) return;
    if (node.kind === 'identifier')
      this.table.declare(scope, node, scope.kind === 'class' ? 'member' : 'local', {
        exported: scope.kind === 'module',
      });
    else if (TARGET_LISTS.has(node.kind)) this.targets(node.children, scope);
    else this.visit(node, scope);
  }

  private redirect(node: SyntaxNode, scope: Scope, home: Scope): void {
    for (const leaf of node.children)
      if (leaf.kind === 'identifier') {
        scope.redirects.set(leaf.text, home);
        this.table.refer(scope, leaf);
      }
  }

  private importModules(node: SyntaxNode, scope: Scope): void {
    for (const child of node.children) {
      const name = child.kind === 'aliased_import' ? childIn(child, 'name') : child;
      if (name?.kind !== 'dotted_name') continue;
      const origin = { module: this.text.slice(name.start, name.end), name: null };
      const alias = childIn(child, 'alias');
      const first = name.children[0];
      if (alias) this.table.declare(scope, alias, 'import', { origin, role: 'alias' });
      else if (first) {
        const shallow = name.children.length === 1 ? origin : { module: first.text, name: null };
        this.table.declare(scope, first, 'import', { origin: shallow, fixed: 'it is the name of a module' });
      }
    }
  }

  private importNames(node: SyntaxNode, scope: Scope): void {
    const from = childIn(node, 'module_name');
    const module = from ? this.text.slice(from.start, from.end) : '';
    for (const child of node.children.filter((part) => part.field === 'name')) {
      const name = child.kind === 'aliased_import' ? childIn(child, 'name') : child;
      const leaf = name?.children[0];
      if (!leaf) continue;
      const origin = { module, name: leaf.text };
      const alias = childIn(child, 'alias');
      if (!alias) this.table.declare(scope, leaf, 'import', { origin, role: 'imported' });
      else {
        this.table.declare(scope, alias, 'import', { origin, role: 'alias' });
        this.table.foreign.set(leaf, module);
      }
    }
    if (childOf(node, 'wildcard_import')) this.table.wildcards.add(module);
  }

  private attribute(node: SyntaxNode, scope: Scope): void {
    const owner = childIn(node, 'object');
    const member = childIn(node, 'attribute');
    if (owner?.kind === 'identifier' && member) this.table.members.set(member, { owner, member });
    if (member?.text === '__dict__' && owner?.text !== 'self')
      this.readsModule('__dict__ holds names by their spelling');
    if (owner) this.visit(owner, scope);
  }

  /** Names that a text may look up stay. */
  private wordsOf(nodes: readonly SyntaxNode[]): void {
    for (const node of nodes)
      walk(node, ({ kind, text }) => {
        if (kind === 'string')
          for (const [word] of text.matchAll(/[A-Za-z_]\w*/g)) this.table.opaque.add(word);
      });
  }

  private call(node: SyntaxNode, scope: Scope): void {
    const callee = childIn(node, 'function');
    const list = childIn(node, 'arguments');
    if (callee?.kind === 'identifier' && READS_NAMES_BARE.has(callee.text) && list?.children.length === 2)
      this.table.frozen ??= `${callee.text}() reads names by their spelling`;
    const called = callee ? this.text.slice(callee.start, callee.end) : '';
    if (READS_TEXT.test(called) || (this.queriesTables && called.endsWith('execute')))
      this.wordsOf(list?.children ?? []);
    if (list?.children.some((child) => child.kind === 'dictionary_splat')) this.table.keywords.add('**');
    this.visitAll(node.children, scope);
  }
}

const TARGET_LISTS = new Set([
  'pattern_list',
  'list_pattern',
  'list_splat_pattern',
  'tuple',
  'list',
  'as_pattern_target',
  'expression_list',
  'parenthesized_expression',
]);

const comprehensions = new WeakSet<Scope>();

/** An assignment expression binds outside the comprehensions around it (PEP 572). */
function homeOfWalrus(scope: Scope): Scope {
  return comprehensions.has(scope) && scope.parent ? homeOfWalrus(scope.parent) : scope;
}

function enclosingFunction(scope: Scope): Scope {
  const outer = scope.parent;
  return outer === null || outer.kind === 'module' ? scope : outer.nearest('function');
}

function parameterName(node: SyntaxNode): { leaf: SyntaxNode; splat: '' | '*' | '**' } | undefined {
  if (node.kind === 'identifier') return { leaf: node, splat: '' };
  if (node.kind === 'list_splat_pattern' || node.kind === 'dictionary_splat_pattern') {
    const leaf = childOf(node, 'identifier');
    return leaf && { leaf, splat: node.kind === 'list_splat_pattern' ? '*' : '**' };
  }
  const name = childIn(node, 'name') ?? node.children.find((child) => child.field === null);
  return node.children.length > 0 && name ? parameterName(name) : undefined;
}
