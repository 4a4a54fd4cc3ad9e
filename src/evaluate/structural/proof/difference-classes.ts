import type { Form, LayoutToken } from '../syntax/read-form.ts';
import type { SyntaxNode } from '../syntax/syntax-node.ts';
import type { ChangeClass } from './proof.ts';

/** Which kinds of difference lie between two forms that were proven equal without their names and order. */
export function differenceClasses(before: Form, after: Form, textOf: (form: Form) => string): ChangeClass[] {
  const classes: ChangeClass[] = [];
  const normal = (comments: readonly string[]) => comments.map((comment) => comment.replace(/\s+/g, ' '));
  if (!sameList(normal(before.comments), normal(after.comments))) classes.push('comment');
  const docs = (form: Form) => form.docs.map((doc) => textOf(form).slice(doc.start, doc.end));
  if (!sameList(docs(before), docs(after))) classes.push('docstring');
  return classes;
}

/** How the tokens of two forms differ: not at all, in the white space between them, or in themselves. */
export function layoutDifference(
  before: Form,
  after: Form,
  sameName: (a: string, b: string) => boolean,
): 'none' | 'space' | 'tokens' {
  const left = codeTokens(before);
  const right = codeTokens(after);
  if (left.length !== right.length) return 'tokens';
  let space = false;
  for (const [index, token] of left.entries()) {
    const other = right[index] as LayoutToken;
    if (token.text !== other.text && !sameName(token.text, other.text)) return 'tokens';
    if (token.gap !== other.gap) space = true;
  }
  return space ? 'space' : 'none';
}

function codeTokens(form: Form): readonly LayoutToken[] {
  const docs = [...form.docs].sort((one, other) => one.start - other.start);
  let next = 0;
  return form.layout.filter((token) => {
    while (next < docs.length && (docs[next] as SyntaxNode).end <= token.start) next += 1;
    const doc = docs[next];
    return doc === undefined || token.start < doc.start;
  });
}

const sameList = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((one, index) => one === right[index]);
