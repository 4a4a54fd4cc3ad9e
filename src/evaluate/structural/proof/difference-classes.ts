import { type Form, layoutOf } from '../syntax/form.ts';
import type { ChangeClass } from './proof.ts';

/** One side of a file with its source. */
export interface SourceForm {
  readonly form: Form;
  readonly text: string;
}

/** Whether comments and documentation strings differ between two forms that were proven equal. */
export function differenceClasses(before: SourceForm, after: SourceForm): ChangeClass[] {
  const classes: ChangeClass[] = [];
  const comments = ({ form }: SourceForm) => form.comments.map((comment) => comment.replace(/\s+/g, ' '));
  if (!isSameList(comments(before), comments(after))) classes.push('comment');
  const docs = ({ form, text }: SourceForm) => form.docs.map((doc) => text.slice(doc.start, doc.end));
  if (!isSameList(docs(before), docs(after))) classes.push('docstring');
  return classes;
}

/** How the tokens of two forms differ: not at all, in the white space between them, or in themselves. */
export function layoutDifference(
  before: SourceForm,
  after: SourceForm,
  isRename: (from: string, to: string) => boolean,
): 'none' | 'space' | 'tokens' {
  const left = layoutOf(before.form, before.text);
  const right = layoutOf(after.form, after.text);
  if (left.length !== right.length) return 'tokens';
  let space = false;
  for (const [index, token] of left.entries()) {
    const other = right[index];
    if (token.text !== other?.text && !isRename(token.text, other?.text ?? '')) return 'tokens';
    if (token.gap !== other?.gap) space = true;
  }
  return space ? 'space' : 'none';
}

const isSameList = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((one, index) => one === right[index]);
