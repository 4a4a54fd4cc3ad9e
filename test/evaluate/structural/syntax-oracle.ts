import { spawnSync } from 'node:child_process';
import ts from 'typescript';

/** The tree that TypeScript's own parser sees, as text; comments, semicolons, brackets and layout apart. */
export function typescriptTree(text: string): string {
  const file = ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true);
  const show = (node: ts.Node): string => {
    if (ts.isParenthesizedExpression(node)) return show(node.expression);
    const parts: string[] = [];
    ts.forEachChild(node, (child) => {
      parts.push(show(child));
    });
    // A parameter of a type of functions may be called anything.
    if (ts.isIdentifier(node) && ts.isParameter(node.parent) && ts.isFunctionTypeNode(node.parent.parent))
      return '(name)';
    const own =
      ts.isIdentifier(node) || ts.isLiteralExpression(node) || ts.isTemplateLiteralToken(node)
        ? node.text
        : '';
    const operator =
      ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)
        ? ts.SyntaxKind[node.operator]
        : '';
    const flags = ts.isVariableDeclarationList(node) ? String(node.flags & ts.NodeFlags.BlockScoped) : '';
    return `(${ts.SyntaxKind[node.kind]} ${own}${operator}${flags}${parts.join('')})`;
  };
  return show(file);
}

const PYTHON = `
import ast, json, sys

def tree(text):
    try:
        root = ast.parse(text)
    except SyntaxError as error:
        return "error %s" % error
    for node in ast.walk(root):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr) and isinstance(getattr(body[0], "value", None), ast.Constant) and isinstance(body[0].value.value, str):
            node.body = body[1:] or [ast.Pass()]
    return ast.dump(root)

print(json.dumps([tree(text) for text in json.load(sys.stdin)]))
`;

/** Whether `python3` is there to ask. */
export const hasPython = spawnSync('python3', ['--version']).status === 0;

/** The trees that CPython's own parser sees, without documentation strings. */
export function pythonTrees(texts: readonly string[]): readonly string[] {
  const { stdout } = spawnSync('python3', ['-c', PYTHON], {
    input: JSON.stringify(texts),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  return JSON.parse(stdout) as string[];
}
