import type { TreeCursor } from '@vscode/tree-sitter-wasm';
import type { Budget } from '../budget.ts';
import type { Grammar } from './grammar.ts';
import type { SyntaxNode } from './syntax-node.ts';

/** How a language's syntax tree is brought into the form in which two versions are compared. */
export interface Shaping {
  /** Kinds of comments; one that is not significant is left out of the form. */
  readonly comments: ReadonlySet<string>;
  /** Kinds that are taken as their source text, whatever the grammar sees inside. */
  readonly atoms: ReadonlySet<string>;
  /** Kinds inside which white space between the children counts. */
  readonly verbatim: ReadonlySet<string>;
  /** Text between two tokens that means nothing although it is not blank, such as a continued line. */
  readonly blank?: RegExp;
  /** What a tool, a compiler or a test reads of a comment; '' when nothing does. */
  significantPart(comment: string, source: FormSource, start: number): string;
  /** A mark for white space between two tokens that the grammar's tree does not show; '' mostly. */
  boundary?(before: string, gap: string, after: string): string;
  /** Replaces a finished node (its children are final) by another, by several, or by none. */
  shape(node: SyntaxNode, parent: string, source: FormSource): SyntaxNode | readonly SyntaxNode[];
}

/** What shaping may look at and add to. */
export interface FormSource {
  readonly text: string;
  /** Notes a documentation string that is dropped. */
  dropDoc(node: SyntaxNode): void;
}

/** One file in canonical form. */
export interface Form {
  readonly root: SyntaxNode;
  /** Comments that were left out, in order. */
  readonly comments: readonly string[];
  /** Documentation strings that were left out, in order. */
  readonly docs: readonly SyntaxNode[];
  /** Every token with the white space before it, comments and blank lines apart. */
  readonly layout: readonly LayoutToken[];
}

export interface LayoutToken {
  readonly gap: string;
  readonly text: string;
  readonly start: number;
}

export type FormResult =
  | { readonly ok: true; readonly form: Form }
  | { readonly ok: false; readonly reason: 'parse_error' | 'over_budget' };

/** Deeper trees are not judged: what walks a form recurses. */
const MAX_DEPTH = 800;

/** Parses `text` and builds its canonical form. */
export function readForm(grammar: Grammar, shaping: Shaping, text: string, budget: Budget): FormResult {
  const tree = grammar.parse(text, () => budget.expired());
  if (tree === null) return { ok: false, reason: 'over_budget' };
  try {
    if (tree.rootNode.hasError) return { ok: false, reason: 'parse_error' };
    const cursor = tree.walk();
    try {
      return new FormReader(grammar, shaping, text, budget, cursor).read();
    } finally {
      cursor.delete();
    }
  } finally {
    tree.delete();
  }
}

interface Frame {
  readonly kind: string;
  readonly field: string | null;
  readonly start: number;
  readonly end: number;
  readonly children: SyntaxNode[];
  /** Source text before each child and after the last one; the index says before which child. */
  readonly gaps: { index: number; text: string; start: number }[];
  /** Where the text that no child covers begins. */
  covered: number;
}

class FormReader {
  private readonly comments: string[] = [];
  private readonly docs: SyntaxNode[] = [];
  private readonly layout: LayoutToken[] = [];
  private gap = '';
  private reached = 0;
  private readonly grammar: Grammar;
  private readonly shaping: Shaping;
  private readonly text: string;
  private readonly budget: Budget;
  private readonly cursor: TreeCursor;
  private readonly source: FormSource;

  constructor(grammar: Grammar, shaping: Shaping, text: string, budget: Budget, cursor: TreeCursor) {
    this.grammar = grammar;
    this.shaping = shaping;
    this.text = text;
    this.budget = budget;
    this.cursor = cursor;
    this.source = { text, dropDoc: (doc) => this.docs.push(doc) };
  }

  read(): FormResult {
    const top: Frame = { kind: '', field: null, start: 0, end: 0, children: [], gaps: [], covered: 0 };
    const open: Frame[] = [top];
    for (let nodes = 0; ; nodes += 1) {
      if (open.length > MAX_DEPTH || ((nodes & 1023) === 0 && this.budget.expired()))
        return { ok: false, reason: 'over_budget' };
      if (this.descend(open)) continue;
      while (!this.cursor.gotoNextSibling()) {
        if (!this.cursor.gotoParent()) return { ok: true, form: this.form(top) };
        this.close(open);
      }
    }
  }

