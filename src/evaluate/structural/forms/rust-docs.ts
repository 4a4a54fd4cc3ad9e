import type { FormSource } from '../syntax/form.ts';
import { significantPart } from './comments.ts';

/** Derives and attributes that turn documentation into help texts, schemas, messages or bindings. */
const DOCS_ARE_READ =
  /\b(?:Parser|Args|Subcommand|ValueEnum|StructOpt|FromArgs|JsonSchema|ToSchema|OpenApi|InputObject|SimpleObject|GraphQL\w+|Documented|Facet|pyclass|pyfunction|pymethods|wasm_bindgen|uniffi|schemars|utoipa|paperclip|doc_comment|include_str)\b/;

interface DocFacts {
  /** Stretches of the source in which documentation is a test. */
  readonly tests: readonly (readonly [start: number, end: number])[];
  readonly areRead: boolean;
}

const known = new WeakMap<FormSource, DocFacts>();

/** What is read of a Rust comment: fenced code in documentation is compiled and run as a test. */
export function rustSignificantPart(
  comment: string,
  source: FormSource,
  start: number,
  parent: string,
): string {
  const isDoc = /^(?:\/\/[/!](?!\/)|\/\*[*!](?![*/]))/.test(comment);
  if (!isDoc) return significantPart(comment, 'rust');
  // A macro is handed documentation as attributes, and where nothing can be documented it is an error.
  if (parent === 'token_tree' || !documents(comment, source.text, start)) return comment.trimEnd();
  const facts = known.get(source) ?? readDocs(source.text);
  known.set(source, facts);
  if (facts.areRead) return comment.trimEnd();
  if (comment.startsWith('/*')) return /```|~~~|^\s*\*? {4,}\S/m.test(comment) ? comment : '';
  return facts.tests.some(([from, to]) => start >= from && start < to) ? comment.trimEnd() : '';
}

/** Whether something that can be documented follows, or, for documentation of what is around, nothing stands before. */
function documents(comment: string, text: string, start: number): boolean {
  if (/^\/[/*]!/.test(comment)) {
    const before = text.slice(0, start).trimEnd();
    return before === '' || /(?:\{|^[ \t]*(?:\/\/!.*|#!.*|.*\*\/))$/m.test(lastLine(before));
  }
  const after = text.slice(start + comment.length).replace(/^(?:\s|\/\/.*|\/\*[\s\S]*?\*\/)+/, '');
  return after !== '' && !/^[)\]}]/.test(after);
}

const lastLine = (text: string): string => text.slice(text.lastIndexOf('\n') + 1);

/** Neighbouring `///` lines are one text; a fence opened in one line closes in a later one. */
function readDocs(text: string): DocFacts {
  const tests: [number, number][] = [];
  let fence: number | null = null;
  let offset = 0;
  for (const line of text.split('\n')) {
    const doc = /^\s*\/\/[/!](?!\/) ?(.*)$/.exec(line)?.[1];
    if (doc === undefined) fence = null;
    else if (/^\s*(?:```|~~~)/.test(doc)) {
      tests.push([fence ?? offset, offset + line.length + 1]);
      fence = fence === null ? offset : null;
    } else if (fence !== null || /^ {4,}\S/.test(doc))
      tests.push([fence ?? offset, offset + line.length + 1]);
    offset += line.length + 1;
  }
  return { tests, areRead: DOCS_ARE_READ.test(text) };
}
