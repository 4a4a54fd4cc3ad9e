/** A value of JSON, TOML or YAML; scalars keep how they are written where the writing can matter. */
export type DataValue =
  | { readonly type: 'scalar'; readonly text: string }
  | { readonly type: 'list'; readonly items: readonly DataValue[] }
  | { readonly type: 'map'; readonly entries: ReadonlyMap<string, DataValue> };

export type DataDifference =
  | { readonly equal: true; readonly reordered: boolean }
  | { readonly equal: false; readonly reason: 'shape_differs' | 'value_differs'; readonly path: string };

/** Keys below which tools read a mapping in its order: first match wins, later ones override, steps run in turn. */
const ORDERED_BELOW =
  /^(?:exports|imports|conditions|conditionNames|paths|alias(?:es)?|rules|routes?|routing|redirects|rewrites|headers|overrides|resolutions|env|environment|steps|stages|pipelines?|jobs|sequence|order(?:ing)?|priorit(?:y|ies)|chain|hooks|middlewares?|interceptors|filters|matchers|match|patterns?|mappings?|moduleNameMapper|transforms?|loaders|presets|plugins|extends|include|exclude|fallbacks?|migrations|upgrades|layers|cascade|locales|proxy|proxies|handlers|permissions|columns|menu|menus|tabs|sidebar|nav|navbar|toolbar|choices|typesVersions|branches|properties|repositories|sources|mirrors|prompts|questions|frameworks)$/i;

/** Compares two documents as data. The order of a list always counts, the order of a mapping below some keys. */
export function compareData(before: DataValue, after: DataValue): DataDifference {
  return compare(before, after, '', false);
}

function compare(before: DataValue, after: DataValue, path: string, ordered: boolean): DataDifference {
  if (before.type === 'scalar' && after.type === 'scalar')
    return before.text === after.text
      ? { equal: true, reordered: false }
      : { equal: false, reason: 'value_differs', path };
  if (before.type === 'list' && after.type === 'list')
    return compareLists(before.items, after.items, path, ordered);
  if (before.type === 'map' && after.type === 'map')
    return compareMaps(before.entries, after.entries, path, ordered);
  return { equal: false, reason: 'shape_differs', path };
}

function compareLists(
  before: readonly DataValue[],
  after: readonly DataValue[],
  path: string,
  ordered: boolean,
): DataDifference {
  if (before.length !== after.length) return { equal: false, reason: 'shape_differs', path };
  let reordered = false;
  for (const [index, item] of before.entries()) {
    const result = compare(item, after[index] as DataValue, `${path}[${index}]`, ordered);
    if (!result.equal) return result;
    reordered ||= result.reordered;
  }
  return { equal: true, reordered };
}

type Entries = ReadonlyMap<string, DataValue>;

function compareMaps(before: Entries, after: Entries, path: string, ordered: boolean): DataDifference {
  const keys = [...before.keys()];
  const others = [...after.keys()];
  if (keys.length !== others.length || keys.some((key) => !after.has(key)))
    return { equal: false, reason: 'shape_differs', path };
  let reordered = keys.some((key, index) => key !== others[index]);
  if (reordered && ordered) return { equal: false, reason: 'shape_differs', path: `${path}: order of keys` };
  for (const [key, value] of before) {
    const inside = path === '' ? key : `${path}.${key}`;
    const result = compare(value, after.get(key) as DataValue, inside, ordered || ORDERED_BELOW.test(key));
    if (!result.equal) return result;
    reordered ||= result.reordered;
  }
  return { equal: true, reordered };
}
