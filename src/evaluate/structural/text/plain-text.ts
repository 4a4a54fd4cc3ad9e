import { abstain, type Judgment, prove } from '../proof/proof.ts';

/** Names of files that only people read. */
const PROSE =
  /(?:^|\/)(?:README|LICEN[CS]E|CHANGELOG|CHANGES|NEWS|AUTHORS|CONTRIBUTORS|NOTICE|COPYING|TODO|HISTORY)$|\.(?:txt|text|rst|adoc|asciidoc|org)$/i;

/** Texts that programs read. */
const DATA =
  /requirements|constraints|robots\.txt|CMakeLists|(?:^|\/)(?:tests?|specs?|data|samples?|resources?|assets)\/.*\.(?:txt|text)$|(?:expected|output|input|sample|golden|words?|list|dictionary|data)[\w.-]*\.(?:txt|text)$/i;

/** Whether a text of no known format is prose, for which line ends and blanks at the ends of lines mean nothing. */
export function isProse(path: string): boolean {
  return PROSE.test(path) && !DATA.test(path);
}

/** Proves prose equal apart from line ends and white space at the ends of lines and of the file. */
export function provePlainText(before: string, after: string): Judgment {
  return trimmed(before) === trimmed(after) ? prove('L0', 'whitespace') : abstain('value_differs');
}

function trimmed(text: string): string {
  const lines = text.split('\n').map((line) => line.trimEnd());
  return lines.join('\n').trimEnd();
}
