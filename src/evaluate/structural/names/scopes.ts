import type { SyntaxNode } from '../syntax/syntax-node.ts';

/**
 * What a name is bound as. `member`: a name that others reach through its owner, so it never changes; `local` covers
 * everything that nothing outside the unit can name.
 */
export type BindingKind = 'local' | 'parameter' | 'module' | 'import' | 'member';

/** One declared name and everything that decides whether it may be spelled differently. */
export interface Binding {
  readonly name: string;
  readonly kind: BindingKind;
  /** Why the name must stay, if it must. */
  fixed: string | null;
  /** Whether other files may import it by its name. */
  exported: boolean;
  /** What an import binds: the module as written, and the name there (null: the module itself). */
  origin: { readonly module: string; readonly name: string | null } | null;
  /** The name is visible to references at or after this offset. */
  readonly from: number;
  readonly scope: Scope;
  /** What kind of thing the language's binder declared, where a rule needs it. */
  readonly role: string;
}

/** The module that a name stands for: `import a`, or a member of a package, which may be a module too. */
export function moduleNamedBy({ origin }: Binding): string | undefined {
  if (!origin || origin.name === null) return origin?.module;
  return `${origin.module}${origin.module.endsWith('.') ? '' : '.'}${origin.name}`;
}

export type ScopeKind = 'module' | 'function' | 'class' | 'block';

/** A region of the source in which names are declared. */
export class Scope {
  readonly kind: ScopeKind;
  readonly parent: Scope | null;
  readonly bindings = new Map<string, Binding[]>();
  /** Names that this scope declares elsewhere, such as Python's `global`. */
  readonly redirects = new Map<string, Scope>();

  constructor(kind: ScopeKind, parent: Scope | null) {
    this.kind = kind;
    this.parent = parent;
  }

  /** The nearest scope, this one included, that is of one of the kinds. */
  nearest(...kinds: ScopeKind[]): Scope {
    return kinds.includes(this.kind) || this.parent === null ? this : this.parent.nearest(...kinds);
  }
}

export interface Declaration {
  readonly role?: string;
  readonly fixed?: string | null;
  readonly exported?: boolean;
  readonly origin?: { readonly module: string; readonly name: string | null };
  /** Visible from this offset on: a new name even when the scope has one that is visible from elsewhere. */
  readonly from?: number;
}

/** A member that is named through a module: `module.name`. */
export interface MemberUse {
  readonly owner: SyntaxNode;
  readonly member: SyntaxNode;
}

/** Which leaves of a form name what. Filled by a language's binder, then resolved once. */
export class NameTable {
  readonly module = new Scope('module', null);
  /** What each naming leaf refers to; a leaf without an entry is free, or no name at all. */
  readonly uses = new Map<SyntaxNode, Binding>();
  /** Leaves that name something which the file does not declare. */
  readonly free = new Set<SyntaxNode>();
  /** Names that occur where a binder cannot tell what they mean; they must not change. */
  readonly opaque = new Set<string>();
  /** Members reached through a name, by the member's leaf. */
  readonly members = new Map<SyntaxNode, MemberUse>();
  /** Leaves that name something in another module without binding that name here: the module as written. */
  readonly foreign = new Map<SyntaxNode, string>();
  /** Modules whose every name is imported. */
  readonly wildcards = new Set<string>();
  /** Names of arguments that calls pass by keyword; `**` when a call passes a mapping. */
  readonly keywords = new Set<string>();
  /** Modules that the file imports, in order of evaluation. */
  readonly imports: string[] = [];
  /** The program reads how its functions and classes are called, so that their names are values. */
  readsOwnNames = false;
  /** The program walks over what a module or a class declares, in the order in which it stands. */
  readsOrder = false;
  /** Why no name in the file may change, if that is so. */
  frozen: string | null = null;
  /** Why no name of the module itself may change, if that is so. */
  moduleFrozen: string | null = null;
  private readonly pending: { leaf: SyntaxNode; scope: Scope }[] = [];

  /** Declares what `leaf` names in `scope`; a name that the scope has already is the same one, unless positional. */
  declare(scope: Scope, leaf: SyntaxNode, kind: BindingKind, declaration: Declaration = {}): Binding {
    const name = leaf.text;
    const home = scope.redirects.get(name) ?? scope;
    const known = home.bindings.get(name);
    const last = known?.at(-1);
    const merged = declaration.from === undefined || last?.from === declaration.from ? last : undefined;
    const binding = merged ?? {
      name,
      kind: home.kind === 'module' && kind === 'local' ? 'module' : kind,
      fixed: declaration.fixed ?? null,
      exported: declaration.exported ?? false,
      origin: declaration.origin ?? null,
      from: declaration.from ?? -1,
      scope: home,
      role: declaration.role ?? 'variable',
    };
    if (merged) {
      merged.fixed ??= declaration.fixed ?? (merged.kind === kind ? null : mixed(merged, kind));
      merged.exported ||= declaration.exported ?? false;
    } else if (known) insert(known, binding);
    else home.bindings.set(name, [binding]);
    this.uses.set(leaf, binding);
    return binding;
  }

  /** Notes that `leaf` refers to a name, to be resolved when everything is declared. */
  refer(scope: Scope, leaf: SyntaxNode): void {
    this.pending.push({ leaf, scope });
  }

  /** Resolves all references. `skips` says whether a scope is invisible from a reference inside another. */
  resolve(skips: (scope: Scope, from: Scope) => boolean = () => false): void {
    for (const { leaf, scope } of this.pending) {
      const binding = this.find(leaf, scope, skips);
      if (binding) this.uses.set(leaf, binding);
      else this.free.add(leaf);
    }
    this.pending.length = 0;
    this.fixNamesThatAreRead();
  }

  /** `f.name` and `Class.__name__` give the spelling of a name to the program. */
  private fixNamesThatAreRead(): void {
    for (const { owner, member } of this.members.values())
      if (member.text === 'name' || member.text === '__name__') {
        const binding = this.uses.get(owner);
        if (binding && (binding.role === 'function' || binding.role === 'class'))
          binding.fixed ??= `${member.text} of ${binding.name} is read`;
      }
  }

  private find(
    leaf: SyntaxNode,
    start: Scope,
    skips: (scope: Scope, from: Scope) => boolean,
  ): Binding | undefined {
    let scope: Scope | null = start.redirects.get(leaf.text) ?? start;
    for (; scope; scope = scope.parent) {
      if (skips(scope, start)) continue;
      const found = visibleAt(scope.bindings.get(leaf.text), leaf.start);
      if (found) return found;
    }
    return undefined;
  }
}

/** One name declared as two different things may keep being both only under its name, apart from plain variables. */
function mixed(binding: Binding, kind: BindingKind): string | null {
  const plain = (one: BindingKind) => one === 'local' || one === 'module' || one === 'parameter';
  return plain(binding.kind) && plain(kind) ? null : `${binding.name} is both ${binding.kind} and ${kind}`;
}

/** Keeps the declarations of a name sorted by the place from which they are visible. */
function insert(bindings: Binding[], binding: Binding): void {
  let index = bindings.length;
  while (index > 0 && (bindings[index - 1] as Binding).from > binding.from) index -= 1;
  bindings.splice(index, 0, binding);
}

/** The last declaration that is visible at the offset. */
function visibleAt(bindings: readonly Binding[] | undefined, offset: number): Binding | undefined {
  if (!bindings) return undefined;
  let low = 0;
  let high = bindings.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((bindings[middle] as Binding).from <= offset) low = middle + 1;
    else high = middle;
  }
  return bindings[low - 1];
}
