/** Text of an element that is taken as it is; `tag` names the element. */
export interface RawText {
  readonly tag: string;
  readonly attributes: readonly string[];
  readonly text: string;
}

/** One piece of an HTML text (HTML standard, 13.2.5, without scripts, templates and foreign content). */
export type HtmlPiece =
  | { readonly is: 'comment' | 'text' | 'doctype'; readonly text: string }
  | ({ readonly is: 'raw' } & RawText)
  | {
      readonly is: 'tag';
      readonly closes: boolean;
      readonly name: string;
      readonly attributes: readonly string[];
      readonly selfClosing: boolean;
      readonly text: string;
    };

/** Elements whose text is taken as it is. */
const RAW = new Set([
  'script',
  'style',
  'pre',
  'textarea',
  'title',
  'xmp',
  'plaintext',
  'listing',
  'noscript',
]);

/** Reads a text in one pass; null where readers of HTML may disagree. */
export function readHtml(text: string): readonly HtmlPiece[] | null {
  const pieces: HtmlPiece[] = [];
  for (let at = 0; at < text.length; ) {
    const found = text[at] === '<' ? readMarkup(text, at) : readText(text, at);
    if (found === null) return null;
    pieces.push(found.piece);
    at = found.end;
    const { piece } = found;
    if (piece.is !== 'tag' || piece.closes || piece.selfClosing || !RAW.has(piece.name.toLowerCase()))
      continue;
    const raw = rawEnd(text, at, piece.name);
    if (raw === null) return null;
    pieces.push({ is: 'raw', tag: piece.name, attributes: piece.attributes, text: text.slice(at, raw) });
    at = raw;
  }
  return pieces;
}

interface Found {
  readonly piece: HtmlPiece;
  readonly end: number;
}

function readText(text: string, at: number): Found {
  const next = text.indexOf('<', at);
  const end = next < 0 ? text.length : next;
  return { piece: { is: 'text', text: text.slice(at, end) }, end };
}

function readMarkup(text: string, at: number): Found | null {
  if (text.startsWith('<!--', at)) {
    const end = text.indexOf('-->', at + 4);
    return end < 0 ? null : { piece: { is: 'comment', text: text.slice(at, end + 3) }, end: end + 3 };
  }
  if (/^<!doctype/i.test(text.slice(at, at + 9))) {
    const end = text.indexOf('>', at);
    return end < 0
      ? null
      : { piece: { is: 'doctype', text: text.slice(at, end + 1).toLowerCase() }, end: end + 1 };
  }
  return readTag(text, at);
}

const SPACE = /[ \t\n\r\f]/;

/** Names in capitals are those of the small letters; templates tell mixed ones apart. */
const plainName = (name: string): string => (/^[A-Z\d-]+$/.test(name) ? name.toLowerCase() : name);

/** Where the run of characters of a kind that begins at `at` ends. */
function skip(text: string, at: number, kind: RegExp): number {
  let end = at;
  while (end < text.length && kind.test(text[end] as string)) end += 1;
  return end;
}

function readTag(text: string, at: number): Found | null {
  const closes = text[at + 1] === '/';
  const start = at + (closes ? 2 : 1);
  if (!/[a-zA-Z]/.test(text[start] ?? '')) return null;
  let end = skip(text, start, /[^ \t\n\r\f/>]/);
  const name = plainName(text.slice(start, end));
  const attributes: string[] = [];
  for (;;) {
    end = skip(text, end, SPACE);
    const selfClosing = text.startsWith('/>', end);
    if (text[end] === '>' || selfClosing) {
      end += selfClosing ? 2 : 1;
      return { piece: { is: 'tag', closes, name, attributes, selfClosing, text: text.slice(at, end) }, end };
    }
    const attribute = readAttribute(text, end);
    if (attribute === null) return null;
    if (attribute.text !== '') attributes.push(attribute.text);
    end = attribute.end;
  }
}

/** `name=value` without quotes; what a template may turn into something else is refused. */
function readAttribute(text: string, at: number): { readonly text: string; readonly end: number } | null {
  const end = skip(text, at, /[^ \t\n\r\f/>="'<]/);
  if (end === at) return text[at] === '/' ? { text: '', end: at + 1 } : null;
  const name = plainName(text.slice(at, end));
  if (/[{}%]/.test(name)) return null;
  const equals = skip(text, end, SPACE);
  if (text[equals] !== '=') return { text: `${name}=`, end };
  const from = skip(text, equals + 1, SPACE);
  const quote = text[from];
  if (quote === '"' || quote === "'") {
    const close = text.indexOf(quote, from + 1);
    return close < 0 ? null : { text: `${name}=${text.slice(from + 1, close)}`, end: close + 1 };
  }
  const to = skip(text, from, /[^ \t\n\r\f>"'=<`]/);
  return to === from ? null : { text: `${name}=${text.slice(from, to)}`, end: to };
}

function rawEnd(text: string, at: number, name: string): number | null {
  const close = new RegExp(`</${name}[ \\t\\n\\r\\f/>]`, 'gi');
  close.lastIndex = at;
  return close.exec(text)?.index ?? null;
}
