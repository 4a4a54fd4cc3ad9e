import { isRead } from '../forms/comments.ts';
import { abstain, type Judgment } from '../proof/proof.ts';
import { compareTokens, type TokenText } from './compare-tokens.ts';
import { type HtmlPiece, readHtml } from './html-tokens.ts';

/** Elements around which white space is not shown. */
const BLOCKS = new Set(
  `html head body title meta link base script style template div p ul ol li dl dt dd table thead tbody tfoot tr td th caption colgroup
  col section article aside header footer nav main h1 h2 h3 h4 h5 h6 hgroup form fieldset legend figure figcaption blockquote
  address details summary dialog hr br option optgroup noscript iframe pre`.split(/\s+/),
);
const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));

/** Comments that browsers, servers, frameworks and build tools read: anything but words. */
const TOOLS =
  /^<!--(?:\[|>|#|\s*(?:\[if|<!|#|\/?ko\b|\/?wp:|build:|endbuild|\/?\w+:|inject|endinject|prettier-|htmlhint|more\b|nextpage|[@{%$<*!]|\/\w|esi|livewire|include))/i;

/** Proves two HTML texts equal token by token: comments, white space that is not shown, quotes and case of tags go. */
export function proveHtml(before: string, after: string): Judgment {
  const one = readHtml(before);
  const other = readHtml(after);
  if (!one || !other || [before, after].some((text) => /<[%?]|\{%|\{\{[#/^]/.test(text)))
    return abstain('parse_error', 'markup that readers take in different ways, or a template');
  return compareTokens(tokensOf(one), tokensOf(other));
}

function tokensOf(pieces: readonly HtmlPiece[]): TokenText {
  const reading = new Reading();
  for (const piece of pieces) reading.take(piece);
  return reading.end();
}

class Reading {
  private readonly tokens: string[] = [];
  private readonly raw: string[] = [];
  private readonly comments: string[] = [];
  private shown = '';
  private afterBlock = true;

  take(piece: HtmlPiece): void {
    if (piece.is === 'comment') this.comment(piece.text);
    else if (piece.is === 'doctype') this.push(piece.text, true);
    else if (piece.is === 'tag') this.tag(piece);
    else if (piece.text.startsWith('raw ')) this.push(piece.text, true);
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
    );
    this.raw.push(tag.text.replace(/\s+/g, ' '));
  }

  /** Adds the text shown so far and then a token; next to a block white space is not shown. */
  private push(token: string, isBlock: boolean): void {
    let text = this.shown.replace(/[ \t\n\r\f]+/g, ' ');
    if (this.afterBlock) text = text.replace(/^ /, '');
    if (isBlock && text.endsWith(' ')) text = text.slice(0, -1);
    if (text !== '') this.tokens.push(`text ${text}`);
    this.tokens.push(token);
    this.shown = '';
    this.afterBlock = isBlock;
  }
}
