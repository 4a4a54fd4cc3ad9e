import type { Basis } from '../../../contract/basis.ts';
import type { ChangeClass, Proof } from './proof.ts';

/** Words of a goal that ask for any kind of tidying. */
const TIDYING =
  /\brefactor\w*|\bclean(?:s|ed|ing)?[ -]?up\b|\bcleanup\b|\btidy\w*|\breadab(?:le|ility)\b|\bmaintainab\w*|\bmoderni[sz]\w*|\bhousekeeping\b|\bpolish(?:ed|ing)?\b|\bcosmetic\w*|\bcode (?:quality|hygiene|style)\b|\brestructur\w*/i;

/** Words of a goal that ask for one class of change. */
const ASKED: Readonly<Record<ChangeClass, RegExp>> = {
  whitespace:
    /\bwhite ?space\b|\bline[- ]?end\w*|\bCRLF\b|\bLF\b|\bBOM\b|\bindent\w*|\btrailing\b|\bblank lines?\b|\btabs\b|\bformatt(?:ed|er|ing)\b|\bgofmt\b|\bprettier\b|\brustfmt\b|\blint\w*/i,
  format:
    /\bformatt(?:ed|er|ing)\b|\b(?:re)?format (?:the|all|every|each|code|source|files?|modules?)\b|\bauto-?format\w*|\blint(?:s|er|ing|ed)?\b|\bstyle ?guide\b|\b(?:consistent|code|coding) style\b|\bPEP ?8\b|\bprettier\b|\bgofmt\b|\brustfmt\b|\bblack\b(?= |$)(?=.*\bformat)|\bruff\b|\bbiome\b|\bindent\w*|\bwhite ?space\b|\bline (?:length|width)s?\b|\b(?:single|double) quotes?\b|\bquote style\b|\bsemicolons?\b|\btrailing commas?\b|\bpretty-?print\w*|\bminif\w*|\bone per line\b|\bspelled\b|\bnotation\b/i,
  comment:
    /\bcomment(?:s|ed|ing|ary)?\b|\bdocs?\b|\bdocstrings?\b|\bdocumented\b|\bdocumentation\b|\bdocumenting\b|\bdocument (?:the|how|each|every|what|why|all|its|that)\b|\btypos?\b|\bspelling\b|\bmisspell\w*|\bwording\b|\bgrammar\b|\bjavadoc\b|\bjsdoc\b|\brustdoc\b|\bgodoc\b|\blicen[cs]e\b|\bcopyright\b|\bexplain(?:s|ed)?\b|\bannotat\w+\b|\btranslat\w+\b/i,
  docstring: /(?!)/,
  rename:
    /\brenam\w*|\bnaming\b|\bmisnamed\b|\bidentifiers?\b|\balias(?:es|ed)?\b|\b(?:public|stable|exported) (?:api|names?|interface)\b|\bbackwards?[- ]compat\w*|\bdeprecat\w*|\b(?:its|their|own|old|new|better|clearer|other|under (?:the|a)) names?\b|\bterminology\b|\bvocabulary\b|\bcall(?:ed)? it\b|\b(?:is|are|be) (?:called|named)\b|\bexports?\b|\bexported\b/i,
  order:
    /\b(?:re-?)?order(?:ed|ing|s)?\b|\bsort(?:s|ed|ing)?\b|\balphabet\w*|\barrang\w+\b|\bgroup(?:ed|ing)?\b|\bmov(?:e|es|ed|ing)\b|\bsequence\b|\bposition\w*/i,
  tests:
    /\btest(?:s|ed|ing)?\b|\bassert\w*|\bpin(?:s|ned)?\b|\bcover(?:s|ed|age)?\b|\bregression\b|\bverif\w+\b|\bcheck(?:s|ed)? (?:that|by)\b|\bproof\b|\bprove[sd]?\b/i,
  restated: /\bre-?run\w*|\brecord\w*|\brepeat\w*|\bmeasure\w*|\bagain\b|\bevidence\b|\brefresh\w*/i,
};

/** What the goal says for a kind of change that was proven cosmetic: the reason to abstain, or null. */
export function goalGuard(
  basis: Basis,
  proofs: readonly Proof[],
): { readonly reason: `guard_${string}`; readonly detail: string } | null {
  const goal = [basis.objective, ...basis.acceptance].join('\n');
  const classes = new Set(proofs.flatMap((proof) => proof.classes));
  const tidying = TIDYING.exec(goal)?.[0];
  for (const one of classes) {
    const asked = (one === 'docstring' ? ASKED.comment : ASKED[one]).exec(goal)?.[0] ?? tidying;
    if (
      asked !== undefined &&
      !(one === 'rename' && onlyUnitNames(proofs) && tidying === undefined && !UNIT_NAMES.test(goal))
    )
      return { reason: `guard_${one}`, detail: `the goal speaks of "${asked}", and the change is ${one}` };
  }
  const named = proofs.flatMap(namesOf).find((name) => isNamed(goal, name));
  if (named) return { reason: 'guard_named', detail: `the goal names ${named.name}` };
  return null;
}

/** Words that ask for other names even of what nobody outside can see. */
const UNIT_NAMES =
  /\brenam\w*|\bnaming\b|\bmisnamed\b|\bidentifiers?\b|\bvariable names?\b|\b(?:better|clearer) names?\b|\bterminology\b/i;

function onlyUnitNames(proofs: readonly Proof[]): boolean {
  return proofs.every((proof) => proof.visibleNames.length === 0 && proof.level !== 'L3');
}

interface Named {
  readonly name: string;
  readonly visible: boolean;
}

function namesOf(proof: Proof): Named[] {
  const visible = new Set([...proof.visibleNames, ...(proof.asserted ?? [])]);
  return [...new Set([...Object.values(proof.renames), ...visible])].map((name) => ({
    name,
    visible: visible.has(name),
  }));
}

/** A local name counts only where the goal cannot mean the plain English word. */
function isNamed(goal: string, { name, visible }: Named): boolean {
  const word = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  if (visible) return new RegExp(`(?<![\\w$])${word}(?![\\w$])`).test(goal);
  if (/[_$\d]|[a-z][A-Z]/.test(name)) return new RegExp(`(?<![\\w$])${word}(?![\\w$])`).test(goal);
  return new RegExp(`[\`'"]${word}[\`'"]`).test(goal);
}
