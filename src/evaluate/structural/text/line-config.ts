import { commentClasses } from '../data/hash-comments.ts';
import { abstain, type Judgment, prove } from '../proof/proof.ts';

/** Configuration in lines, whose comments fill a line of their own. */
const FILES: readonly { readonly name: RegExp; readonly comment: RegExp; readonly refuses?: RegExp }[] = [
  {
    name: /(?:^|\/)(?:Dockerfile|Containerfile)(?:\.\w+)?$|\.dockerfile$/i,
    comment: /^#/,
    refuses: /<<|^#\s*escape\s*=/m,
  },
  { name: /(?:^|\/)(?:GNUm|M|m)akefile$|\.mk$/, comment: /^#/, refuses: /^(?:define|endef)\b/m },
  {
    name: /\.(?:ini|cfg|conf|editorconfig)$|(?:^|\/)\.(?:editorconfig|npmrc|flake8|pylintrc|coveragerc)$/i,
    comment: /^[#;]/,
  },
  { name: /\.properties$/i, comment: /^\s*[#!]/ },
  {
    name: /(?:^|\/)\.env(?:\.\w+)?$|(?:^|\/)\.(?:git|docker|npm|eslint|prettier)ignore$|\.gitattributes$|requirements[\w-]*\.txt$/i,
    comment: /^#/,
    refuses: /^[^#=\n]*=[ \t]*["'`][^"'`\n]*$/m,
  },
];

export function isLineConfig(path: string): boolean {
  return FILES.some(({ name }) => name.test(path));
}

/** Proves two configurations equal line by line, comments and runs of blank lines apart. */
export function proveLineConfig(path: string, before: string, after: string): Judgment {
  const format = FILES.find(({ name }) => name.test(path));
  if (!format) return abstain('no_grammar');
  if (before.includes('\r') !== after.includes('\r')) return abstain('value_differs', 'line ends');
  const refuses = format.refuses;
  if (refuses && (refuses.test(before) || refuses.test(after)))
    return abstain('parse_error', 'a construct that spans lines');
  if (content(before, format.comment) !== content(after, format.comment)) return abstain('value_differs');
  const classes = commentClasses(before, after);
  return classes === null ? abstain('value_differs', 'a comment that a tool reads') : prove('L1', ...classes);
}

/** The lines that count. Within a continued line everything does, and before an indented one a blank line may. */
function content(text: string, comment: RegExp): string {
  const all = text.split('\n');
  const lines: string[] = [];
  let continued = false;
  for (const [index, line] of all.entries()) {
    const isBlank = line.trim() === '' && !/^[ \t]+\S/.test(all[index + 1] ?? '');
    if (!continued && (comment.test(line) || isBlank)) continue;
    lines.push(line);
    continued = line.endsWith('\\');
  }
  return lines.join('\n').trim();
}