  private form(top: Frame): Form {
    const root = top.children[0] ?? { kind: 'empty', field: null, text: '', children: [], start: 0, end: 0 };
    return { root, comments: this.comments, docs: this.docs, layout: this.layout };
  }

  /** Opens the cursor's node, or takes it as a leaf. True when the cursor stands on a new child. */
  private descend(open: Frame[]): boolean {
    const { cursor, grammar, shaping } = this;
    const kind = grammar.kinds[cursor.nodeTypeId] ?? 'ERROR';
    const start = cursor.startIndex;
    const end = cursor.endIndex;
    const parent = open[open.length - 1] as Frame;
    if (shaping.comments.has(kind)) {
      this.comment(parent, start, end);
      return false;
    }
    const field = grammar.fields[cursor.currentFieldId] ?? null;
    if (!shaping.atoms.has(kind) && cursor.gotoFirstChild()) {
      open.push({ kind, field, start, end, children: [], gaps: [], covered: start });
      return true;
    }
    this.token(parent, start, end);
    this.add(parent, { kind, field, text: this.text.slice(start, end), children: [], start, end });
    return false;
  }

  private comment(parent: Frame, start: number, end: number): void {
    const text = this.text.slice(start, end);
    this.gap += this.text.slice(this.reached, start);
    this.reached = end;
    this.noteGap(parent, start);
    parent.covered = end;
    // Only at the very start of a file is it read by the system that runs the file.
    const isHashBang = text.startsWith('#!');
    const kept = isHashBang
      ? start === 0
        ? text
        : ''
      : this.shaping.significantPart(text, this.source, start);
    if (kept !== text) this.comments.push(text);
    if (kept !== '')
      parent.children.push({
        kind: 'significant_comment',
        field: null,
        text: kept,
        children: [],
        start,
        end,
      });
  }

  private token(parent: Frame, start: number, end: number): void {
    const gap = this.gap + this.text.slice(this.reached, start);
    const line = gap.lastIndexOf('\n');
    const text = this.text.slice(start, end);
    const mark = this.shaping.boundary?.(this.layout.at(-1)?.text ?? '', gap, text) ?? '';
    if (mark !== '')
      parent.children.push({ kind: 'boundary', field: null, text: mark, children: [], start, end: start });
    this.layout.push({ gap: line < 0 ? gap : gap.slice(line), text, start });
    this.gap = '';
    this.reached = end;
  }

  private noteGap(frame: Frame, start: number): void {
    if (start > frame.covered)
      frame.gaps.push({
        index: frame.children.length,
        text: this.text.slice(frame.covered, start),
        start: frame.covered,
      });
  }

  private add(parent: Frame, node: SyntaxNode): void {
    this.noteGap(parent, node.start);
    parent.covered = node.end;
    const shaped = this.shaping.shape(node, parent.kind, this.source);
    if (Array.isArray(shaped)) parent.children.push(...(shaped as readonly SyntaxNode[]));
    else parent.children.push(shaped as SyntaxNode);
  }

  private close(open: Frame[]): void {
    const frame = open.pop() as Frame;
    this.noteGap(frame, frame.end);
    const { kind, field, start, end } = frame;
    const node = { kind, field, text: '', children: this.withGaps(frame), start, end };
    this.add(open[open.length - 1] as Frame, node);
  }

  /** Text that no token of the grammar covers is kept, so that no difference goes unseen. */
  private withGaps(frame: Frame): SyntaxNode[] {
    const { blank, verbatim } = this.shaping;
    const isBlank = (text: string) => (blank ? text.replace(blank, '') : text).trim() === '';
    if (frame.gaps.length === 0) return frame.children;
    if (!verbatim.has(frame.kind) && frame.gaps.every(({ text }) => isBlank(text))) return frame.children;
    const children = [...frame.children];
    for (const { index, text, start } of frame.gaps.reverse())
      children.splice(index, 0, {
        kind: 'text',
        field: null,
        text,
        children: [],
        start,
        end: start + text.length,
      });
    return children;
  }
}
