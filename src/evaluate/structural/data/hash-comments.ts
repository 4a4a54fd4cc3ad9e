import { isRead } from '../forms/comments.ts';
import type { ChangeClass } from '../proof/proof.ts';

/** Comments of configuration files that a tool reads, besides those of every language. */
const TOOLS =
  /^#!|^#cloud-config|yaml-language-server|yamllint|prettier-ignore|checkov:|kics|tfsec:|hadolint|^#\s*@|ansible-lint|noqa|zizmor|actionlint|pragma|taplo|^#:schema|eslint|^#\s*(?:syntax|escape|check)\s*=|coding[:=]|<%|\{[{%]/;

/**
 * How two texts with `#` comments that are equal as data differ: in comments, in format or both. Null when a comment
 * differs that a tool reads. A `#` inside a text may be taken for a comment here; that only names the class.
 */
export function commentClasses(before: string, after: string): ChangeClass[] | null {
  const one = commentsOf(before);
  const other = commentsOf(after);
  const read = (comments: readonly string[]) =>
    comments.filter((comment) => TOOLS.test(comment) || isRead(comment)).join('\n');
  if (read(one) !== read(other)) return null;
  const first = (text: string) => TOOLS.test(text.split('\n', 1)[0] ?? '');
  if (first(before) !== first(after)) return null;
  const classes: ChangeClass[] = one.join('\n') === other.join('\n') ? [] : ['comment'];
  if (bare(before) !== bare(after)) classes.push('format');
  return classes.length > 0 ? classes : ['whitespace'];
}

const COMMENT = /(?:^|(?<=\s))#.*$/gm;

function commentsOf(text: string): string[] {
  return [...text.matchAll(COMMENT)].map(([comment]) => comment.trim());
}

function bare(text: string): string {
  const lines = text
    .replace(COMMENT, '')
    .split('\n')
    .map((line) => line.trimEnd());
  return lines.filter((line) => line !== '').join('\n');
}
