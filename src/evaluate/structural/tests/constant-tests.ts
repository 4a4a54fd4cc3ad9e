import type { FileTransition } from '../../evaluator.ts';
import type { CodeFiles } from '../code-files.ts';
import { codeLanguageOf } from '../code-language.ts';
import { names } from '../declared-names.ts';
import { matchForms } from '../proof/match-forms.ts';
import { type Proof, prove } from '../proof/proof.ts';
import type { CodeVersion } from '../proof/prove-code.ts';
import { childIn, type SyntaxNode, withChildren } from '../syntax/syntax-node.ts';
import { contentsOf, type ModuleContents } from './constants.ts';
import { ecmascriptAssertions } from './ecmascript-assertions.ts';
import { pythonAssertions } from './python-assertions.ts';

/** What an assertion may speak of: names in the test file that stand for a module or for a member of one. */
export interface Subjects {
  readonly modules: ReadonlyMap<string, ModuleContents>;
  readonly members: ReadonlyMap<string, { readonly contents: ModuleContents; readonly name: string }>;
}

/** Reads the tests of one language. */
export interface TestReader {
  /** Whether a file of this name holds tests. */
  isTestFile(path: string): boolean;
  /**
   * Names of the constants that a statement at the top of a test file asserts, when it asserts nothing that the
   * subjects' text does not already say (that a function is there counts, and names nothing); null otherwise.
   */
  assertedBy(statement: SyntaxNode, subjects: Subjects): readonly string[] | null;
  /** Whether a statement only imports a declared module, or a test library. */
  isHarmlessImport(statement: SyntaxNode, subjects: Subjects): boolean;
}

/**
 * Proves that a test file gained nothing but assertions of constants and callables that an unchanged declared file
 * already spells out. Such a test can fail only when somebody edits that constant.
 */
export async function proveConstantTests(file: FileTransition, code: CodeFiles): Promise<Proof | null> {
  const language = codeLanguageOf(file.path);
  const reader =
    language?.name === 'Python'
      ? pythonAssertions
      : language?.bind && /Script|TSX/.test(language.name)
        ? ecmascriptAssertions
        : null;
  if (!reader?.isTestFile(file.path) || file.after === null) return null;
  const after = await code.version(file, 'after');
  const before = file.before === null ? null : await code.version(file, 'before');
  if ('proven' in after || (before !== null && 'proven' in before)) return null;
  const subjects = await subjectsOf(file, after, code);
  const known = new Set(before?.form.root.children.map(textKey));
  const asserted: string[] = [];
  let tests = 0;
  const rest = after.form.root.children.filter((statement) => {
    if (known.has(textKey(statement))) return true;
    const found = reader.assertedBy(statement, subjects);
    if (found) {
      tests += 1;
      asserted.push(...found);
    }
    return !found && !reader.isHarmlessImport(statement, subjects);
  });
  if (tests === 0 || hidesATest(after.form.root.children)) return null;
  const unchanged = before === null ? rest.length === 0 : isSame(before, after, rest);
  return unchanged ? { ...prove('L4', 'tests'), asserted: [...new Set(asserted)] } : null;
}

/** Two tests of one name are one test: the later one takes the place of the earlier one. */
function hidesATest(statements: readonly SyntaxNode[]): boolean {
  const names = statements.flatMap((statement) => {
    const name = /_definition$/.test(statement.kind) ? childIn(statement, 'name')?.text : undefined;
    return name === undefined ? [] : [name];
  });
  return new Set(names).size < names.length;
}

function isSame(before: CodeVersion, after: CodeVersion, rest: readonly SyntaxNode[]): boolean {
  const match = matchForms(
    { root: before.form.root, names: before.names },
    { root: withChildren(after.form.root, rest), names: after.names },
  );
  return 'matched' in match && match.renamed.length === 0 && match.foreign.length === 0;
}

async function subjectsOf(file: FileTransition, test: CodeVersion, code: CodeFiles): Promise<Subjects> {
  const modules = new Map<string, ModuleContents>();
  const members = new Map<string, { contents: ModuleContents; name: string }>();
  for (const { origin, name, scope } of new Set(test.names.uses.values())) {
    if (!origin || scope !== test.names.module) continue;
    const source = await contentsAt(file, origin.module, code);
    if (origin.name === null) {
      if (source) modules.set(name, source);
      continue;
    }
    if (source) members.set(name, { contents: source, name: origin.name });
    // `from package import module` binds a module too.
    const inner = await contentsAt(
      file,
      `${origin.module}${origin.module.endsWith('.') ? '' : '.'}${origin.name}`,
      code,
    );
    if (inner) modules.set(name, inner);
  }
  return { modules, members };
}

/** What an unchanged declared file holds, when `module` surely names one. */
async function contentsAt(
  file: FileTransition,
  module: string,
  code: CodeFiles,
): Promise<ModuleContents | null> {
  const target = code.all.find((other) => other.path !== file.path && names(file.path, module, other.path));
  if (!target?.before || !target.after || Buffer.compare(target.before, target.after) !== 0) return null;
  const version = await code.version(target, 'after');
  return 'proven' in version ? null : contentsOf(version);
}

function textKey(node: SyntaxNode): string {
  return node.children.length === 0
    ? JSON.stringify(node.text)
    : `(${node.kind} ${node.children.map(textKey).join(' ')})`;
}

/** The name of a constant; a callable has none that the goal guard would look for. */
export function constantNames({
  name,
  value,
}: {
  readonly name: string;
  readonly value: unknown;
}): readonly string[] {
  return value === 'callable' || value === 'doc' ? [] : [name];
}

/** What an expression speaks of: a constant's literal, or a callable; null when neither. */
export function subjectOf(
  node: SyntaxNode | undefined,
  { modules, members }: Subjects,
): { name: string; value: SyntaxNode | 'callable' } | null {
  if (!node) return null;
  const owner = childIn(node, 'object');
  const member = childIn(node, 'attribute') ?? childIn(node, 'property');
  const found =
    node.kind === 'identifier'
      ? members.get(node.text)
      : owner?.kind === 'identifier' && member
        ? { contents: modules.get(owner.text), name: member.text }
        : undefined;
  if (!found?.contents) return null;
  const value =
    found.contents.constants.get(found.name) ??
    (found.contents.callables.has(found.name) ? 'callable' : undefined);
  return value === undefined ? null : { name: found.name, value };
}
