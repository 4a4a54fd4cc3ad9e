import type { TreeCursor } from '@vscode/tree-sitter-wasm';
import type { Budget } from '../budget.ts';
import type { Form, FormSource, Shaping } from './form.ts';
import type { Grammar } from './grammar.ts';
import type { SyntaxNode } from './syntax-node.ts';

export type FormResult =
  | { readonly ok: true; readonly form: Form }
  | { readonly ok: false; readonly reason: 'parse_error' | 'over_budget' };

/** Deeper trees are not judged: what walks a form recurses. */
const MAX_DEPTH = 800;

/** Kinds of nodes that hold text, in all grammars: white space between their parts counts. */
const HOLDS_TEXT =
  /^(?!concatenated|chained).*(?:string|content|heredoc|template_literal|regex|format_clause|format_specifier|alignment_clause|quoted)/;

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

/** A node whose children are being read. */
interface Frame {
  readonly kind: string;
  readonly field: string | null;
  readonly children: SyntaxNode[];
  readonly isVerbatim: boolean;
  /** Where its first token starts, or -1, and its last one ends. */
  start: number;
  end: number;
}

class FormReader {
  private readonly comments: string[] = [];
  private readonly docs: SyntaxNode[] = [];
  private readonly tokens: number[] = [];
  private readonly commentSpans: number[] = [];
  private readonly open: Frame[] = [newFrame('', null, false)];
  /** White space since the last token, and where the text that nothing covers begins. */
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
    for (let nodes = 0; ; nodes += 1) {
      if (this.open.length > MAX_DEPTH || ((nodes & 1023) === 0 && this.budget.expired()))
        return { ok: false, reason: 'over_budget' };
      if (this.descend()) continue;
      while (!this.cursor.gotoNextSibling()) {
        if (!this.cursor.gotoParent()) return { ok: true, form: this.form() };
        this.close();
      }
    }
  }

  private form(): Form {
    this.keepGap(this.text.length);
    const top = this.open[0] as Frame;
    const first = top.children[0] ?? leaf('empty', null, '', 0, 0);
    const root =
      top.children.length > 1 ? { ...first, children: [...first.children, ...top.children.slice(1)] } : first;
    const { comments, docs, tokens, commentSpans } = this;
    return { root, comments, docs, tokens, commentSpans };
  }

  /** Opens the cursor's node, or takes it as a leaf. True when the cursor stands on a new child. */
  private descend(): boolean {
    const { cursor, grammar, shaping } = this;
    const kind = grammar.kinds[cursor.nodeTypeId] ?? 'ERROR';
    if (shaping.comments.has(kind)) {
      this.comment(cursor.startIndex, cursor.endIndex);
      return false;
    }
    const field = grammar.fields[cursor.currentFieldId] ?? null;
    if (!shaping.atoms.has(kind) && cursor.gotoFirstChild()) {
      this.open.push(newFrame(kind, field, shaping.verbatim.has(kind) || HOLDS_TEXT.test(kind)));
      return true;
    }
    this.token(kind, field, cursor.startIndex, cursor.endIndex);
    return false;
  }

  private comment(start: number, end: number): void {
    const text = this.text.slice(start, end);
    this.keepGap(start);
    this.gap += this.text.slice(this.reached, start);
    this.reached = end;
    this.commentSpans.push(start, end);
    const kept = this.readPart(text, start);
    if (kept !== text) this.comments.push(text);
    if (kept !== '') this.top().children.push(leaf('significant_comment', null, kept, start, end));
  }

  /** A first line that names an interpreter is read at the very start of a file only. */
  private readPart(comment: string, start: number): string {
    if (comment.startsWith('#!')) return start === 0 ? comment : '';
    return this.shaping.significantPart(comment, this.source, start, this.top().kind);
  }

  private token(kind: string, field: string | null, start: number, end: number): void {
    this.keepGap(start);
    const text = this.text.slice(start, end);
    if (this.shaping.boundary) this.mark(this.shaping.boundary, start, text);
    this.gap = '';
    this.reached = end;
    this.tokens.push(start, end);
    this.add(leaf(kind, field, text, start, end));
  }

  private mark(boundary: NonNullable<Shaping['boundary']>, start: number, text: string): void {
    const gap = this.gap + this.text.slice(this.reached, start);
    const last = this.tokens.length;
    const before = last === 0 ? '' : this.text.slice(this.tokens[last - 2], this.tokens[last - 1]);
    const mark = boundary(before, gap, text);
    if (mark !== '') this.top().children.push(leaf('boundary', null, mark, start, start));
  }

  /**
   * Keeps what stands before `start` and no token covers: text always, white space where it counts. It becomes a leaf of
   * the innermost node that has a part on both sides.
   */
  private keepGap(start: number): void {
    if (start <= this.reached) return;
    const text = this.text.slice(this.reached, start);
    const owner = this.open.findLast((frame) => frame.start >= 0) ?? (this.open[0] as Frame);
    const { blank } = this.shaping;
    const isBlank = (blank ? text.replace(blank, '') : text).trim() === '';
    if (owner.isVerbatim || !isBlank) owner.children.push(leaf('text', null, text, this.reached, start));
  }

  private top(): Frame {
    return this.open[this.open.length - 1] as Frame;
  }

  private add(node: SyntaxNode): void {
    const parent = this.top();
    if (parent.start < 0) parent.start = node.start;
    parent.end = node.end;
    const shaped = this.shaping.shape(node, parent.kind, this.source);
    if (Array.isArray(shaped)) parent.children.push(...(shaped as readonly SyntaxNode[]));
    else parent.children.push(shaped as SyntaxNode);
  }

  private close(): void {
    const { kind, field, children, start, end } = this.open.pop() as Frame;
    const from = start < 0 ? this.reached : start;
    this.add({ kind, field, text: '', children, start: from, end: start < 0 ? from : end });
  }
}

function newFrame(kind: string, field: string | null, isVerbatim: boolean): Frame {
  return { kind, field, children: [], isVerbatim, start: -1, end: -1 };
}

function leaf(kind: string, field: string | null, text: string, start: number, end: number): SyntaxNode {
  return { kind, field, text, children: NONE, start, end };
}

const NONE: readonly SyntaxNode[] = [];
