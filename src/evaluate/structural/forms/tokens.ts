import type { FormSource } from '../syntax/form.ts';
import { childIn, leafOf, type SyntaxNode, withChildren, withField } from '../syntax/syntax-node.ts';

/** Brings a finished node into canonical form: another node, several in its place, or none. */
export type Rule = (
  node: SyntaxNode,
  parent: string,
  source: FormSource,
) => SyntaxNode | readonly SyntaxNode[];
export type Rules = Readonly<Record<string, Rule>>;

/** One rule for several kinds of nodes. */
export function forKinds(kinds: readonly string[], rule: Rule): Rules {
  return Object.fromEntries(kinds.map((kind) => [kind, rule]));
}

/** Applies the rule for the node's kind, if there is one. */
export function applyRules(
  rules: Rules,
): (node: SyntaxNode, parent: string, source: FormSource) => SyntaxNode | readonly SyntaxNode[] {
  return (node, parent, source) =>
    (Object.hasOwn(rules, node.kind) ? rules[node.kind]?.(node, parent, source) : undefined) ?? node;
}

/** The children without the tokens of the given kinds. */
export function withoutTokens(children: readonly SyntaxNode[], ...kinds: string[]): readonly SyntaxNode[] {
  return children.filter((child) => !kinds.includes(child.kind));
}

/** A rule that drops tokens of the given kinds. */
export const dropTokens =
  (...kinds: string[]): Rule =>
  (node) =>
    withChildren(node, withoutTokens(node.children, ...kinds));

/** The children without a comma that stands directly before the closing bracket. */
export function withoutTrailingComma(children: readonly SyntaxNode[]): readonly SyntaxNode[] {
  const comma = children.length - 2;
  if (comma < 2 || children[comma]?.kind !== ',' || children[comma - 1]?.kind === ',') return children;
  return children.filter((_, index) => index !== comma);
}

/** A rule for bracketed lists in which a comma at the end means nothing. */
export const dropTrailingComma: Rule = (node) => withChildren(node, withoutTrailingComma(node.children));

/** A number in one spelling; what is not certain stays as written. */
export function numberText(text: string): string {
  const plain = text.replaceAll('_', '').toLowerCase();
  if (/^(?:0|[1-9]\d*)$|^0x[0-9a-f]+$|^0o[0-7]+$|^0b[01]+$/.test(plain)) return `int:${BigInt(plain)}`;
  if (/^\d+\.\d*(?:e[+-]?\d+)?$|^\.\d+(?:e[+-]?\d+)?$|^\d+e[+-]?\d+$/.test(plain)) {
    const value = Number(plain);
    if (Number.isFinite(value)) return `float:${value}`;
  }
  return text;
}

/** Writes a number in one spelling. */
export const plainNumber: Rule = (node) => leafOf(node, node.kind, numberText(node.text));

/** The one node between round brackets, if there is exactly one. */
export function bracketed(node: SyntaxNode): SyntaxNode | undefined {
  const kept = withoutTokens(node.children, '(', ')');
  return kept.length === 1 ? kept[0] : undefined;
}

/**
 * A rule that drops round brackets, since the nesting of the tree says what they say, unless they stand where something
 * is called: there they can choose another meaning (a field's value instead of a method, no macro).
 */
export const dropBrackets: Rule = (node) => {
  const only = bracketed(node);
  return only && node.field !== 'function' ? withField(only, node.field) : node;
};

/** A rule that takes a block around one statement that declares nothing for the statement itself. */
export function unbrace(block: string, declares: RegExp, bodies: ReadonlySet<string>): Rule {
  const isBody = (child: SyntaxNode, node: SyntaxNode, index: number): boolean =>
    bodies.has(child.field ?? '') || (node.kind.startsWith('else') && index === node.children.length - 1);
  return (node) =>
    withChildren(
      node,
      node.children.map((child, index) => {
        if (child.kind !== block || !isBody(child, node, index)) return child;
        const statements = child.children.slice(1, -1);
        const [only] = statements;
        const bare = statements.length === 1 && only && !declares.test(only.kind);
        return bare && only.children.length > 0 ? withField(only, child.field) : child;
      }),
    );
}

/** `(x) -> y` and `x -> y`: wraps a single bare parameter as the list of `kind` that it stands for. */
export function listParameter(
  node: SyntaxNode,
  field: string,
  kind: string,
  item: (name: SyntaxNode) => SyntaxNode = (name) => name,
): SyntaxNode {
  const single = childIn(node, field);
  if (!single || single.children.length > 0) return node;
  const bracket = (text: string): SyntaxNode => ({ ...leafOf(single, text, text), field: null });
  const wrapped = withChildren(
    withField(single, 'parameters'),
    [bracket('('), item({ ...leafOf(single, 'identifier', single.text), field: null }), bracket(')')],
    kind,
  );
  return withChildren(
    node,
    node.children.map((child) => (child === single ? wrapped : child)),
  );
}

/** Sorts a run of keywords that may stand in any order. */
export function sortTokens(
  children: readonly SyntaxNode[],
  isKeyword: (child: SyntaxNode) => boolean,
): SyntaxNode[] {
  const words = children.filter(isKeyword).sort((a, b) => (a.kind + textOf(a) < b.kind + textOf(b) ? -1 : 1));
  return children.map((child) => (isKeyword(child) ? (words.shift() as SyntaxNode) : child));
}

const textOf = (node: SyntaxNode): string => node.text || node.children.map(textOf).join(' ');
