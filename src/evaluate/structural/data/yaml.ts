import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseAllDocuments,
} from 'yaml';
import { abstain, type Judgment, prove } from '../proof/proof.ts';
import { compareData, type DataValue } from './compare-data.ts';
import { commentClasses } from './hash-comments.ts';

/** Plain words that some reader of YAML takes for something else than a text (YAML 1.1: booleans, base 60, dates). */
const AMBIGUOUS =
  /^(?:y|yes|n|no|on|off|true|false|null|~|=|<<|[-+]?[0-9][0-9_:.,]*(?:e[-+]?\d+)?|0x[0-9a-f_]+|0o?[0-7_]+|0b[01_]+|[-+]?\.(?:inf|nan|\d.*)|\d{4}-\d\d?-\d\d?.*)?$/i;

/** Proves two YAML texts equal as documents. Mappings keep their order, and scalars their type for readers of any version. */
export function proveYaml(before: string, after: string): Judgment {
  const one = readYaml(before);
  const other = readYaml(after);
  if (typeof one === 'string' || typeof other === 'string')
    return abstain('parse_error', typeof one === 'string' ? one : String(other));
  const difference = compareData(one, other);
  if (!difference.equal) return abstain(difference.reason, difference.path);
  if (difference.reordered) return abstain('shape_differs', 'the order of keys');
  const classes = commentClasses(before, after);
  return classes === null ? abstain('value_differs', 'a comment that a tool reads') : prove('L1', ...classes);
}

/** Deeper nesting is not read: the parser recurses, and takes more memory than there is. */
const MAX_DEPTH = 100;

function isTooDeep(text: string): boolean {
  let depth = 0;
  for (const [mark] of text.matchAll(/[[{]|[\]}]/g)) {
    depth = mark === '[' || mark === '{' ? depth + 1 : Math.max(0, depth - 1);
    if (depth > MAX_DEPTH) return true;
  }
  return new RegExp(`^[ \\t]*(?:[-?][ \\t]+){${MAX_DEPTH}}`, 'm').test(text);
}

function readYaml(text: string): DataValue | string {
  if (isTooDeep(text)) return 'nested too deep';
  const documents = parseAllDocuments(text, {
    version: '1.2',
    uniqueKeys: true,
    stringKeys: false,
    logLevel: 'silent',
    prettyErrors: false,
  });
  if (!Array.isArray(documents)) return { type: 'list', items: [] };
  const items: DataValue[] = [];
  for (const document of documents) {
    const fault = document.errors[0] ?? document.warnings[0];
    if (fault) return fault.message.split('\n')[0] ?? 'not YAML';
    items.push({
      type: 'list',
      items: [{ type: 'scalar', text: directives(document) }, readValue(document.contents)],
    });
  }
  return { type: 'list', items };
}

function directives({ directives: found }: Document): string {
  return JSON.stringify([found?.yaml?.explicit ? found.yaml.version : null, found?.tags ?? null]);
}

function readValue(node: unknown): DataValue {
  if (isAlias(node)) return { type: 'scalar', text: `alias ${node.source}` };
  const marks = marksOf(node as Node | null);
  if (isScalar(node)) {
    const plain =
      node.type === 'PLAIN' && (typeof node.value !== 'string' || AMBIGUOUS.test(node.source ?? ''));
    return {
      type: 'scalar',
      text: `${marks}${plain ? `plain ${node.source ?? ''}` : `text ${String(node.value)}`}`,
    };
  }
  if (isSeq(node)) return marked(marks, { type: 'list', items: node.items.map(readValue) });
  if (isMap(node))
    return marked(marks, {
      type: 'list',
      items: node.items.map((pair) => ({
        type: 'list',
        items: [readValue((pair as Pair).key), readValue((pair as Pair).value)],
      })),
    });
  return { type: 'scalar', text: 'nothing' };
}

function marked(marks: string, value: DataValue): DataValue {
  return marks === '' ? value : { type: 'list', items: [{ type: 'scalar', text: marks }, value] };
}

function marksOf(node: Node | null): string {
  const anchor = node && 'anchor' in node && node.anchor ? `&${node.anchor} ` : '';
  const tag = node?.tag ? `${node.tag} ` : '';
  return anchor + tag;
}
