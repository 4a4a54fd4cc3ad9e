import { childIn, childOf, type SyntaxNode, walk } from '../syntax/syntax-node.ts';
import { type Declaration, NameTable, Scope } from './scopes.ts';

/** Resolves the names of a JavaScript or TypeScript form (ECMA-262, 8.2 and 14; types share the names of values). */
export function bindEcmascript(root: SyntaxNode, text: string): NameTable {
  const binder = new EcmascriptBinder(root, text);
  binder.noteReaders(text);
  binder.visit(root, binder.table.module);
  binder.table.resolve();
  binder.noteNamedCallees();
  return binder.table;
}

type Visit = (node: SyntaxNode, scope: Scope) => void;

class EcmascriptBinder {
  readonly table = new NameTable();
  /** A file that imports or exports is a module: what it does not export is its own. */
  private readonly isModule: boolean;

  constructor(root: SyntaxNode, text: string) {
    this.isModule =
      root.children.some(({ kind }) => kind === 'import_statement' || kind === 'export_statement') ||
      /\bmodule\.exports\b|\brequire\(/.test(text);
  }

  /** Notes what reads the names of functions and of variables by their spelling. */
  noteReaders(text: string): void {
    if (!this.isModule) this.table.moduleFrozen = 'other scripts and the page see it';
    if (/\.constructor\.name\b|\bnew\.target\.name\b/.test(text)) this.table.readsOwnNames = true;
    this.hoistsMocks = /\bjest\.mock\(/.test(text);
  }
  private hoistsMocks = false;

  visit(node: SyntaxNode, scope: Scope): void {
    const rule = this.rules[node.kind];
    if (rule) rule(node, scope);
    else this.visitAll(node.children, scope);
  }

  private readonly rules: Readonly<Record<string, Visit>> = {
    identifier: (node, scope) => this.refer(node, scope),
    type_identifier: (node, scope) => this.refer(node, scope),
    statement_block: (node, scope) => this.visitAll(node.children, new Scope('block', scope)),
    switch_body: (node, scope) => this.visitAll(node.children, new Scope('block', scope)),
    for_statement: (node, scope) => this.visitAll(node.children, new Scope('block', scope)),
    for_in_statement: (node, scope) => this.forIn(node, scope),
    catch_clause: (node, scope) => {
      const inner = new Scope('block', scope);
      for (const child of node.children)
        if (child.field === 'parameter') this.pattern(child, inner, {}, inner);
        else this.visit(child, inner);
    },
    lexical_declaration: (node, scope) => this.declarators(node, scope, scope),
    variable_declaration: (node, scope) => this.declarators(node, scope, functionScope(scope)),
    function_declaration: (node, scope) => this.functionLike(node, scope, scope),
    generator_function_declaration: (node, scope) => this.functionLike(node, scope, scope),
    function_signature: (node, scope) => this.functionLike(node, scope, scope),
    function_expression: (node, scope) => this.functionLike(node, scope, null),
    generator_function: (node, scope) => this.functionLike(node, scope, null),
    arrow_function: (node, scope) => this.functionLike(node, scope, null),
    method_definition: (node, scope) => this.functionLike(node, scope, null),
    method_signature: (node, scope) => this.functionLike(node, scope, null),
    abstract_method_signature: (node, scope) => this.functionLike(node, scope, null),
    call_signature: (node, scope) => this.functionLike(node, scope, null),
    construct_signature: (node, scope) => this.functionLike(node, scope, null),
    function_type: (node, scope) => this.functionLike(node, scope, null),
    constructor_type: (node, scope) => this.functionLike(node, scope, null),
    class_declaration: (node, scope) => this.classLike(node, scope, scope),
    abstract_class_declaration: (node, scope) => this.classLike(node, scope, scope),
    class: (node, scope) => this.classLike(node, scope, null),
    interface_declaration: (node, scope) => this.typeLike(node, scope, 'interface'),
    type_alias_declaration: (node, scope) => this.typeLike(node, scope, 'type'),
    enum_declaration: (node, scope) => {
      this.declareNamed(node, scope, 'enum');
      this.visitAll(
        node.children.filter((child) => child.field !== 'name'),
        scope,
      );
    },
    internal_module: (node, scope) => this.opaqueRegion(node, scope),
    module: (node, scope) => this.opaqueRegion(node, scope),
    type_parameter: (node, scope) => {
      const name = childIn(node, 'name');
      if (name) this.table.declare(scope, name, 'local', { role: 'type parameter' });
      this.visitAll(
        node.children.filter((child) => child !== name),
        scope,
      );
    },
    infer_type: (node) => this.opaque(node),
    mapped_type_clause: (node, scope) => {
      const name = childIn(node, 'name');
      if (name) this.table.declare(scope, name, 'local', { role: 'type parameter' });
      this.visitAll(
        node.children.filter((child) => child !== name),
        scope,
      );
    },
    index_signature: (node, scope) => {
      const inner = new Scope('block', scope);
      const name = childIn(node, 'name');
      if (name?.kind === 'identifier') this.table.declare(inner, name, 'local', { role: 'label' });
      this.visitAll(
        node.children.filter((child) => child !== name),
        inner,
      );
    },
    import_statement: (node, scope) => this.importNames(node, scope),
    export_statement: (node, scope) => this.exportNames(node, scope),
    member_expression: (node, scope) => this.member(node, scope),
    call_expression: (node, scope) => this.call(node, 'function', scope),
    new_expression: (node, scope) => this.call(node, 'constructor', scope),
    with_statement: (node, scope) => {
      this.table.frozen ??= 'with resolves names at run time';
      this.visitAll(node.children, scope);
    },
    enum_assignment: (node, scope) =>
      this.visitAll(
        node.children.filter((child) => child.field !== 'name'),
        scope,
      ),
    jsx_opening_element: (node, scope) => this.jsxName(node, scope),
    jsx_closing_element: (node, scope) => this.jsxName(node, scope),
    jsx_self_closing_element: (node, scope) => this.jsxName(node, scope),
    nested_type_identifier: (node, scope) => {
      const [owner] = node.children;
      if (owner) this.visit(owner, scope);
    },
    tuple_parameter: (node, scope) =>
      this.visitAll(
        node.children.filter((child) => child.field !== 'name'),
        scope,
      ),
    required_parameter: (node, scope) => this.tupleMember(node, scope),
    optional_parameter: (node, scope) => this.tupleMember(node, scope),
    meta_property: () => {},
  };

  private visitAll(nodes: readonly SyntaxNode[], scope: Scope): void {
    for (const node of nodes) this.visit(node, scope);
  }

  private refer(leaf: SyntaxNode, scope: Scope): void {
    if (leaf.text === 'eval' || leaf.text === 'Function')
      this.table.frozen ??= `${leaf.text} reads names by their spelling`;
    if (this.hoistsMocks && /^mock/i.test(leaf.text)) this.table.opaque.add(leaf.text);
    this.table.refer(scope, leaf);
  }

  /** `f.name` of something that is called, or made: it is a function, whatever it is called. */
  noteNamedCallees(): void {
    const { table } = this;
    const called = new Set(this.callees.map((leaf) => table.uses.get(leaf)));
    called.delete(undefined);
    for (const { owner, member } of table.members.values())
      if (member.text === 'name' && called.has(table.uses.get(owner))) table.readsOwnNames = true;
  }
  private readonly callees: SyntaxNode[] = [];

  private opaque(node: SyntaxNode): void {
    walk(node, (leaf) => {
      if (leaf.kind === 'identifier' || leaf.kind === 'type_identifier') this.table.opaque.add(leaf.text);
    });
  }

  /** Namespaces merge, reopen and export: their names stay, and so does every name they use. */
  private opaqueRegion(node: SyntaxNode, _scope: Scope): void {
    this.opaque(node);
  }

  private declareNamed(node: SyntaxNode, scope: Scope | null, role: string, extra: Declaration = {}): void {
    const name = childIn(node, 'name');
    if (!name || !scope) return;
    this.table.declare(scope, name, 'local', { role, exported: this.isExportedBy(scope), ...extra });
  }

  private isExportedBy(scope: Scope): boolean {
    return scope.kind === 'module' && (this.exporting || !this.isModule);
  }
  private exporting = false;

  private declarators(node: SyntaxNode, scope: Scope, home: Scope): void {
    const exporting = this.exporting;
    for (const child of node.children) {
      const name = child.kind === 'variable_declarator' ? childIn(child, 'name') : undefined;
      if (!name) continue;
      const value = childIn(child, 'value');
      const role = value && /function|arrow|class/.test(value.kind) ? 'function' : 'variable';
      const exported = home.kind === 'module' && (exporting || !this.isModule);
      this.pattern(name, home, { role, exported, ...this.required(value) }, scope);
      this.visitAll(
        child.children.filter((part) => part !== name),
        scope,
      );
    }
  }

  /** `const x = require('m')`. */
  private required(value: SyntaxNode | undefined): Declaration {
    if (value?.kind !== 'call_expression' || childIn(value, 'function')?.text !== 'require') return {};
    const module = childIn(value, 'arguments')?.children[1]?.text ?? '';
    return module.startsWith('s:') ? { origin: { module: module.slice(2), name: null } } : {};
  }

  /** Declares what a pattern binds in `home`; defaults and computed keys are read in `scope`. */
  private pattern(node: SyntaxNode, home: Scope, declaration: Declaration, scope: Scope): void {
    const inside = (child: SyntaxNode | undefined) => child && this.pattern(child, home, declaration, scope);
    switch (node.kind) {
      case 'identifier':
        this.table.declare(home, node, 'local', declaration);
        return;
      case 'object_pattern':
      case 'array_pattern':
      case 'rest_pattern':
        for (const child of node.children) inside(child);
        return;
      case 'pair_pattern': {
        const key = childIn(node, 'key');
        if (key?.kind === 'computed_property_name') this.visit(key, scope);
        inside(childIn(node, 'value'));
        return;
      }
      case 'assignment_pattern':
        inside(childIn(node, 'left'));
        this.visitAll(
          node.children.filter((child) => child.field === 'right'),
          scope,
        );
        return;
      case 'this':
        return;
      default:
        this.visit(node, scope);
    }
  }

  private functionLike(node: SyntaxNode, scope: Scope, home: Scope | null): void {
    const exporting = this.exporting;
    const name = childIn(node, 'name');
    const inner = new Scope('function', scope);
    if (home) this.declareNamed(node, home, 'function');
    else if (name?.kind === 'identifier') this.table.declare(inner, name, 'local', { role: 'function' });
    this.exporting = false;
    const isDecorated = node.children.some((child) => child.kind === 'decorator');
    for (const child of node.children)
      if (child === name) {
        if (!home && name.kind === 'computed_property_name') this.visit(name, scope);
      } else if (child.kind === 'formal_parameters') this.parameters(child, inner, isDecorated);
      else if (child.kind === 'decorator') this.visit(child, scope);
      else if (child.kind === 'statement_block') this.visitAll(child.children, inner);
      else this.visit(child, inner);
    this.exporting = exporting;
  }

  private parameters(list: SyntaxNode, inner: Scope, isDecorated: boolean): void {
    for (const child of list.children) {
      const wrapped = child.kind === 'required_parameter' || child.kind === 'optional_parameter';
      const pattern = wrapped ? childIn(child, 'pattern') : child;
      if (!pattern || /^[(),]$/.test(pattern.kind)) continue;
      const isProperty = child.children.some(
        ({ kind }) =>
          kind === 'accessibility_modifier' || kind === 'readonly' || kind === 'override_modifier',
      );
      const decorated = isDecorated || child.children.some(({ kind }) => kind === 'decorator');
      const injected = pattern.kind === 'identifier' && pattern.text.startsWith('$');
      const fixed = isProperty
        ? 'it is a property too'
        : decorated || injected
          ? 'a framework reads it'
          : null;
      this.pattern(pattern, inner, { role: 'parameter', fixed }, inner);
      if (wrapped)
        this.visitAll(
          child.children.filter((part) => part !== pattern),
          inner,
        );
    }
  }

  /** Outside a parameter list these are labels of tuple members. */
  private tupleMember(node: SyntaxNode, scope: Scope): void {
    this.visitAll(
      node.children.filter((child) => child.field !== 'pattern' && child.field !== 'name'),
      scope,
    );
  }

  private classLike(node: SyntaxNode, scope: Scope, home: Scope | null): void {
    const isDecorated = childOf(node, 'decorator') !== undefined;
    const inner = new Scope('block', scope);
    const fixed = isDecorated ? 'the class is decorated' : null;
    this.declareNamed(node, home ?? inner, 'class', { fixed });
    this.exporting = false;
    this.visitAll(
      node.children.filter((child) => child.field !== 'name'),
      inner,
    );
  }

  private typeLike(node: SyntaxNode, scope: Scope, role: string): void {
    this.declareNamed(node, scope, role);
    const inner = new Scope('block', scope);
    this.visitAll(
      node.children.filter((child) => child.field !== 'name'),
      inner,
    );
  }

  private forIn(node: SyntaxNode, scope: Scope): void {
    const inner = new Scope('block', scope);
    const kind = childIn(node, 'kind')?.text;
    for (const child of node.children)
      if (child.field === 'left' && kind !== undefined)
        this.pattern(child, kind === 'var' ? functionScope(scope) : inner, {}, inner);
      else if (child.field === 'body' && child.kind === 'statement_block') this.visit(child, inner);
      else this.visit(child, inner);
  }

  private importNames(node: SyntaxNode, scope: Scope): void {
    const module = moduleOf(node);
    walk(node, (part) => {
      if (part.kind === 'namespace_import') {
        const leaf = childOf(part, 'identifier');
        if (leaf)
          this.table.declare(scope, leaf, 'import', { origin: { module, name: null }, role: 'alias' });
      } else if (part.kind === 'import_clause') {
        const leaf = childOf(part, 'identifier');
        if (leaf)
          this.table.declare(scope, leaf, 'import', { origin: { module, name: 'default' }, role: 'alias' });
      } else if (part.kind === 'import_specifier') this.importSpecifier(part, scope, module);
    });
    this.table.imports.push(module);
  }

  private importSpecifier(part: SyntaxNode, scope: Scope, module: string): void {
    const name = childIn(part, 'name');
    const alias = childIn(part, 'alias');
    if (!name || !alias) return;
    this.table.foreign.set(name, module);
    this.table.declare(scope, alias, 'import', { origin: { module, name: name.text }, role: 'alias' });
  }

  private exportNames(node: SyntaxNode, scope: Scope): void {
    const from = childIn(node, 'source');
    const isDefault = childOf(node, 'default') !== undefined;
    for (const child of node.children)
      if (child.kind === 'export_clause') this.exportClause(child, scope, from ? moduleOf(node) : null);
      else if (child.kind === 'namespace_export') continue;
      else {
        this.exporting = child.field === 'declaration' && !isDefault;
        this.visit(child, scope);
        this.exporting = false;
      }
    if (from && childOf(node, '*')) this.table.wildcards.add(moduleOf(node));
  }

  private exportClause(node: SyntaxNode, scope: Scope, module: string | null): void {
    for (const specifier of node.children.filter((child) => child.kind === 'export_specifier')) {
      const name = childIn(specifier, 'name');
      if (!name) continue;
      if (module === null) this.refer(name, scope);
      else this.table.foreign.set(name, module);
    }
  }

  private member(node: SyntaxNode, scope: Scope): void {
    const owner = childIn(node, 'object');
    const member = childIn(node, 'property');
    if (owner?.kind === 'identifier' && member) this.table.members.set(member, { owner, member });
    this.visitAll(
      node.children.filter((child) => child !== member),
      scope,
    );
  }

  private call(node: SyntaxNode, role: string, scope: Scope): void {
    const callee = childIn(node, role);
    if (callee?.kind === 'identifier') this.callees.push(callee);
    this.visitAll(node.children, scope);
  }

  /** A lower-case tag is an element of the page, not a name. */
  private jsxName(node: SyntaxNode, scope: Scope): void {
    for (const child of node.children)
      if (child.field !== 'name' || child.kind !== 'identifier' || /^[A-Z_$]/.test(child.text))
        this.visit(child, scope);
  }
}

function functionScope(scope: Scope): Scope {
  return scope.nearest('function', 'module');
}

function moduleOf(node: SyntaxNode): string {
  const text = childIn(node, 'source')?.text ?? '';
  return text.startsWith('s:') ? text.slice(2) : text;
}
