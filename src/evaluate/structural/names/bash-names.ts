import { childIn, type SyntaxNode } from '../syntax/syntax-node.ts';
import { type BindRule, BlockBinder, type BlockNaming } from './block-binder.ts';
import type { NameTable, Scope } from './scopes.ts';

/** What may run text of other files, or names variables in words. */
const READS_NAMES = /(?:^|[;&|(\s])(?:source|\.|eval|trap|declare\s+-n|local\s+-[a-zA-Z]*[nx])\s|\$\{!\w/m;

/** `local x` declares for this function and for what it calls, so a name that is used anywhere else stays. */
const declarationCommand: BindRule = (node, scope, binder) => {
  const isLocal = node.children[0]?.text === 'local' && scope.kind === 'function';
  for (const child of node.children) {
    const leaf = child.kind === 'variable_assignment' ? childIn(child, 'name') : child;
    if (isLocal && leaf?.kind === 'variable_name') binder.declare(scope, leaf, 'local');
    else if (leaf) binder.visit(leaf, scope);
    if (child.kind === 'variable_assignment') binder.visitExcept(child, scope, 'name');
  }
};

const naming: BlockNaming = {
  scopes: { function_definition: 'function' },
  names: new Set(['variable_name']),
  rules: {
    declaration_command: declarationCommand,
    special_variable_name: () => {},
    word: (node, _scope, binder) => {
      binder.table.opaque.add(node.text);
    },
  },
};

/** Resolves the `local` variables of a Bash form; a name that is also used outside its function never changes. */
export function bindBash(root: SyntaxNode, text: string): NameTable {
  const table = BlockBinder.bind(naming, root, text, (binder) => {
    if (READS_NAMES.test(text)) binder.table.frozen = 'names are read by their spelling';
  });
  for (const leaf of table.free) table.opaque.add(leaf.text);
  const homes = new Map<string, Scope>();
  for (const binding of table.uses.values()) {
    const home = homes.get(binding.name) ?? binding.scope;
    homes.set(binding.name, home);
    if (home !== binding.scope) table.opaque.add(binding.name);
  }
  return table;
}
