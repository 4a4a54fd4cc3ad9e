import { posix } from 'node:path';
import type { FileTransition } from '../evaluator.ts';
import type { CodeFiles, Side } from './code-files.ts';
import { codeLanguageOf } from './code-language.ts';
import { type Binding, moduleNamedBy } from './names/scopes.ts';
import { type Abstention, abstain } from './proof/proof.ts';
import type { CodeProof, CodeVersion } from './proof/prove-code.ts';
import { decodeText } from './source-text.ts';
import { type SyntaxNode, walk } from './syntax/syntax-node.ts';

/** A proven file whose names others may use. */
export interface ProvenFile {
  readonly file: FileTransition;
  readonly proof: CodeProof;
}

/**
 * Whether the renames of all proven files fit together: what one file imports under a new name is what another file
 * has renamed, and no declared file still uses an old name or knew the new one. Gives the reason against, by path.
 */
export async function checkDeclaredNames(
  proven: readonly ProvenFile[],
  code: CodeFiles,
): Promise<Map<string, Abstention>> {
  const faults = new Map<string, Abstention>();
  for (const { file, proof } of proven) {
    const fault =
      lookedUp(file, proof) ??
      unmatchedImport(file, proof, proven) ??
      (await usedElsewhere(file, proof, code));
    if (fault) faults.set(file.path, abstain('rename_unsafe', fault));
  }
  return faults;
}

/** Files whose names a framework looks for: settings, routes, stories, configurations, migrations. */
const LOOKED_UP =
  /(?:^|\/)(?:(?:\w*settings\w*|conf|conftest|setup|noxfile|fabfile|tasks|hubconf|wsgi|asgi|urls|apps|admin|manage|locustfile|gunicorn[\w.]*)\.py|settings\/\w+\.py|(?:migrations|alembic\/versions|dags|templatetags)\/[^/]+\.py|[^/]+\.(?:config|stories|story|setup)\.[mc]?[jt]sx?|(?:page|layout|route|loading|error|template|middleware|instrumentation|opengraph-image|sitemap|robots|manifest)\.[jt]sx?|\+[\w.]+\.[jt]s|(?:pages|routes)\/.*\.[jt]sx?|(?:gulpfile|Gruntfile|snowpack|karma)[\w.]*\.[mc]?[jt]s)$/i;

function lookedUp({ path }: FileTransition, { allowed }: CodeProof): string | null {
  const found = LOOKED_UP.test(path) ? allowed.find(({ reach }) => reach === 'importers') : undefined;
  return found ? `${found.from} → ${found.to}: a framework looks names of such a file up` : null;
}

function unmatchedImport(
  file: FileTransition,
  proof: CodeProof,
  proven: readonly ProvenFile[],
): string | null {
  for (const { module, from, to } of proof.foreign) {
    const source = proven.find((other) => names(file.path, module, other.file.path));
    const agrees =
      source?.proof.allowed.some(
        (rename) => rename.from === from && rename.to === to && rename.reach === 'importers',
      ) || source?.proof.foreign.some((one) => one.from === from && one.to === to);
    if (!agrees) return `${from} → ${to}: ${module} does not rename it`;
  }
  return null;
}

/** The names of one file's renames, by what could still hold on to them. */
interface VisibleNames {
  /** Old and new names of parameters. */
  readonly parameters: readonly string[];
  /** Old and new names that other files may import. */
  readonly imported: readonly string[];
  /** Names of functions and classes that other files may import. */
  readonly named: readonly string[];
  /** Old names that no alias keeps. */
  readonly gone: readonly string[];
  readonly fresh: readonly string[];
}

async function usedElsewhere(
  file: FileTransition,
  proof: CodeProof,
  code: CodeFiles,
): Promise<string | null> {
  const both = (reach: string) => proof.allowed.filter((rename) => rename.reach === reach);
  const imported = both('importers');
  const visible: VisibleNames = {
    parameters: both('callers').flatMap(({ from, to }) => [from, to]),
    imported: imported.flatMap(({ from, to }) => [from, to]),
    named: imported.filter(({ isNamed }) => isNamed).map(({ from }) => from),
    gone: imported.map(({ from }) => from).filter((from) => !proof.kept.includes(from)),
    fresh: imported.map(({ to }) => to),
  };
  if (visible.parameters.length + visible.imported.length === 0) return null;
  for (const other of code.all)
    for (const side of ['before', 'after'] as const) {
      const fault = other[side] === null ? null : await heldBy(other, side, file, visible, code);
      if (fault) return `${other.path} ${fault}`;
    }
  return null;
}

/** How one side of a declared file holds on to a name, or null. */
async function heldBy(
  other: FileTransition,
  side: Side,
  file: FileTransition,
  visible: VisibleNames,
  code: CodeFiles,
): Promise<string | null> {
  if (!codeLanguageOf(other.path)) return mentioned(other, visible.gone);
  const version = await code.version(other, side);
  if ('proven' in version) return mentioned(other, [...visible.parameters, ...visible.imported]);
  if (visible.named.length > 0 && version.names.readsOwnNames) return `may read the name ${visible.named[0]}`;
  return (
    passedByKeyword(version, visible.parameters) ??
    placedInText(version, visible.parameters) ??
    spelledInText(version, visible.imported) ??
    stillUsed(file, other, version, side === 'after' ? visible.gone : visible.fresh, side)
  );
}

