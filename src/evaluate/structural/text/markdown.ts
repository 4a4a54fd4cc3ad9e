import type { Nodes, Paragraph } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { abstain, type Judgment, prove } from '../proof/proof.ts';

/** Proves two Markdown texts equal as documents: lines of a paragraph may be broken elsewhere, marks may be styled otherwise. */
export function proveMarkdown(before: string, after: string): Judgment {
  const one = splitFrontMatter(before);
  const other = splitFrontMatter(after);
  if (one.matter !== other.matter) return abstain('value_differs', 'front matter');
  const left = outline(fromMarkdown(one.body), one.body);
  const right = outline(fromMarkdown(other.body), other.body);
  const at = left.findIndex((line, index) => line !== right[index]);
  if (at < 0 && left.length === right.length) return prove('L1', 'format');
  return abstain('value_differs', (right[at < 0 ? left.length : at] ?? left[at] ?? '').trim().slice(0, 60));
}

function splitFrontMatter(text: string): { readonly matter: string; readonly body: string } {
  const found = /^(---|\+\+\+)[ \t]*\n[\s\S]*?\n(?:\1|\.\.\.)[ \t]*(?:\n|$)/.exec(text);
  return found
    ? { matter: found[0].trimEnd(), body: text.slice(found[0].length) }
    : { matter: '', body: text };
}

/** One line for each node, indented by depth, with everything that a reader or a renderer sees of it. */
function outline(root: Nodes, source: string): string[] {
  const lines: string[] = [];
  const visit = (node: Nodes, depth: number): void => {
    const pad = ' '.repeat(depth);
    if (node.type === 'paragraph') {
      lines.push(`${pad}paragraph ${JSON.stringify(paragraphLines(node, source))}`);
      if (isVerbatim(node, source)) return;
    } else lines.push(`${pad}${node.type} ${JSON.stringify(attributesOf(node))}`);
    if ('children' in node) for (const child of merged(node.children as Nodes[])) visit(child, depth + 1);
  };
  visit(root, 0);
  return lines;
}

function attributesOf(node: Nodes): unknown {
  switch (node.type) {
    case 'text':
      return collapse(node.value);
    case 'inlineCode':
    case 'html':
      return node.value;
    case 'code':
      return [node.lang ?? null, node.meta ?? null, node.value];
    case 'heading':
      return node.depth;
    case 'list':
      return [node.ordered ?? false, node.start ?? null, node.spread ?? false];
    case 'listItem':
      return node.spread ?? false;
    case 'link':
    case 'image':
      return [node.url, node.title ?? null, 'alt' in node ? node.alt : null];
    case 'definition':
      return [node.identifier, node.label ?? null, node.url, node.title ?? null];
    case 'linkReference':
    case 'imageReference':
      return [node.identifier, node.referenceType, 'alt' in node ? node.alt : null];
    default:
      return null;
  }
}

/** Text on both sides of an escape or a line end is one text. */
function merged(children: readonly Nodes[]): readonly Nodes[] {
  const result: Nodes[] = [];
  for (const child of children) {
    const last = result.at(-1);
    if (child.type === 'text' && last?.type === 'text')
      result[result.length - 1] = { ...last, value: last.value + child.value };
    else result.push(child);
  }
  return result;
}

const collapse = (text: string): string => text.replace(/[ \t]*\n[ \t]*|[ \t]+/g, ' ');

/** Lines that extensions of Markdown read as something else than running text. */
const EXTENSION =
  /^[ \t]*(?:\||:::|!!!|\?\?\?|\$\$|:[ \t]|\[\^|\{[%{<:#]|\[!|\[[ xX]\][ \t]|@|<|%|=|~|\\|\^\^|--8<--)|\|[ \t]*$|^[ \t]*:?-+:?[ \t]*\||\$[^$\n]*[*_][^$\n]*\$/m;

function isVerbatim(node: Paragraph, source: string): boolean {
  return EXTENSION.test(sourceOf(node, source));
}

function sourceOf(node: Paragraph, source: string): string {
  return source.slice(node.position?.start.offset ?? 0, node.position?.end.offset ?? 0);
}

/** Nothing for running text; of a table the trimmed cells; of any other extension the lines as they are. */
function paragraphLines(node: Paragraph, source: string): readonly string[] | null {
  if (!isVerbatim(node, source)) return null;
  const lines = sourceOf(node, source)
    .split('\n')
    .map((line) => line.trimEnd());
  const isTable =
    lines.length > 1 && /^[\s|:-]*-[\s|:-]*$/.test(lines[1] ?? '') && (lines[1] ?? '').includes('|');
  return isTable ? lines.map(tableRow) : lines;
}

function tableRow(line: string): string {
  const cells = line
    .trim()
    .replace(/^\||(?<!\\)\|$/g, '')
    .split(/(?<!\\)\|/);
  return cells.map((cell) => cell.trim().replace(/^(:?)-+(:?)$/, '$1-$2')).join(' | ');
}
