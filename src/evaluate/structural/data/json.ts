import { abstain, type Judgment, prove } from '../proof/proof.ts';
import { compareData, type DataValue } from './compare-data.ts';

/** Proves two JSON documents equal as data: layout, and the order of keys where order says nothing. */
export function proveJson(before: string, after: string): Judgment {
  return proveDocuments(readJson(before), readJson(after));
}

/** The same for JSON whose readers allow comments and a comma at the end. */
export function proveJsonWithComments(before: string, after: string): Judgment {
  const one = bare(before);
  const other = bare(after);
  const judgment = proveDocuments(readJson(one.text), readJson(other.text));
  if (!judgment.proven || one.comments === other.comments) return judgment;
  return { ...judgment, classes: [...judgment.classes, 'comment'] };
}

function proveDocuments(one: DataValue | string, other: DataValue | string): Judgment {
  if (typeof one === 'string') return abstain('parse_error', one);
  if (typeof other === 'string') return abstain('parse_error', other);
  const difference = compareData(one, other);
  if (difference.equal) return difference.reordered ? prove('L2', 'key_order') : prove('L1', 'format');
  return abstain(difference.reason, difference.path);
}

/** The text without comments and commas at the end. */
function bare(text: string): { readonly text: string; readonly comments: string } {
  const comments: string[] = [];
  const plain = text.replace(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g, (part) => {
    if (part.startsWith('"') || (part.startsWith('/*') && !/^\/\*[\s\S]*\*\/$/.test(part))) return part;
    comments.push(part.replace(/\s+/g, ' '));
    return ' ';
  });
  return {
    text: plain.replace(/("(?:[^"\\\n]|\\.)*")|,(\s*[}\]])/g, (_, string, end) => string ?? end),
    comments: comments.join('\n'),
  };
}

const TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: RFC 8259 §7 forbids exactly these.
  /[\t\n\r ]*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y;
const MAX_DEPTH = 400;

/** The document with numbers as written, or what is wrong with it. Duplicate keys are refused. */
export function readJson(text: string): DataValue | string {
  try {
    return new JsonReader(text).document();
  } catch (error) {
    if (error instanceof JsonFault) return error.message;
    throw error;
  }
}

class JsonFault extends Error {}

class JsonReader {
  private at = 0;
  private token = '';
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
    this.next();
  }

  document(): DataValue {
    const value = this.value(0);
    if (this.token !== '') throw new JsonFault('text after the document');
    return value;
  }

  private next(): string {
    const token = this.token;
    TOKEN.lastIndex = this.at;
    const found = TOKEN.exec(this.text);
    if (found) {
      this.at = TOKEN.lastIndex;
      this.token = found[1] ?? found[2] ?? found[3] ?? '';
    } else if (
      /^[\t\n\r ]*$/.test(this.text.slice(this.at, this.at + 65536)) &&
      this.text.slice(this.at).trim() === ''
    ) {
      this.token = '';
      this.at = this.text.length;
    } else throw new JsonFault(`not JSON at offset ${this.at}`);
    return token;
  }

  private value(depth: number): DataValue {
    if (depth > MAX_DEPTH) throw new JsonFault('nested too deep');
    const token = this.next();
    if (token === '{') return this.object(depth);
    if (token === '[') return this.array(depth);
    if (token.startsWith('"')) return { type: 'scalar', text: `string ${JSON.parse(token)}` };
    if (token === '' || /^[}\],:]$/.test(token)) throw new JsonFault(`unexpected ${token || 'end'}`);
    return { type: 'scalar', text: token };
  }

  private array(depth: number): DataValue {
    const items: DataValue[] = [];
    if (this.token === ']') this.next();
    else
      do items.push(this.value(depth + 1));
      while (this.goesOn(']'));
    return { type: 'list', items };
  }

  private object(depth: number): DataValue {
    const entries = new Map<string, DataValue>();
    if (this.token === '}') this.next();
    else
      do {
        const key = this.next();
        if (!key.startsWith('"') || this.next() !== ':') throw new JsonFault('a key is missing');
        const name = JSON.parse(key) as string;
        if (entries.has(name)) throw new JsonFault(`duplicate key ${name}`);
        entries.set(name, this.value(depth + 1));
      } while (this.goesOn('}'));
    return { type: 'map', entries };
  }

  private goesOn(end: string): boolean {
    const token = this.next();
    if (token === ',') return true;
    if (token === end) return false;
    throw new JsonFault(`expected , or ${end}`);
  }
}
