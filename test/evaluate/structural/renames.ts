import ts from 'typescript';

/** A source in which one local has another name everywhere, as an editor renames it. */
export interface Renamed {
  readonly from: string;
  readonly text: string;
}

/** Renames each local of a TypeScript source in turn, with the compiler's own rename. */
export function renameLocals(text: string, max: number): readonly Renamed[] {
  const name = 'a.ts';
  const host: ts.LanguageServiceHost = {
    getCompilationSettings: () => ({ noResolve: true, noLib: true }),
    getScriptFileNames: () => [name],
    getScriptVersion: () => '1',
    getScriptSnapshot: (file) => (file === name ? ts.ScriptSnapshot.fromString(text) : undefined),
    getCurrentDirectory: () => '/',
    getDefaultLibFileName: () => 'lib.d.ts',
    fileExists: (file) => file === name,
    readFile: (file) => (file === name ? text : undefined),
  };
  const service = ts.createLanguageService(host);
  const file = service.getProgram()?.getSourceFile(name) as ts.SourceFile;
  return localsOf(file)
    .slice(0, max)
    .map((local, index) => {
      const options = { providePrefixAndSuffixTextForRename: true };
      const places = service.findRenameLocations(name, local.getStart(file), false, false, options) ?? [];
      const sorted = [...places].sort((one, other) => other.textSpan.start - one.textSpan.start);
      let renamed = text;
      for (const { textSpan, prefixText = '', suffixText = '' } of sorted)
        renamed = `${renamed.slice(0, textSpan.start)}${prefixText}fresh${index}${suffixText}${renamed.slice(textSpan.start + textSpan.length)}`;
      return { from: local.text, text: renamed };
    });
}

/** Names of variables and parameters inside functions. */
function localsOf(file: ts.SourceFile): ts.Identifier[] {
  const found: ts.Identifier[] = [];
  const visit = (node: ts.Node, inside: boolean): void => {
    const declares =
      ts.isVariableDeclaration(node) ||
      (ts.isParameter(node) && !node.modifiers) ||
      ts.isBindingElement(node);
    if (declares && inside && ts.isIdentifier(node.name)) found.push(node.name);
    ts.forEachChild(node, (child) =>
      visit(child, inside || (ts.isFunctionLike(node) && node.kind !== ts.SyntaxKind.FunctionType)),
    );
  };
  visit(file, false);
  return found;
}

/** Sources in which two neighbouring functions of a module have changed places. */
export function swapFunctions(text: string): readonly string[] {
  const file = ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true);
  return file.statements.flatMap((statement, index) => {
    const next = file.statements[index + 1];
    if (!next || !ts.isFunctionDeclaration(statement) || !ts.isFunctionDeclaration(next)) return [];
    const [from, middle, to] = [statement.getFullStart(), next.getFullStart(), next.getEnd()];
    return [`${text.slice(0, from)}${text.slice(middle, to)}${text.slice(from, middle)}${text.slice(to)}`];
  });
}
