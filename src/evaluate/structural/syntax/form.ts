import type { SyntaxNode } from './syntax-node.ts';

/** What shaping may look at and add to. */
export interface FormSource {
  readonly text: string;
  /** Notes a documentation string that is dropped. */
  dropDoc(node: SyntaxNode): void;
}

/** How a language's syntax tree is brought into the form in which two versions are compared. */
export interface Shaping {
  /** Kinds of comments; what is not significant of one is left out of the form. */
  readonly comments: ReadonlySet<string>;
  /** Kinds that are taken as their source text, whatever the grammar sees inside. */
  readonly atoms: ReadonlySet<string>;
  /** Kinds between whose parts white space counts, besides those whose name says that they hold text. */
  readonly verbatim: ReadonlySet<string>;
  /** Text between two tokens that means nothing although it is not blank, such as a continued line. */
  readonly blank?: RegExp;
  /** What a tool, a compiler or a test reads of a comment; '' when nothing does. */
  significantPart(comment: string, source: FormSource, start: number, parent: string): string;
  /** A mark for white space between two tokens that the grammar's tree does not show; '' mostly. */
  boundary?(before: string, gap: string, after: string): string;
  /** Replaces a finished node (its children are final) by another, by several, or by none. */
  shape(node: SyntaxNode, parent: string, source: FormSource): SyntaxNode | readonly SyntaxNode[];
}

/** One file in canonical form. */
export interface Form {
  readonly root: SyntaxNode;
  /** Comments that were left out, in order. */
  readonly comments: readonly string[];
  /** Documentation strings that were left out, in order. */
  readonly docs: readonly SyntaxNode[];
  /** Where each token starts and ends, comments apart: two numbers a token. */
  readonly tokens: readonly number[];
  /** Where each comment starts and ends: two numbers a comment. */
  readonly commentSpans: readonly number[];
}

/** A token with the white space before it; of more than one line only the last one's. */
export interface LayoutToken {
  readonly gap: string;
  readonly text: string;
}

/** The tokens of a form as they are laid out, documentation and comments apart. */
export function layoutOf(form: Form, source: string): LayoutToken[] {
  const docs = [...form.docs].sort((one, other) => one.start - other.start);
  const layout: LayoutToken[] = [];
  let comment = 0;
  let doc = 0;
  let reached = 0;
  let gap = '';
  for (let index = 0; index < form.tokens.length; index += 2) {
    const start = form.tokens[index] as number;
    const end = form.tokens[index + 1] as number;
    for (; (form.commentSpans[comment] ?? Number.POSITIVE_INFINITY) < start; comment += 2) {
      gap += source.slice(reached, form.commentSpans[comment]);
      reached = form.commentSpans[comment + 1] as number;
    }
    gap += source.slice(reached, start);
    reached = end;
    while (doc < docs.length && (docs[doc] as SyntaxNode).end <= start) doc += 1;
    if (doc < docs.length && start >= (docs[doc] as SyntaxNode).start) continue;
    const line = gap.lastIndexOf('\n');
    layout.push({ gap: line < 0 ? gap : gap.slice(line), text: source.slice(start, end) });
    gap = '';
  }
  return layout;
}
