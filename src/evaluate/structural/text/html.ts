import { isRead } from '../forms/comments.ts';
import { abstain, type Judgment } from '../proof/proof.ts';
import { compareTokens, type TokenText } from './compare-tokens.ts';
import { proveCss } from './css.ts';
import { type HtmlPiece, type RawText, readHtml } from './html-tokens.ts';

/** Elements around which white space is not shown. */
const BLOCKS = new Set(
  `html head body title meta link base script style template div p ul ol li dl dt dd table thead tbody tfoot tr td th caption colgroup
  col section article aside header footer nav main h1 h2 h3 h4 h5 h6 hgroup form fieldset legend figure figcaption blockquote
  address details summary dialog hr br option optgroup noscript iframe pre`.split(/\s+/),
);
const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));

/** Blocks that often stand in a line: white space between two of them shows where a style says so. */
const BOXES = new Set('li div figure section article details button'.split(' '));

/** Comments that browsers, servers, frameworks and build tools read: anything but words. */
const TOOLS =
  /^<!--(?:\[|>|#|\s*(?:\[if|<!|#|\/?ko\b|\/?wp:|build:|endbuild|\/?\w+:|inject|endinject|prettier-|htmlhint|more\b|nextpage|[@{%$<*!]|\/\w|esi|livewire|include))/i;

/** Whether two scripts do the same; asked only about scripts of JavaScript that are written differently. */
export type ScriptProof = (before: string, after: string) => Promise<boolean>;

/**
 * Proves two HTML texts equal token by token: comments, white space that is not shown, quotes and case of tags go. Styles
 * and scripts are proven in their own languages.
 */
export async function proveHtml(before: string, after: string, isSameScript: ScriptProof): Promise<Judgment> {
  const one = readHtml(before);
  const other = readHtml(after);
  if (!one || !other || [before, after].some((text) => /<[%?]|\{%|\{\{[#/^]/.test(text)))
    return abstain('parse_error', 'markup that readers take in different ways, or a template');
  const judgment = compareTokens(tokensOf(one), tokensOf(other));
  if (!judgment.proven) return judgment;
  const left = rawTexts(one);
  const right = rawTexts(other);
  for (const [index, raw] of left.entries())
    if (!(await isSameRaw(raw, right[index] as RawText, isSameScript)))
      return abstain('value_differs', `a ${raw.tag}`);
  const isSame = left.every((raw, index) => raw.text === right[index]?.text);
  if (isSame || judgment.classes.includes('format')) return judgment;
  return { ...judgment, level: 'L1', classes: [...judgment.classes, 'format'] };
}

function rawTexts(pieces: readonly HtmlPiece[]): readonly RawText[] {
  return pieces.filter((piece) => piece.is === 'raw');
}

async function isSameRaw(one: RawText, other: RawText, isSameScript: ScriptProof): Promise<boolean> {
  if (one.text === other.text) return true;
  if (one.tag === 'title') return collapse(one.text) === collapse(other.text);
  if (one.tag === 'style') return proveCss(one.text, other.text).proven;
  return (
    one.tag === 'script' &&
    !one.attributes.some((text) => FOREIGN_SCRIPT.test(text)) &&
    isSameScript(one.text, other.text)
  );
}

const FOREIGN_SCRIPT = /^type=(?!(?:module|text\/javascript|application\/javascript)?$)/i;

const collapse = (text: string): string => text.replace(/[ \t\n\r\f]+/g, ' ').trim();

function tokensOf(pieces: readonly HtmlPiece[]): TokenText {
  const reading = new Reading();
  for (const piece of pieces) reading.take(piece);
  return reading.end();
}

/** Runs of white space are one blank, but for what stands in an expression of a template. */
function collapseShown(text: string): string {
  return text
    .split(/(\{\{[\s\S]*?\}\})/)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(/[ \t\n\r\f]+/g, ' ')))
    .join('');
}

class Reading {
  private readonly tokens: string[] = [];
  private readonly raw: string[] = [];
  private readonly comments: string[] = [];
  private shown = '';
  private afterBlock = true;
  private afterBox = false;

  take(piece: HtmlPiece): void {
    if (piece.is === 'comment') this.comment(piece.text);
    else if (piece.is === 'doctype') this.push(piece.text, true);
    else if (piece.is === 'tag') this.tag(piece);
    else if (piece.is === 'raw') this.push('raw', true);
    else this.shown += piece.text;
  }

  end(): TokenText {
    this.push('end', true);
    return { tokens: this.tokens, raw: this.raw, comments: this.comments };
  }

  private comment(text: string): void {
    if (TOOLS.test(text) || isRead(text)) this.push(text, false);
    else this.comments.push(text.replace(/\s+/g, ' '));
  }

  private tag(tag: Extract<HtmlPiece, { is: 'tag' }>): void {
    // On other elements than void ones the slash means nothing in HTML, but something in foreign content.
    const end = tag.selfClosing && !VOID.has(tag.name) ? '/' : '';
    this.push(
      `<${tag.closes ? '/' : ''}${tag.name} ${tag.attributes.join(' ')}${end}>`,
      BLOCKS.has(tag.name),
      BOXES.has(tag.name) && !tag.closes,
    );
    this.afterBox = BOXES.has(tag.name) && tag.closes;
    this.raw.push(tag.text.replace(/\s+/g, ' '));
  }

  /** Adds the text shown so far and then a token; next to a block white space is not shown. */
  private push(token: string, isBlock: boolean, opensBox = false): void {
    let text = collapseShown(this.shown);
    if (this.afterBox && opensBox && text === ' ') this.tokens.push('gap');
    if (this.afterBlock) text = text.replace(/^ /, '');
    if (isBlock && text.endsWith(' ')) text = text.slice(0, -1);
    if (text !== '') this.tokens.push(`text ${text}`);
    this.tokens.push(token);
    this.shown = '';
    this.afterBlock = isBlock;
    this.afterBox = false;
  }
}
