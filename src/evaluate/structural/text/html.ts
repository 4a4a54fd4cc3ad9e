import { isRead } from '../forms/comments.ts';
import { abstain, type Judgment } from '../proof/proof.ts';
import { compareTokens, type TokenText } from './compare-tokens.ts';

/** Elements around which white space is not shown. */
const BLOCKS = new Set(
  `html head body title meta link base script style template div p ul ol li dl dt dd table thead tbody tfoot tr td th caption colgroup
  col section article aside header footer nav main h1 h2 h3 h4 h5 h6 hgroup form fieldset legend figure figcaption blockquote
  address details summary dialog hr br option optgroup noscript iframe pre`.split(/\s+/),
);
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
const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));

/** Comments that browsers, servers, frameworks and build tools read: anything but words. */
const TOOLS =
  /^<!--(?:\[|>|#|\s*(?:\[if|<!|#|\/?ko\b|\/?wp:|build:|endbuild|\/?\w+:|inject|endinject|prettier-|htmlhint|more\b|nextpage|[@{%$<*!]|\/\w|esi|livewire|include))/i;

const TOKEN =
  /<!--[\s\S]*?-->|<!doctype[^>]*>|<(\/?)([a-zA-Z][^\s/>]*)((?:\s+|\/(?!>)|[^\s"'>/=][^\s/>=]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?)*)\s*(\/?)>|[^<]+|</gi;
const ATTRIBUTE = /([^\s"'>/=][^\s/>=]*)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'=<>`]+))?/g;

/** Proves two HTML texts equal token by token: comments, white space that is not shown, quotes and case of tags go. */
export function proveHtml(before: string, after: string): Judgment {
  const one = tokensOf(before);
  const other = tokensOf(after);
  if (typeof one === 'string' || typeof other === 'string')
    return abstain('parse_error', typeof one === 'string' ? one : String(other));
  return compareTokens(one, other);
}

interface Reading {
  readonly tokens: string[];
  readonly raw: string[];
  readonly comments: string[];
}

function tokensOf(text: string): TokenText | string {
  // Templates may stand anywhere; inside a tag nobody knows what they become.
  if (/<[^>]*(?:<[%?]|\{%|\{\{[#/^])|<[?%]/.test(text)) return 'a template inside a tag';
  const reading: Reading = { tokens: [], raw: [], comments: [] };
  const token = new RegExp(TOKEN.source, 'giy');
  let shown = '';
  for (let found = token.exec(text); found; found = token.exec(text)) {
    const [whole, slash = '', name, attributes = '', closed = ''] = found;
    if (whole === '<') return 'a tag that is not closed';
    if (name === undefined) {
      if (whole.startsWith('<!--')) comment(whole, reading);
      else if (whole.startsWith('<!')) shown = push(reading, shown, whole.toLowerCase(), true);
      else shown += whole;
      continue;
    }
    const tag = name.toLowerCase();
    shown = push(reading, shown, tagText(slash, tag, attributes, closed), BLOCKS.has(tag));
    reading.raw.push(whole.replace(/\s+/g, ' '));
    if (slash === '' && closed === '' && RAW.has(tag)) {
      const end = text.slice(token.lastIndex).search(new RegExp(`</${tag}[\\s/>]`, 'i'));
      if (end < 0) return `a ${tag} that is not closed`;
      reading.tokens.push(`raw ${text.slice(token.lastIndex, token.lastIndex + end)}`);
      token.lastIndex += end;
    }
  }
  push(reading, shown, 'end', true);
  return reading;
}

function comment(whole: string, reading: Reading): void {
  if (TOOLS.test(whole) || isRead(whole)) reading.tokens.push(whole);
  else reading.comments.push(whole.replace(/\s+/g, ' '));
}

/** Adds the text shown so far and then a token; next to a block white space is not shown. */
function push(reading: Reading, shown: string, token: string, isBlock: boolean): string {
  const previous = reading.tokens.findLast((one) => !one.startsWith('<!--')) ?? 'block';
  let text = shown.replace(/[ \t\n\r\f]+/g, ' ');
  if (previous.startsWith('block') || previous.startsWith('raw ')) text = text.replace(/^ /, '');
  if (isBlock) text = text.replace(/ $/, '');
  if (text !== '') reading.tokens.push(`text ${text}`);
  reading.tokens.push(`${isBlock ? 'block' : 'inline'} ${token}`);
  return '';
}

function tagText(slash: string, tag: string, attributes: string, closed: string): string {
  const list = [...attributes.matchAll(ATTRIBUTE)].map(([, name = '', value]) => {
    const bare = value === undefined ? '' : /^["']/.test(value) ? value.slice(1, -1) : value;
    return `${name.toLowerCase()}=${bare}`;
  });
  // On other elements than void ones the slash means nothing in HTML, but something in foreign content.
  const end = closed !== '' && !VOID.has(tag) ? '/' : '';
  return `<${slash}${tag} ${list.join(' ')}${end}>`;
}
