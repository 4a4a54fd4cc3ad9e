import type { FormSource } from '../syntax/form.ts';
import { childIn, childOf, type SyntaxNode, withChildren } from '../syntax/syntax-node.ts';

/** Decorators that never look at a documentation string. */
const QUIET_DECORATORS =
  /^@(?:staticmethod|classmethod|property|\w+\.(?:setter|getter|deleter)|(?:functools\.)?(?:wraps|cache|lru_cache|cached_property|singledispatch|total_ordering)|(?:abc\.)?abstractmethod|(?:typing\.)?(?:override|overload|final|runtime_checkable|no_type_check)|(?:contextlib\.)?(?:contextmanager|asynccontextmanager)|(?:dataclasses\.)?dataclass|(?:enum\.)?unique|pytest\.\S+|(?:unittest\.)?(?:mock\.)?(?:patch|skip\w*)\S*|atexit\.register)\b/;

/** Bases whose classes never hand their documentation string to anyone. */
const QUIET_BASES =
  /^(?:(?:\w+\.)?(?:object|ABC|Protocol|Generic|NamedTuple|TypedDict|Enum|IntEnum|StrEnum|Flag|IntFlag|TestCase|IsolatedAsyncioTestCase|Thread)(?:\[.*\])?|\w*(?:Exception|Error|Warning)|dict|list|set|str|int|float|tuple)$/s;

/** Something in the file reads documentation strings, or hands functions to what does. */
const DOCS_ARE_READ =
  /__doc__|getdoc|docopt|pydoc|\bhelp\(|use_attribute_docstrings|getsource|\btools\s*=\s*\[|^[ \t]*(?:from|import)[ \t]+(?:dspy|fire|typer|plac|clize|defopt|jsonargparse|cyclopts|langchain\w*|langgraph|llama_index|autogen\w*|smolagents|crewai|pydantic_ai|strands|fastmcp|mcp|agents|marvin|instructor|magentic|ell|guidance|semantic_kernel|google\.(?:adk|genai)|haystack|ollama|strawberry|graphene|connexion|flasgger|apispec)\b/m;

/** Whether a program reads documentation strings, its own or those of what it imports. */
export const docsAreRead = (text: string): boolean => DOCS_ARE_READ.test(text);

const readers = new WeakMap<FormSource, boolean>();

/** Drops what a function's body begins with, if that is documentation that nothing reads. */
export function dropFunctionDoc(
  node: SyntaxNode,
  decorators: readonly SyntaxNode[],
  source: FormSource,
): SyntaxNode {
  return quiet(decorators, source) ? dropDocOf(node, source) : node;
}

/** Drops a class's documentation unless a decorator or a base may read it. */
export function dropClassDoc(
  node: SyntaxNode,
  decorators: readonly SyntaxNode[],
  source: FormSource,
): SyntaxNode {
  const bases = childIn(node, 'superclasses')?.children.filter((child) => !/^[(),]$/.test(child.kind)) ?? [];
  const quietBases = bases.every((base) => isQuietBase(source.text.slice(base.start, base.end), source));
  return quietBases && quiet(decorators, source) ? dropDocOf(node, source) : node;
}

/** A base that hands no documentation on: a known one, or a class of this file whose own bases are such. */
function isQuietBase(base: string, source: FormSource, depth = 0): boolean {
  if (QUIET_BASES.test(base)) return true;
  const own = classesOf(source).get(base);
  return own !== undefined && depth < 8 && own.every((one) => isQuietBase(one, source, depth + 1));
}

const classes = new WeakMap<FormSource, ReadonlyMap<string, readonly string[]>>();

/** Undecorated classes of the file with their bases; one with anything but plain bases is left out. */
function classesOf(source: FormSource): ReadonlyMap<string, readonly string[]> {
  const known = classes.get(source);
  if (known) return known;
  const found = new Map<string, readonly string[]>();
  for (const [, before = '', name = '', bases = ''] of source.text.matchAll(
    /^(.*\n)?class[ \t]+(\w+)[ \t]*(?:\(([\w.,\s]*)\))?[ \t]*:/gm,
  ))
    if (!before.startsWith('@'))
      found.set(
        name,
        bases
          .split(',')
          .map((base) => base.trim())
          .filter((base) => base !== ''),
      );
  classes.set(source, found);
  return found;
}

/** Drops the module's own documentation. */
export function dropModuleDoc(node: SyntaxNode, source: FormSource): SyntaxNode {
  const doc = leadingDoc(node);
  return doc && isIdle(doc, source) ? withoutDoc(node, doc, source) : node;
}

function dropDocOf(node: SyntaxNode, source: FormSource): SyntaxNode {
  const body = childIn(node, 'body') ?? childOf(node, 'block');
  const doc = body && leadingDoc(body);
  if (!body || !doc || !isIdle(doc, source)) return node;
  const bare = withoutDoc(body, doc, source);
  return withChildren(
    node,
    node.children.map((child) => (child === body ? bare : child)),
  );
}

function withoutDoc(body: SyntaxNode, doc: SyntaxNode, source: FormSource): SyntaxNode {
  source.dropDoc(doc);
  return withChildren(
    body,
    body.children.filter((child) => child !== doc),
  );
}

function quiet(decorators: readonly SyntaxNode[], source: FormSource): boolean {
  return decorators.every((decorator) =>
    QUIET_DECORATORS.test(source.text.slice(decorator.start, decorator.end)),
  );
}

/** Not a doctest, no escape (a prefix that cures a warning is a repair), and nothing in the file reads it. */
function isIdle(doc: SyntaxNode, source: FormSource): boolean {
  const text = source.text.slice(doc.start, doc.end);
  if (text.includes('>>>') || text.includes('\\') || text.includes('```')) return false;
  const known = readers.get(source);
  const read = known ?? docsAreRead(source.text);
  if (known === undefined) readers.set(source, read);
  return !read;
}

function leadingDoc(body: SyntaxNode): SyntaxNode | undefined {
  const [first] = body.children;
  if (first?.kind !== 'expression_statement' || first.children.length !== 1) return undefined;
  const [string] = first.children;
  return string?.kind === 'string' && string.text.startsWith('s:') ? first : undefined;
}
