import { type SyntaxNode, walk } from '../syntax/syntax-node.ts';
import {
  type Binding,
  type BindingKind,
  type Declaration,
  NameTable,
  Scope,
  type ScopeKind,
} from './scopes.ts';

export type BindRule = (node: SyntaxNode, scope: Scope, binder: BlockBinder) => void;

/** What a language with nested blocks says about its names. */
export interface BlockNaming {
  /** Kinds of nodes whose children see a scope of their own. */
  readonly scopes: Readonly<Record<string, ScopeKind>>;
  /** Kinds of leaves that name something. */
  readonly names: ReadonlySet<string>;
  /** Kinds of nodes that declare, or whose leaves do not all name things. */
  readonly rules: Readonly<Record<string, BindRule>>;
}

/** Walks a form, opens scopes, declares and refers as the language says; names are visible from their place on. */
export class BlockBinder {
  readonly table = new NameTable();
  readonly text: string;
  private readonly naming: BlockNaming;

  constructor(naming: BlockNaming, text: string) {
    this.naming = naming;
    this.text = text;
  }

  /** Binds the whole form. */
  static bind(
    naming: BlockNaming,
    root: SyntaxNode,
    text: string,
    prepare?: (binder: BlockBinder) => void,
  ): NameTable {
    const binder = new BlockBinder(naming, text);
    prepare?.(binder);
    binder.visit(root, binder.table.module);
    binder.table.resolve();
    return binder.table;
  }

  visit(node: SyntaxNode, scope: Scope): void {
    const rule = Object.hasOwn(this.naming.rules, node.kind) ? this.naming.rules[node.kind] : undefined;
    if (rule) rule(node, scope, this);
    else if (this.naming.names.has(node.kind)) this.table.refer(scope, node);
    else this.visitInside(node, scope);
  }

  visitAll(nodes: readonly SyntaxNode[], scope: Scope): void {
    for (const node of nodes) this.visit(node, scope);
  }

  /** Visits the children, in a scope of their own where the node's kind opens one. */
  visitInside(node: SyntaxNode, scope: Scope): void {
    this.visitAll(node.children, this.scopeOf(node, scope));
  }

  /** Visits the children that are not in one of the roles. */
  visitExcept(node: SyntaxNode, scope: Scope, ...fields: string[]): void {
    this.visitAll(
      node.children.filter((child) => !fields.includes(child.field ?? '')),
      scope,
    );
  }

  scopeOf(node: SyntaxNode, scope: Scope): Scope {
    const kind = Object.hasOwn(this.naming.scopes, node.kind) ? this.naming.scopes[node.kind] : undefined;
    return kind === undefined ? scope : new Scope(kind, scope);
  }

  declare(
    scope: Scope,
    leaf: SyntaxNode | undefined,
    kind: BindingKind,
    declaration: Declaration = {},
  ): Binding | undefined {
    return leaf && leaf.children.length === 0
      ? this.table.declare(scope, leaf, kind, declaration)
      : undefined;
  }

  /** Declares a local that is visible from the end of `whole`, or of its own name. */
  declareLocal(scope: Scope, leaf: SyntaxNode | undefined, whole?: SyntaxNode): void {
    this.declare(scope, leaf, 'local', leaf ? { from: (whole ?? leaf).end } : {});
  }

  /** Names below the node are not understood: none of them may change. */
  opaque(node: SyntaxNode): void {
    walk(node, (leaf) => {
      if (this.naming.names.has(leaf.kind)) this.table.opaque.add(leaf.text);
    });
  }
}

/** A rule for nodes in which only the children in the given roles hold names. */
export const only =
  (...fields: string[]): BindRule =>
  (node, scope, binder) =>
    binder.visitAll(
      node.children.filter((child) => fields.includes(child.field ?? '')),
      scope,
    );

/** A rule for nodes in which the children in the given roles are no names. */
export const except =
  (...fields: string[]): BindRule =>
  (node, scope, binder) =>
    binder.visitExcept(node, scope, ...fields);

/** A rule for nodes without names. */
export const nothing: BindRule = () => {};
