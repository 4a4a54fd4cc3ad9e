import { findNodeAtLocation, type JSONPath, type Node, parseTree } from 'jsonc-parser';

/**
 * Edits of a JSON text that leave every byte alone but those of the edited value. (The edits of jsonc-parser format
 * the whole line, and break a list on one line when its last item goes.) The path must lead somewhere.
 */

/** Adds a value at the end of a list, or a member at the end of an object. */
export function appendValue(text: string, path: JSONPath, value: unknown, key?: string): string {
  const container = nodeAt(text, path);
  const unit = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const last = container.children?.at(-1);
  const indent = last ? indentOf(text, last.offset) : (indentOf(text, container.offset, true) ?? '') + unit;
  const label = key === undefined ? '' : `${JSON.stringify(key)}: `;
  // A last item that does not begin its line stands on one with others: the new one joins them.
  if (last && indent === null) return insert(text, endOf(last), `, ${label}${JSON.stringify(value)}`);
  const body = JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${indent}`);
  const item = `${eol}${indent}${label}${body}`;
  if (last) return insert(text, endOf(last), `,${item}`);
  const closing = `${eol}${indentOf(text, container.offset, true) ?? ''}`;
  const [open, close] = [text[container.offset], text[endOf(container) - 1]];
  return `${text.slice(0, container.offset)}${open}${item}${closing}${close}${text.slice(endOf(container))}`;
}

/** Puts another value in the place of one. */
export function replaceValue(text: string, path: JSONPath, value: unknown): string {
  const node = nodeAt(text, path);
  return `${text.slice(0, node.offset)}${JSON.stringify(value)}${text.slice(endOf(node))}`;
}

/** Takes out an item of a list or a member of an object, with the comma that goes with it. */
export function removeValue(text: string, path: JSONPath): string {
  const value = nodeAt(text, path);
  const node = value.parent?.type === 'property' ? value.parent : value;
  const siblings = node.parent?.children ?? [node];
  const at = siblings.indexOf(node);
  const [before, after] = [siblings[at - 1], siblings[at + 1]];
  if (before) return cut(text, endOf(before), endOf(node));
  if (after) return cut(text, node.offset, after.offset);
  const container = node.parent ?? node;
  return cut(text, container.offset + 1, endOf(container) - 1);
}

function nodeAt(text: string, path: JSONPath): Node {
  const tree = parseTree(text);
  const node = tree && findNodeAtLocation(tree, path);
  if (!node) throw new Error(`nothing at ${path.join('.')}`);
  return node;
}

const endOf = ({ offset, length }: Node): number => offset + length;
const insert = (text: string, at: number, more: string): string => text.slice(0, at) + more + text.slice(at);
const cut = (text: string, from: number, to: number): string => text.slice(0, from) + text.slice(to);

/** The white space that begins the line of an offset; null when something else stands before it on that line. */
function indentOf(text: string, offset: number, whateverStandsBefore = false): string | null {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  const blank = /^[ \t]*/.exec(line)?.[0] ?? '';
  return whateverStandsBefore || blank === line ? blank : null;
}
