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
const UNCERTAIN = /\\'|^\s*\\|^\s*delimiter\b|\bfrom\s+stdin\b|^\s*go\s*$|#/im;

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
  const tokens: string[] = [];
  const raw: string[] = [];
  const comments: string[] = [];
  let gap = '';
  for (const found of text.matchAll(TOKEN)) {
    const [token, space, line, block] = found;
    const comment = line ?? block;
    if (isUncertain(found[12], comment)) return null;
    if (comment !== undefined) {
      gap += line === undefined ? ' ' : '\n';
      (isToolComment(comment) ? tokens : comments).push(comment.trim());
    } else if (space !== undefined) gap += space;
    else {
      tokens.push(...canonical(found, tokens.at(-1) ?? '', gap));
      raw.push(token);
      gap = '';
    }
  }
  return { tokens, raw, comments };
}

/** A token in canonical spelling. Two texts on different lines are one text (SQL-92, 5.3). */
function canonical(found: RegExpExecArray, before: string, gap: string): string[] {
  const [token, , , , string] = found;
  const word = found[8]?.toLowerCase();
  if (string !== undefined && before.endsWith("'") && gap.includes('\n')) return ['joined', token];
  return [word !== undefined && KEYWORDS.has(word) ? word : token];
}

const isToolComment = (comment: string): boolean => TOOLS.test(comment) || isRead(comment);

/** A character that no token begins with; `--x`, which is arithmetic to some; comments that nest for some. */
function isUncertain(stray: string | undefined, comment: string | undefined): boolean {
  if (stray !== undefined) return true;
  if (comment === undefined) return false;
  return comment.startsWith('--') ? /^--[\d(.'"]/.test(comment) : comment.slice(2).includes('/*');
}
