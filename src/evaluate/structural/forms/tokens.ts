import type { SyntaxNode } from '../syntax/syntax-node.ts';

/** The children without a comma that stands directly before the closing bracket. */
export function withoutTrailingComma(children: readonly SyntaxNode[]): readonly SyntaxNode[] {
  const comma = children.length - 2;
  if (children[comma]?.kind !== ',') return children;
  const before = children[comma - 1]?.kind;
  if (before === ',' || comma === 0 || comma === 1) return children;
  return children.filter((_, index) => index !== comma);
}

/** The children without the tokens of the given kinds. */
export function withoutTokens(children: readonly SyntaxNode[], ...kinds: string[]): readonly SyntaxNode[] {
  return children.filter((child) => !kinds.includes(child.kind));
}

/** A decimal or hexadecimal number in one spelling; what is not certain stays as written. */
export function numberText(text: string): string {
  const plain = text.replaceAll('_', '').toLowerCase();
  if (/^(?:0|[1-9]\d*)$|^0[xob][0-9a-f]+$/.test(plain)) return `int:${BigInt(plain)}`;
  if (/^\d+\.\d*(?:e[+-]?\d+)?$|^\.\d+(?:e[+-]?\d+)?$|^\d+e[+-]?\d+$/.test(plain)) {
    const value = Number(plain);
    if (Number.isFinite(value)) return `float:${value}`;
  }
  return text;
}
