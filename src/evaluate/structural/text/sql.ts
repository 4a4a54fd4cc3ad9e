import { isRead } from '../forms/comments.ts';
import { abstain, type Judgment } from '../proof/proof.ts';
import { compareTokens, type TokenText } from './compare-tokens.ts';

/** Words whose case no database reads. Names of tables and columns are not among them. */
const KEYWORDS = new Set(
  `select from where and or not in is null as on join inner left right full outer cross natural using order by group having
  limit offset fetch first next rows only union all intersect except distinct insert into values update set delete create
  table view index unique primary key foreign references default check constraint alter add drop column rename to case
  when then else end exists between like ilike similar asc desc nulls last with recursive returning begin commit rollback
  transaction if cascade restrict true false unknown any some over partition window grant revoke explain analyze truncate
  int integer bigint smallint serial bigserial varchar char character text boolean bool real double precision numeric
  decimal float timestamp timestamptz date time interval json jsonb uuid bytea blob count sum min max avg coalesce cast
  conflict do nothing temporary temp materialized function trigger before after each row execute procedure returns language`.split(
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
  const reading: Reading = { tokens: [], raw: [], comments: [], gap: '' };
  for (const found of text.matchAll(TOKEN)) if (!take(found, reading)) return null;
  return reading;
}

interface Reading {
  readonly tokens: string[];
  readonly raw: string[];
  readonly comments: string[];
  gap: string;
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
    reading.tokens.push(...canonical(found, reading.tokens.at(-1) ?? '', reading.gap));
    reading.raw.push(token);
    reading.gap = '';
  }
  return true;
}

/** A token in canonical spelling. Two texts on different lines are one text (SQL-92, 5.3). */
function canonical(found: RegExpExecArray, before: string, gap: string): string[] {
  const [token, , , , string] = found;
  const word = found[8]?.toLowerCase();
  if (string !== undefined && before.endsWith("'") && gap.includes('\n')) return ['joined', token];
  return [word !== undefined && KEYWORDS.has(word) ? word : token];
}

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
