import { isRead } from '../forms/comments.ts';
import { abstain, type Judgment } from '../proof/proof.ts';
import { compareTokens, type TokenText } from './compare-tokens.ts';

/** Words whose case no database reads, since nothing else can be called so. */
const RESERVED = new Set(
  `select from where and or not in is null as on join inner left right full outer cross natural using order by group having
  limit union all intersect except distinct insert into values update set delete create table unique primary foreign
  references default check constraint alter drop case when then else end exists between like ilike similar asc desc with
  grant revoke`.split(/\s+/),
);

/** Words that columns are called, too; a result may hand such a name on as it is written. */
const LOOSE = new Set(
  `offset fetch first next rows only view index key add column rename to nulls last recursive returning begin commit rollback
  transaction if cascade restrict true false unknown any some over partition window explain analyze truncate int integer
  bigint smallint serial bigserial varchar char character text boolean bool real double precision numeric decimal float
  timestamp timestamptz date time interval json jsonb uuid bytea blob count sum min max avg coalesce cast conflict do
  nothing temporary temp materialized function trigger before after each row execute procedure returns language`.split(
    /\s+/,
  ),
);

/** Comments that migration tools, query generators, linters and databases read. */
const TOOLS =
  /^\/\*[+!]|^--[+!]|^--\s*(?:\+|@|!|:|migrate:|name:|liquibase|changeset|rollback|precondition|sqlfluff|noqa|atlas:|dbmate|flyway|sqlc|sqlx?[: ]|disable|transaction:|up\b|down\b)/i;

const TOKEN =
  /(\s+)|(--[^\n]*)|(\/\*[\s\S]*?\*\/)|((?:[eEnNbBxX]|[uU]&)?'(?:[^']|'')*')|("(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]\n]*\])|(\$(\w*)\$[\s\S]*?\$\7\$)|([A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)|(\d[\w.]*|\.\d[\w.]*)|([()\],;{}])|([-+*/<>=~!@%^&|?:.[]+)|([\s\S])/gy;

/** What no lexer reads the same for every database. */
const UNCERTAIN = /\\'|^[ \t]*\\|^[ \t]*delimiter\b|\bfrom[ \t]+stdin\b|^[ \t]*go[ \t]*$|#/im;

/** Proves two SQL texts equal token by token: white space, comments and the case of keywords go. */
export function proveSql(before: string, after: string): Judgment {
  if (UNCERTAIN.test(before) || UNCERTAIN.test(after))
    return abstain('parse_error', 'a construct that databases read in different ways');
  const one = tokensOf(before);
  const other = tokensOf(after);
  if (!one || !other) return abstain('parse_error', 'a construct that databases read in different ways');
  return compareTokens(one, other);
}

function tokensOf(text: string): TokenText | null {
  const reading: Reading = { tokens: [], raw: [], comments: [], gap: '', head: '' };
  for (const found of text.matchAll(TOKEN)) if (!take(found, reading)) return null;
  return reading;
}

interface Reading {
  readonly tokens: string[];
  readonly raw: string[];
  readonly comments: string[];
  gap: string;
  /** The first word of the statement. */
  head: string;
}

/** Takes one token; false when databases read it in different ways. */
function take(found: RegExpExecArray, reading: Reading): boolean {
  const [token, space, line, block] = found;
  const comment = line ?? block;
  if (isUncertain(found)) return false;
  if (comment !== undefined) {
    reading.gap += line === undefined ? ' ' : '\n';
    (isToolComment(comment) ? reading.tokens : reading.comments).push(comment.trim());
  } else if (space !== undefined) reading.gap += space;
  else {
    if (reading.head === '') reading.head = token.toLowerCase();
    reading.tokens.push(...canonical(found, reading));
    reading.raw.push(token);
    reading.gap = '';
    if (token === ';') reading.head = '';
  }
  return true;
}

/** A token in canonical spelling. Two texts on different lines are one text (SQL-92, 5.3). */
function canonical(found: RegExpExecArray, { tokens, gap, head }: Reading): string[] {
  const [token, , , , string] = found;
  if (string !== undefined && tokens.at(-1)?.endsWith("'") && gap.includes('\n')) return ['joined', token];
  const word = found[8]?.toLowerCase() ?? '';
  const isKeyword =
    RESERVED.has(word) ||
    (LOOSE.has(word) &&
      (DECLARES.has(head) ||
        /^\s*\(/.test(found.input.slice(found.index + token.length, found.index + token.length + 80))));
  return [isKeyword ? word : token];
}

/** Statements that name types. */
const DECLARES = new Set(['create', 'alter', 'begin', 'commit', 'rollback', 'truncate', 'explain', 'drop']);

const isToolComment = (comment: string): boolean => TOOLS.test(comment) || isRead(comment);

/** A character that no token begins with; a comment that does not end; `--x`, which is arithmetic to some; nesting. */
function isUncertain(found: RegExpExecArray): boolean {
  const [token, , line, block] = found;
  if (found[12] !== undefined) return true;
  if (line !== undefined) return /^--[\d(.'"]/.test(line);
  return block === undefined
    ? found[11]?.includes('/*') === true || token === '$'
    : block.slice(2).includes('/*');
}
