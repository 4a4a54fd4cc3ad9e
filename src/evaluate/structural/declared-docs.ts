import type { CodeFiles } from './code-files.ts';
import { codeLanguageOf } from './code-language.ts';
import { type ProvenFile, resembles } from './declared-names.ts';
import { docsAreRead } from './forms/python-docs.ts';
import { type Abstention, abstain } from './proof/proof.ts';
import type { CodeVersion } from './proof/prove-code.ts';

/**
 * Whether a documentation string that changed may be read by another declared file: one that imports the module and
 * prints, or hands on, what its functions say of themselves. Gives the reason against, by path.
 */
export async function checkDeclaredDocs(
  proven: readonly ProvenFile[],
  code: CodeFiles,
): Promise<Map<string, Abstention>> {
  const faults = new Map<string, Abstention>();
  for (const { file, proof } of proven) {
    if (!proof.classes.includes('docstring')) continue;
    for (const other of code.all) {
      if (other === file || other.after === null || codeLanguageOf(other.path)?.name !== 'Python') continue;
      const version = await code.version(other, 'after');
      if ('proven' in version || !docsAreRead(version.text)) continue;
      if (modulesOf(version).some((module) => resembles(other.path, module, file.path)))
        faults.set(file.path, abstain('value_differs', `${other.path} may read the documentation`));
    }
  }
  return faults;
}

/** Modules that a file imports, or may import by the name of a package's member. */
function modulesOf({ names }: CodeVersion): readonly string[] {
  const modules = new Set(names.wildcards);
  for (const { origin } of names.uses.values())
    if (origin) {
      modules.add(origin.module);
      if (origin.name !== null) modules.add(`${origin.module}.${origin.name}`);
    }
  return [...modules];
}
