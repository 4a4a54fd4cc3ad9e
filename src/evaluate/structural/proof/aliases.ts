import type { Binding, NameTable } from '../names/scopes.ts';
import { childIn, type SyntaxNode, walk, withChildren } from '../syntax/syntax-node.ts';

/** `old = fresh` at the end of a rename: the name that went away still means the same. */
export interface Alias {
  readonly old: string;
  readonly alias: Binding;
  readonly target: Binding;
}

/**
 * Takes the statements out of the module that only give a declared function, class or constant its old name. The old
 * name has to be new as a variable, declared before in some other way, and not used before the statement runs.
 */
export function takeAliases(
  root: SyntaxNode,
  names: NameTable,
  before: NameTable,
): { readonly root: SyntaxNode; readonly aliases: readonly Alias[] } {
  const declarations = declarationCounts(names);
  const aliases: Alias[] = [];
  const children = root.children.filter((child, index) => {
    const alias = aliases.length < MAX_ALIASES ? aliasOf(child, names) : null;
    if (!alias || declarations.get(alias.alias) !== 1) return true;
    if (!before.module.bindings.has(alias.old) || before.module.bindings.has(alias.target.name)) return true;
    if (root.children.slice(0, index).some((earlier) => runsWith(earlier, names, alias.alias))) return true;
    aliases.push(alias);
    return false;
  });
  return aliases.length === 0 ? { root, aliases } : { root: withChildren(root, children), aliases };
}

const MAX_ALIASES = 20;

function aliasOf(statement: SyntaxNode, names: NameTable): Alias | null {
  const parts = assignedNames(statement);
  if (!parts) return null;
  const alias = names.uses.get(parts.old);
  const target = names.uses.get(parts.fresh);
  if (!alias || !target || alias === target || target.kind !== 'module') return null;
  return { old: parts.old.text, alias, target };
}

/** How many leaves declare, or assign, each name. */
function declarationCounts(names: NameTable): Map<Binding, number> {
  const counts = new Map<Binding, number>();
  for (const [leaf, binding] of names.uses)
    if (leaf.field !== null && DECLARES.has(leaf.field)) counts.set(binding, (counts.get(binding) ?? 0) + 1);
  return counts;
}

const DECLARES = new Set(['left', 'name', 'alias']);

function assignedNames(statement: SyntaxNode): { old: SyntaxNode; fresh: SyntaxNode } | null {
  const declaration =
    statement.kind === 'export_statement' ? childIn(statement, 'declaration') : statement.children[0];
  const holder =
    declaration?.kind === 'lexical_declaration'
      ? declaration.children.find(({ kind }) => kind === 'variable_declarator')
      : statement.kind === 'lexical_declaration'
        ? statement.children.find(({ kind }) => kind === 'variable_declarator')
        : declaration;
  if (!holder || (holder.kind !== 'assignment' && holder.kind !== 'variable_declarator')) return null;
  if (
    holder.kind === 'assignment' &&
    (statement.kind !== 'expression_statement' || statement.children.length !== 1)
  )
    return null;
  const old = childIn(holder, 'left') ?? childIn(holder, 'name');
  const fresh = childIn(holder, 'right') ?? childIn(holder, 'value');
  if (old?.kind !== 'identifier' || fresh?.kind !== 'identifier' || holder.children.length !== 3) return null;
  return { old, fresh };
}

/** Whether a statement uses the name at once, not only inside a function that is called later. */
function runsWith(statement: SyntaxNode, names: NameTable, alias: Binding): boolean {
  if (/^(?:async_)?function_(?:definition|declaration)$/.test(statement.kind)) return false;
  let used = false;
  walk(statement, (leaf) => {
    if (names.uses.get(leaf) === alias) used = true;
  });
  return used;
}
