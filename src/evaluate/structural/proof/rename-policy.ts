import type { Binding, NameTable } from '../names/scopes.ts';

/** A rename that a proof allows. `visible`: somebody outside the unit can see the new name. */
export interface AllowedRename {
  readonly from: string;
  readonly to: string;
  readonly level: 'L2' | 'L3';
  readonly reach: 'unit' | 'callers' | 'importers';
  /** It is a function or a class, whose name a program can read. */
  readonly isNamed?: boolean;
}

/** What a language says about names. */
export interface NamingRules {
  /** Callers may pass arguments by the parameter's name. */
  readonly keywordArguments: boolean;
  /** Names of the module itself may change, weakly (L3), when every declared file agrees. */
  readonly modulesRename: boolean;
}

/** Names that a framework, a test runner or the language itself looks for. */
const PROTOCOL =
  /^(?:test|Test|spec|bench|Benchmark|Example|Fuzz|setup|setUp|teardown|tearDown|pytest_|main|init|create_app|make_app|celery|asgi|wsgi|handler|handle_?|default|run|app|application|lambda_handler|Meta|Config|urlpatterns|register|conftest|fixture|GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|middleware|loader|action|metadata|config|plugin|plugins|settings|version|upgrade|downgrade|revision|down_revision|getServerSideProps|getStaticProps|getStaticPaths|generateStaticParams|generateMetadata|revalidate|dynamic|runtime|activate|deactivate|exports|module|require|describe|it|expect|beforeEach|afterEach|beforeAll|afterAll|on[A-Z]\w*|use[A-Z]\w*|__\w+__|_)$|^(?:test|Test|pytest_|setUp|tearDown|setup_|teardown_|Benchmark|Example|Fuzz|use[A-Z]|on[A-Z]|__)/;

/** Allows a rename, or says why it is not safe. */
export function allowRename(
  before: Binding,
  after: Binding,
  tables: { readonly before: NameTable; readonly after: NameTable },
  rules: NamingRules,
): AllowedRename | string {
  const from = before.name;
  const to = after.name;
  const frozen = tables.before.frozen ?? tables.after.frozen ?? before.fixed ?? after.fixed;
  if (frozen) return frozen;
  for (const table of [tables.before, tables.after])
    if (table.opaque.has(from) || table.opaque.has(to))
      return `${from} or ${to} occurs where its meaning is not certain`;
  if (isNamedThing(before) && (tables.before.readsOwnNames || tables.after.readsOwnNames))
    return 'the program reads the names of functions and classes';
  if (before.kind === 'local') return { from, to, level: 'L2', reach: 'unit' };
  if (before.kind === 'parameter')
    return rules.keywordArguments
      ? { from, to, level: 'L3', reach: 'callers' }
      : { from, to, level: 'L2', reach: 'unit' };
  if (before.kind === 'member') return `${from} is reached through its owner`;
  return allowModuleRename(before, after, tables, rules);
}

/** Functions and classes carry their name at run time. */
const isNamedThing = ({ role }: Binding): boolean => role === 'function' || role === 'class';

function allowModuleRename(
  before: Binding,
  after: Binding,
  tables: { readonly before: NameTable; readonly after: NameTable },
  rules: NamingRules,
): AllowedRename | string {
  const from = before.name;
  const to = after.name;
  if (before.kind === 'import' && before.role === 'imported') return { from, to, level: 'L3', reach: 'unit' };
  const frozen = tables.before.moduleFrozen ?? tables.after.moduleFrozen;
  if (frozen) return frozen;
  if (!before.exported && !after.exported) return { from, to, level: 'L2', reach: 'unit' };
  if (!rules.modulesRename) return `${from} is visible outside the file`;
  for (const name of [from, to]) if (PROTOCOL.test(name)) return `${name} is a name that frameworks look for`;
  if (from.startsWith('_') !== to.startsWith('_')) return `${from} and ${to} differ in privacy`;
  if (isUpper(from) !== isUpper(to)) return `${from} and ${to} differ in their first letter's case`;
  return { from, to, level: 'L3', reach: 'importers', isNamed: isNamedThing(before) };
}

const isUpper = (name: string): boolean => /^[^a-zA-Z]*[A-Z]/.test(name);
