/** A small change of a source that changes what it means. */
export interface Mutant {
  readonly title: string;
  readonly text: string;
}

/** Numbers between 0 and 1 that are the same in every run (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

type Change = (match: RegExpExecArray) => string;

const to =
  (text: string): Change =>
  () =>
    text;

/** What may be replaced by what, wherever it stands outside comments. */
const REPLACEMENTS: readonly (readonly [RegExp, Change])[] = [
  [/ < /g, to(' <= ')],
  [/ <= /g, to(' < ')],
  [/ > /g, to(' >= ')],
  [/ >= /g, to(' > ')],
  [/ === /g, to(' !== ')],
  [/ !== /g, to(' === ')],
  [/ == /g, to(' != ')],
  [/ != /g, to(' == ')],
  [/ \+ /g, to(' - ')],
  [/ - /g, to(' + ')],
  [/ \* /g, to(' / ')],
  [/ % /g, to(' * ')],
  [/ && /g, to(' || ')],
  [/ \|\| /g, to(' && ')],
  [/ \?\? /g, to(' || ')],
  [/ and /g, to(' or ')],
  [/ or /g, to(' and ')],
  [/ \+= /g, to(' -= ')],
  [/\+\+/g, to('--')],
  [/\bnot in\b/g, to('in')],
  [/\bnot /g, to('')],
  [/!(?=[a-zA-Z(])/g, to('')],
  [/\btrue\b/g, to('false')],
  [/\bfalse\b/g, to('true')],
  [/\bTrue\b/g, to('False')],
  [/\bnull\b/g, to('undefined')],
  [/(?<![\w."'%-])\d+(?![\w."'])/g, ([number]) => String(Number(number) + 1)],
  [/"(?:[^"\\\n]|\\.)+"/g, ([text]) => `${text.slice(0, -1)}!"`],
  [/'(?:[^'\\\n]|\\.){2,}'/g, ([text]) => `${text.slice(0, -1)}!'`],
  [/\breturn [^;\n]+/g, to('return')],
  [/\bbreak\b/g, to('continue')],
  [/\bcontinue\b/g, to('break')],
  [/\((\w+), (\w+)/g, ([, one, other]) => `(${other}, ${one}`],
  [/\bawait /g, to('')],
  [/\?\./g, to('.')],
  [/\bconst\b(?= \w+ =)/g, to('let')],
  [/\bmin\(/g, to('max(')],
  [/\[(\w+)\]/g, ([, index]) => `[${index} + 1]`],
];

/** Mutants of a source in an order that is the same in every run, at most `max`. `comment` tells lines with comments. */
export function mutantsOf(source: string, comment: RegExp, max: number): readonly Mutant[] {
  const lines = source.split('\n');
  const isCode = lines.map((line) => !comment.test(line));
  const all = lines.flatMap((line, index) =>
    isCode[index]
      ? [...replaced(line), ...deleted(line), ...renamed(line, source)].map((change) =>
          at(lines, index, change),
        )
      : [],
  );
  const swaps = lines.flatMap((line, index) => {
    const next = lines[index + 1] ?? '';
    return isCode[index] &&
      isCode[index + 1] &&
      isStatement(line) &&
      isStatement(next) &&
      indentOf(line) === indentOf(next) &&
      line !== next
      ? [
          {
            title: `${index + 1}: lines swapped`,
            text: [...lines.slice(0, index), next, line, ...lines.slice(index + 2)].join('\n'),
          },
        ]
      : [];
  });
  return sample(
    [...all, ...swaps].filter(({ text }) => text !== source),
    max,
  );
}

interface LineChange {
  readonly what: string;
  readonly line: string | null;
}

function at(lines: readonly string[], index: number, { what, line }: LineChange): Mutant {
  const changed = line === null ? lines.toSpliced(index, 1) : lines.with(index, line);
  return { title: `${index + 1}: ${what}: ${(lines[index] ?? '').trim()}`, text: changed.join('\n') };
}

function replaced(line: string): LineChange[] {
  return REPLACEMENTS.flatMap(([pattern, change]) =>
    [...line.matchAll(pattern)].map((match) => ({
      what: `${match[0].trim()} replaced`,
      line: line.slice(0, match.index) + change(match) + line.slice(match.index + match[0].length),
    })),
  );
}

const indentOf = (line: string): string => /^\s*/.exec(line)?.[0] ?? '';

/** A statement of its own within a body, in any of the languages. */
function isStatement(line: string): boolean {
  return (
    /^\s+\S/.test(line) &&
    !/^\s*(?:import|from|use|using|pub|fn|def|func|private|public|readonly|export|type|case|default|\w+\??:|[})\]|@'"`.?])/.test(
      line,
    ) &&
    /[\w)"'\]]\s*;?$/.test(line)
  );
}

function deleted(line: string): LineChange[] {
  return isStatement(line) ? [{ what: 'deleted', line: null }] : [];
}

/** One use of a name becomes another name that the source knows as well. */
function renamed(line: string, source: string): LineChange[] {
  const words = [...new Set(source.match(/\b[a-z_]{3,}\b/g) ?? [])].filter(
    (word) => source.split(new RegExp(`\\b${word}\\b`)).length > 3,
  );
  return [...line.matchAll(/(?<![\w"'.#@<-])[a-z_]{3,}(?![\w"'])/g)]
    .filter(([word]) => words.includes(word) && !KEYWORDS.has(word))
    .flatMap((match, index) => {
      const other = words[(words.indexOf(match[0]) + 7 + index) % words.length] ?? match[0];
      if (other === match[0] || KEYWORDS.has(other)) return [];
      return [
        {
          what: `${match[0]} becomes ${other}`,
          line: line.slice(0, match.index) + other + line.slice(match.index + match[0].length),
        },
      ];
    });
}

const KEYWORDS = new Set(
  'and array async await bool break case catch class const continue def default del double elif else end except extends false final finally float fmt fn for foreach from func function global if impl implements import in int interface is lambda let long loop map match mod mut namespace new not null package pass private protected pub public raise range readonly ref rescue return self sizeof static str string struct switch this throw true try type typeof unless use usize using var void while with yield'.split(
    ' ',
  ),
);

function sample<T>(items: readonly T[], max: number): readonly T[] {
  const random = seeded(1);
  return items
    .map((item) => ({ item, place: random() }))
    .sort((one, other) => one.place - other.place)
    .slice(0, max)
    .map(({ item }) => item);
}
