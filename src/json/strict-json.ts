export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** Why a text is not strict JSON. `line` and `column` count from 1; `key` is the dotted path of a duplicate key. */
export interface JsonFault {
  readonly fault: 'syntax' | 'duplicate_key' | 'trailing_text' | 'not_finite' | 'too_deep';
  readonly line: number;
  readonly column: number;
  readonly key?: string;
}

export type StrictJson =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly fault: JsonFault };

const MAX_DEPTH = 200;

/**
 * Parses one JSON document and refuses what `JSON.parse` lets pass or cannot locate: duplicate keys, numbers that
 * overflow to infinity, nesting beyond 200, text after the document (RFC 8259 §4 leaves duplicate keys open; design
 * §12 closes it). A leading byte order mark is refused as syntax. Used on the hot path, so it imports nothing.
 */
export function parseStrictJson(text: string): StrictJson {
  const own = parseOwnWriting(text);
  if (own !== undefined) return { ok: true, value: own };
  const reader = new Reader(text);
  try {
    return { ok: true, value: reader.document() };
  } catch (error) {
    if (error instanceof Fault) return { ok: false, fault: locate(text, error) };
    throw error;
  }
}

/**
 * What drift itself wrote, compact or with two spaces: a text that writing its value again reproduces has no duplicate
 * key and nothing else to refuse. Most of what is read is of that kind, and this is several times as fast.
 */
function parseOwnWriting(text: string): JsonValue | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    const spread = text.startsWith('{\n');
    const again = spread ? `${JSON.stringify(value, null, 2)}\n` : JSON.stringify(value);
    return again === text && depthOf(value) <= MAX_DEPTH ? value : undefined;
  } catch {
    return undefined;
  }
}

const depthOf = (value: JsonValue): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

class Fault extends Error {
  readonly fault: JsonFault['fault'];
  readonly at: number;
  readonly key: string | undefined;
  constructor(fault: JsonFault['fault'], at: number, key?: string) {
    super(fault);
    this.fault = fault;
    this.at = at;
    this.key = key;
  }
}

function locate(text: string, { fault, at, key }: Fault): JsonFault {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  const column = at - before.lastIndexOf('\n');
  return key === undefined ? { fault, line, column } : { fault, line, column, key };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: RFC 8259 §7 forbids exactly these.
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORDS = [
  ['true', true],
  ['false', false],
  ['null', null],
] as const;

class Reader {
  readonly text: string;
  at = 0;
  constructor(text: string) {
    this.text = text;
  }

  document(): JsonValue {
    this.space();
    const value = this.value([]);
    this.space();
    if (this.at < this.text.length) throw new Fault('trailing_text', this.at);
    return value;
  }

  private space(): void {
    while (' \t\n\r'.includes(this.text[this.at] ?? 'x')) this.at += 1;
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  private value(path: readonly string[]): JsonValue {
    if (path.length > MAX_DEPTH) throw new Fault('too_deep', this.at);
    const first = this.text[this.at];
    if (first === '{') return this.object(path);
    if (first === '[') return this.array(path);
    if (first === '"') return this.string();
    for (const [word, value] of WORDS)
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length;
        return value;
      }
    return this.number();
  }

  private string(): string {
    const start = this.at;
    const found = this.match(STRING);
    if (found === undefined) throw new Fault('syntax', start);
    return JSON.parse(found) as string;
  }

  private number(): number {
    const start = this.at;
    const found = this.match(NUMBER);
    if (found === undefined) throw new Fault('syntax', start);
    const value = Number(found);
    if (!Number.isFinite(value)) throw new Fault('not_finite', start);
    return value;
  }

  private array(path: readonly string[]): JsonValue[] {
    const items: JsonValue[] = [];
    this.at += 1;
    this.space();
    if (this.take(']')) return items;
    for (;;) {
      this.space();
      items.push(this.value([...path, String(items.length)]));
      this.space();
      if (this.take(']')) return items;
      this.expect(',');
    }
  }

  private object(path: readonly string[]): { [key: string]: JsonValue } {
    const entries = new Map<string, JsonValue>();
    this.at += 1;
    this.space();
    if (this.take('}')) return {};
    for (;;) {
      this.space();
      const start = this.at;
      const key = this.string();
      if (entries.has(key)) throw new Fault('duplicate_key', start, [...path, key].join('.'));
      this.space();
      this.expect(':');
      this.space();
      entries.set(key, this.value([...path, key]));
      this.space();
      if (this.take('}')) return Object.fromEntries(entries);
      this.expect(',');
    }
  }

  private take(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  private expect(character: string): void {
    if (!this.take(character)) throw new Fault('syntax', this.at);
  }
}
