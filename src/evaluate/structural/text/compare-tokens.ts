import { abstain, type ChangeClass, type Judgment, prove } from '../proof/proof.ts';

/** A text as a lexer sees it. */
export interface TokenText {
  /** What counts, in canonical spelling. */
  readonly tokens: readonly string[];
  /** The same as written. */
  readonly raw: readonly string[];
  /** Comments that do not count. */
  readonly comments: readonly string[];
}

/** Proves two token texts equal, or names the first difference. */
export function compareTokens(before: TokenText, after: TokenText): Judgment {
  const at = before.tokens.findIndex((token, index) => token !== after.tokens[index]);
  if (at >= 0)
    return abstain('value_differs', `${excerpt(before.tokens[at])} became ${excerpt(after.tokens[at])}`);
  if (before.tokens.length !== after.tokens.length)
    return abstain('shape_differs', excerpt(after.tokens[before.tokens.length]));
  const classes: ChangeClass[] = before.comments.join('\n') === after.comments.join('\n') ? [] : ['comment'];
  if (before.raw.join('\n') !== after.raw.join('\n')) classes.push('format');
  return classes.length > 0 ? prove('L1', ...classes) : prove('L0', 'whitespace');
}

const excerpt = (token: string | undefined): string => (token ?? 'nothing').replace(/\s+/g, ' ').slice(0, 40);
