import { childIn, childOf, type SyntaxNode } from '../syntax/syntax-node.ts';
import type { Movable, OrderRules } from './sort-movable.ts';

const FREELY: Movable = { binds: [], reads: [] };

/** A movable item that is told from others by its own name only. */
function named(node: SyntaxNode, prefix = ''): Movable | null {
  const name = childIn(node, 'name');
  return name && name.children.length === 0 ? { binds: [prefix + name.text], reads: [] } : null;
}

/** Go: functions, methods, types and imports see each other whatever their order; `init` and variables run in it. */
export const goOrder: OrderRules = (child, parent) => {
  if (parent.kind !== 'source_file') return null;
  switch (child.kind) {
    case 'function_declaration':
      return childIn(child, 'name')?.text === 'init' ? null : named(child);
    case 'method_declaration': {
      const receiver = childIn(child, 'receiver')?.children.find(
        ({ kind }) => kind === 'parameter_declaration',
      );
      const type = receiver && typeName(childIn(receiver, 'type'));
      return type === undefined ? null : named(child, `${type}.`);
    }
    case 'type_declaration':
      return FREELY;
    case 'import_declaration':
      return goImport(child);
    default:
      return null;
  }
};

function typeName(type: SyntaxNode | undefined): string | undefined {
  if (!type) return undefined;
  return type.children.length === 0
    ? type.text
    : typeName(type.children.find(({ kind }) => /type/.test(kind)));
}

/** A package imported for its effect keeps its place. */
function goImport(node: SyntaxNode): Movable | null {
  const spec = childOf(node, 'import_spec');
  const name = spec && childIn(spec, 'name');
  return name?.kind === 'blank_identifier' ||
    name?.kind === 'dot' ||
    childIn(spec as SyntaxNode, 'path')?.text === '"C"'
    ? null
    : FREELY;
}

const RUST_ITEMS = new Set([
  'function_item',
  'struct_item',
  'enum_item',
  'union_item',
  'trait_item',
  'type_item',
  'const_item',
  'static_item',
  'function_signature_item',
  'associated_type',
  'use_declaration',
  'impl_item',
]);

/** Rust: items see each other whatever their order; macros are seen from their definition on, so they part the others. */
export const rustOrder: OrderRules = (child, parent) => {
  if (parent.kind === 'use_list') return /^[{},]$/.test(child.kind) ? null : FREELY;
  if (parent.kind !== 'source_file' && parent.kind !== 'declaration_list') return null;
  const item = child.kind === 'attributed' ? child.children.at(-1) : child;
  if (!item || !RUST_ITEMS.has(item.kind)) return null;
  const usesMacro =
    child.kind === 'attributed' &&
    child.children.some((part) =>
      /macro_use|macro_export|ctor/.test(
        JSON.stringify(part.children.map(({ children }) => children.map(({ text }) => text))),
      ),
    );
  return usesMacro
    ? null
    : item.kind === 'use_declaration' || item.kind === 'impl_item'
      ? FREELY
      : (named(item, item.kind) ?? FREELY);
};

/** Java: methods, nested types and imports see each other whatever their order; fields and initialisers run in it. */
export const javaOrder: OrderRules = (child, parent) => {
  if (parent.kind === 'program') return child.kind === 'import_declaration' ? FREELY : null;
  if (
    parent.kind !== 'class_body' &&
    parent.kind !== 'interface_body' &&
    parent.kind !== 'enum_body_declarations'
  )
    return null;
  return child.kind === 'method_declaration' && quietJava(child) ? FREELY : null;
};

/** Annotations other than these may give the order of methods a meaning. */
function quietJava(node: SyntaxNode): boolean {
  const modifiers = childOf(node, 'modifiers')?.children ?? [];
  return modifiers.every(
    (child) =>
      !/annotation$/.test(child.kind) ||
      /^(?:Override|Deprecated|SuppressWarnings|Nullable|NonNull|NotNull|SafeVarargs)$/.test(
        childIn(child, 'name')?.text ?? '',
      ),
  );
}

/** C#: methods and usings see each other whatever their order; fields and properties keep it. */
export const csharpOrder: OrderRules = (child, parent) => {
  if (child.kind === 'using_directive') return FREELY;
  const isMember = parent.kind === 'declaration_list' && child.kind === 'method_declaration';
  return isMember && !childOf(child, 'attribute_list') ? FREELY : null;
};

/** PHP: methods and plain imports see each other whatever their order. */
export const phpOrder: OrderRules = (child, parent) => {
  if (child.kind === 'namespace_use_declaration') return FREELY;
  const isMember = parent.kind === 'declaration_list' && child.kind === 'method_declaration';
  return isMember && !childIn(child, 'attributes') ? FREELY : null;
};

/** Bash: a function only becomes known; nothing between two of them runs. */
export const bashOrder: OrderRules = (child, parent) =>
  parent.kind === 'program' && child.kind === 'function_definition' ? named(child) : null;

/** Where the order of everything counts: C's declarations and inclusions. */
export const noOrder: OrderRules = () => null;