function passedByKeyword({ names: table }: CodeVersion, parameters: readonly string[]): string | null {
  if (parameters.length === 0) return null;
  if (table.keywords.has('**')) return 'passes keywords from a mapping';
  const used = parameters.find((name) => table.keywords.has(name));
  return used ? `passes ${used} by keyword` : null;
}

/** A route, a pattern or a template that names a parameter: `<int:name>`, `{name}`, `(?P<name>…)`, `/:name`. */
function placedInText({ form }: CodeVersion, parameters: readonly string[]): string | null {
  if (parameters.length === 0) return null;
  const names = parameters.map((name) => name.replace(/^\$/, '')).join('|');
  const place = new RegExp(`(?:<(?:\\w+:)?|\\{\\*{0,2}|/:)(?:${names})(?=[>}:?/]|$)`);
  let found: string | null = null;
  walk(form.root, ({ kind, text }) => {
    if (kind.includes('string')) found ??= place.exec(text)?.[0] ?? null;
  });
  return found === null ? null : `names a parameter in a text: ${found}`;
}

/** Strings that may look a name up: the name itself, or a dotted path to it, where it is no key of a mapping. */
function spelledInText({ form }: CodeVersion, words: readonly string[]): string | null {
  if (words.length === 0) return null;
  let found: string | null = null;
  const visit = (node: SyntaxNode, parent: string): void => {
    if (node.kind === 'string' && node.children.length === 0 && !KEYED.has(parent)) {
      const value = node.text.replace(/^[a-z]+:/, '');
      found ??=
        words.find(
          (word) => value === word || (/[.:/#]$/.test(value.slice(0, -word.length)) && value.endsWith(word)),
        ) ?? null;
    }
    for (const child of node.children) visit(child, node.field === 'key' ? 'pair' : node.kind);
  };
  visit(form.root, '');
  return found === null ? null : `spells ${found} in a string`;
}

const KEYED = new Set([
  'subscript',
  'subscript_expression',
  'pair',
  'comparison_operator',
  'binary_expression',
]);

/** The old name after the change, or the new one before it, where it can only be the module's name. */
function stillUsed(
  file: FileTransition,
  other: FileTransition,
  { form, names: table }: CodeVersion,
  words: readonly string[],
  side: Side,
): string | null {
  if (words.length === 0) return null;
  const from = (module: string) => resembles(other.path, module, file.path);
  if (other.path !== file.path && [...table.wildcards].some(from)) return 'imports every name';
  let fault: string | null = null;
  walk(form.root, (leaf) => {
    if (fault !== null || leaf.children.length > 0 || !words.includes(leaf.text)) return;
    const binding = table.uses.get(leaf);
    const isImport = binding?.kind === 'import' && binding.origin !== null && from(binding.origin.module);
    const module = table.foreign.get(leaf);
    const owner = table.members.get(leaf)?.owner;
    if (
      isImport ||
      (module !== undefined && from(module)) ||
      table.free.has(leaf) ||
      (owner && ownedBy(table.uses.get(owner), from))
    )
      fault = `${side === 'after' ? 'still uses' : 'already knows'} ${leaf.text}`;
  });
  return fault;
}

function ownedBy(binding: Binding | undefined, from: (module: string) => boolean): boolean {
  const module = binding && moduleNamedBy(binding);
  return module !== undefined && from(module);
}

function mentioned(file: FileTransition, words: readonly string[]): string | null {
  if (/\.(?:md|markdown|txt|rst)$/i.test(file.path)) return null;
  const text = file.after === null ? null : decodeText(file.after);
  if (text === null) return null;
  const word = words.find((one) =>
    new RegExp(`(?<![\\w$])${one.replaceAll('$', '\\$')}(?![\\w$])`).test(text),
  );
  return word === undefined ? null : `mentions ${word}`;
}

/** Whether `module`, as written in the file at `path`, is surely the declared file at `target`. */
export function names(path: string, module: string, target: string): boolean {
  return candidates(path, module).includes(
    target.replace(EXTENSION, '').replace(/\/(?:__init__|index)$/, ''),
  );
}

/** Whether `module` may be the file at `target`: its last part has the file's name. */
export function resembles(path: string, module: string, target: string): boolean {
  const last = (text: string) =>
    text
      .replace(EXTENSION, '')
      .split(/[./\\]/)
      .filter(Boolean)
      .at(-1);
  const stem = target.replace(EXTENSION, '').replace(/\/(?:__init__|index)$/, '');
  return names(path, module, target) || last(module) === last(stem);
}

const EXTENSION = /\.(?:pyi?|[mc]?[jt]sx?)$/;

function candidates(path: string, module: string): string[] {
  const folder = posix.dirname(path);
  if (/^\.\.?(?:\/|$)/.test(module))
    return [
      posix
        .join(folder, module)
        .replace(EXTENSION, '')
        .replace(/\/index$/, ''),
    ];
  const dots = /^\.+/.exec(module)?.[0].length ?? 0;
  const parts = module.slice(dots).split('.').filter(Boolean).join('/');
  if (dots > 0) return [posix.join(folder, '../'.repeat(dots - 1), parts)];
  const bases = [''];
  for (let base = folder; base !== '.'; base = posix.dirname(base)) bases.push(`${base}/`);
  return [...bases.map((base) => base + parts), `src/${parts}`, `lib/${parts}`];
}
