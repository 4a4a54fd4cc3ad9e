import { type Binding, moduleNamedBy, type NameTable } from '../names/scopes.ts';
import type { SyntaxNode } from '../syntax/syntax-node.ts';
import { type Abstention, abstain } from './proof.ts';

/** A form together with what its names mean. */
export interface NamedForm {
  readonly root: SyntaxNode;
  readonly names: NameTable;
}

/** A name of another module that is spelled differently now; true only if that module agrees. */
export interface ForeignRename {
  readonly module: string;
  readonly from: string;
  readonly to: string;
}

export interface Match {
  readonly matched: true;
  /** Declared names on both sides, differently spelled ones only. */
  readonly renamed: readonly { readonly before: Binding; readonly after: Binding }[];
  readonly foreign: readonly ForeignRename[];
}

/**
 * Whether two forms are equal up to a consistent change of declared names: same shape, same tokens, and a one-to-one
 * map between the declarations of both sides such that every use refers to the same declaration. Free names are equal
 * by their spelling. `aliases` are names of the after-side that stand for another one.
 */
export function matchForms(
  before: NamedForm,
  after: NamedForm,
  aliases: ReadonlyMap<Binding, Binding> = new Map(),
): Match | Abstention {
  return new Matcher(before.names, after.names, aliases).run(before.root, after.root);
}

class Matcher {
  private readonly forward = new Map<Binding, Binding>();
  private readonly backward = new Map<Binding, Binding>();
  private readonly foreign: ForeignRename[] = [];
  private readonly before: NameTable;
  private readonly after: NameTable;
  private readonly aliases: ReadonlyMap<Binding, Binding>;
  private members: [SyntaxNode, SyntaxNode][] = [];

  constructor(before: NameTable, after: NameTable, aliases: ReadonlyMap<Binding, Binding>) {
    this.before = before;
    this.after = after;
    this.aliases = aliases;
  }

  run(before: SyntaxNode, after: SyntaxNode): Match | Abstention {
    const waiting: [SyntaxNode, SyntaxNode][] = [[before, after]];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [left, right] = next;
      if (
        left.kind !== right.kind ||
        left.field !== right.field ||
        left.children.length !== right.children.length
      )
        return abstain('shape_differs', `${describe(left)} became ${describe(right)}`);
      const fault = left.children.length === 0 ? this.leaf(left, right) : null;
      if (fault) return fault;
      for (let index = left.children.length - 1; index >= 0; index -= 1)
        waiting.push([left.children[index] as SyntaxNode, right.children[index] as SyntaxNode]);
    }
    const fault = this.moduleMembers();
    if (fault) return fault;
    const renamed = [...this.forward]
      .map(([one, other]) => ({ before: one, after: other }))
      .filter((pair) => pair.before.name !== pair.after.name);
    return { matched: true, renamed, foreign: this.foreign };
  }

  private leaf(left: SyntaxNode, right: SyntaxNode): Abstention | null {
    const one = this.before.uses.get(left);
    const other = this.after.uses.get(right);
    if (one && other) return this.link(one, this.aliases.get(other) ?? other);
    if (one || other) return abstain('value_differs', `${left.text} no longer means the same`);
    if (left.text === right.text) return null;
    const module = this.before.foreign.get(left);
    if (module !== undefined && module === this.after.foreign.get(right)) {
      this.foreign.push({ module, from: left.text, to: right.text });
      return null;
    }
    if (this.before.members.has(left) && this.after.members.has(right)) {
      this.members.push([left, right]);
      return null;
    }
    return abstain('value_differs', `${excerpt(left.text)} became ${excerpt(right.text)}`);
  }

  private link(one: Binding, other: Binding): Abstention | null {
    const known = this.forward.get(one);
    const back = this.backward.get(other);
    if (known === undefined && back === undefined) {
      this.forward.set(one, other);
      this.backward.set(other, one);
      return this.sameOrigin(one, other);
    }
    if (known === other && back === one) return null;
    return abstain('rename_unsafe', `${one.name} and ${other.name} are not one name`);
  }

  private sameOrigin(one: Binding, other: Binding): Abstention | null {
    if (one.kind !== other.kind || one.role !== other.role)
      return abstain('rename_unsafe', `${other.name} is bound in another way`);
    if (one.origin === null && other.origin === null) return null;
    if (one.origin?.module !== other.origin?.module)
      return abstain('value_differs', `${other.name} comes from another module`);
    const from = one.origin?.name ?? null;
    const to = other.origin?.name ?? null;
    if (from === to) return null;
    if (from === null || to === null)
      return abstain('value_differs', `${other.name} is imported differently`);
    if (one.role === 'imported') this.foreign.push({ module: one.origin?.module ?? '', from, to });
    return null;
  }

  /** `module.name` may follow a rename in that module; any other member keeps its name. */
  private moduleMembers(): Abstention | null {
    for (const [left, right] of this.members) {
      const owner = this.before.members.get(left)?.owner;
      const binding = owner && this.before.uses.get(owner);
      const module = binding && moduleNamedBy(binding);
      if (module === undefined) return abstain('value_differs', `member ${left.text} became ${right.text}`);
      this.foreign.push({ module, from: left.text, to: right.text });
    }
    return null;
  }
}

const excerpt = (text: string): string =>
  (text.length > 40 ? `${text.slice(0, 40)}…` : text).replace(/\s+/g, ' ');

function describe(node: SyntaxNode): string {
  return node.children.length === 0 ? excerpt(node.text) : node.kind.replaceAll('_', ' ');
}
