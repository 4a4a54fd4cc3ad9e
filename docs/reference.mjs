// Writes docs/reference.md from the command definitions, the schemas and the closed lists of reasons.
// Usage: npm run docs (needs `dist/`: node build.mjs)
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { z } from 'zod';
import { basisSchema } from '../dist/contract/basis.js';
import { captureFailures } from '../dist/contract/capture-failures.js';
import { configSchema } from '../dist/contract/config.js';
import { failureReasons } from '../dist/contract/failure.js';
import { findingReasons } from '../dist/contract/finding.js';
import { receiptReasons } from '../dist/contract/receipt-reasons.js';
import { exitsOf } from '../dist/surfaces/cli/command.js';
import { commands } from '../dist/surfaces/cli/commands.js';
import { describeFailure } from '../dist/surfaces/cli/render/failure.js';
import { describeFinding } from '../dist/surfaces/cli/render/finding.js';

const page = new URL('./reference.md', import.meta.url);

const cell = (text) => String(text).replaceAll('|', '\\|').replaceAll('\n', ' ').replaceAll('<', '\\<');
const code = (text) => `\`${String(text).replaceAll('|', '\\|')}\``;
const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

/** The whole page as text. */
export async function renderReference() {
  const parts = [
    '# Reference',
    'Made by `npm run docs` from the command definitions, the schemas and the closed lists of reasons; a test fails when it is stale.',
    '## Commands',
    'Every command also takes `--json` (exactly one JSON document on stdout, on failure too), `--state-dir DIR`, `--config FILE` and `--help`.',
    ...(await Promise.all(Object.entries(commands).map(renderCommand))),
    '## Environment',
    table(
      ['variable', 'meaning'],
      environment.map(([name, meaning]) => [code(name), meaning]),
    ),
    '## Configuration',
    '`config.json` in the state directory, strict: an unknown key is refused. `drift configure` shows every setting.',
    renderSchema(configSchema),
    '## Basis',
    'What the owner wants. At most 32 768 bytes; its sha256 is the contract revision.',
    renderSchema(basisSchema),
    '## Receipt',
    'One file per transition: `<runtime-root>/goals/<goal-id>/progress-review/receipts/<event-id>.json`.',
    ...['Receipt', 'RunIdentity', 'ChoiceJudgment', 'NoulJudgment', 'DriftSignal'].map((name) =>
      renderShape('contract/receipt.ts', name),
    ),
    '### Why a transition has no verdict',
    'The `reason` of a receipt. What a provider or its answer did wrong is a family, all `failed`: `provider_…`, `response_…`, `answer_…`, `answers_…`, `label_…`, `choice_…`, `probability_…`, `probabilities_…`, `model_…`.',
    table(
      ['status', 'reason', 'in words'],
      Object.entries(receiptReasons).map(([reason, { status, words }]) => [
        code(status),
        code(reason),
        words,
      ]),
    ),
    '### Why a refresh was not captured',
    'No event and no receipt; tallied under `capture_failures` of `drift status`. The next refresh takes a new baseline.',
    table(
      ['reason', 'in words'],
      Object.entries(captureFailures).map(([reason, words]) => [code(reason), words]),
    ),
    '## Status document',
    'What `drift status --json` prints for one observer; several are `{"schema":"drift_status_list_v1","observers":[…]}`.',
    renderShape('readmodel/status.ts', 'StatusDocument'),
    '## Library',
    '`import { … } from "drift-sentinel"`: the pure rules, for hosts that embed them. Each takes one JSON object, gives one JSON value back, and throws for no input.',
    renderLibrary(),
    '## Findings of doctor',
    'Beyond these, doctor reports every failure below that stops a command.',
    table(['reason', 'message', 'next step'], findingReasons.map(renderFinding)),
    '## Failures of a command',
    'Exit 2 (`check`: 5 for `ledger_unavailable`). `--json` prints `{"ok":false,"error":{"reason","file","field","message","hint"}}`.',
    table(['reason', 'message', 'hint'], failureReasons.map(renderFailure)),
  ];
  return `${parts.join('\n\n')}\n`;
}

export const environment = [
  ['DRIFT_STATE_DIR', 'the state directory, where `--state-dir` is not given'],
  ['DRIFT_CONFIG', 'the configuration file, where `--config` is not given'],
  ['DRIFT_AGENT_ID', 'who works, where `--agent-id` is not given'],
  ['DRIFT_TODO_ID', 'what is worked on, where `--todo-id` is not given'],
  ['DRIFT_TURN_ID', 'which turn a refresh ends, where `--turn-id` is not given'],
  [
    'DRIFT_DATABASE_URL',
    'the database of a fleet; another name by `fleet.database_url_env` or `--database-url-env`',
  ],
  ['DRIFT_DEBUG', 'adds the stack to the report of a bug'],
  ['TYPESAFE_API_KEY', 'the key of a model; another name by `system_one.api_key_env`'],
  ['LOOPX_REGISTRY', "the registry file of LoopX, looked at before the workspace's own"],
  ['CODEX_HOME', 'where `hooks.json` of Codex lies; `~/.codex` where it is not set'],
  ['NO_COLOR', 'no colours'],
];

async function renderCommand([name, { summary, load }]) {
  const { command } = await load();
  const options = readOptions(command);
  return [
    `### drift ${name}`,
    `${cell(summary[0].toUpperCase() + summary.slice(1))}.`,
    ['```text', `drift ${command.usage}`, '```'].join('\n'),
    cell(command.describe),
    ...(options.length > 0 ? [table(['option', 'value', 'meaning'], options)] : []),
    table(
      ['exit', 'meaning'],
      exitsOf(command).map(([status, meaning]) => [status, cell(meaning)]),
    ),
    ['```sh', ...command.examples.map(([line, meaning]) => `${line}    # ${meaning}`), '```'].join('\n'),
  ].join('\n\n');
}

/** What `build` declares, noted down instead of parsed. */
export function readOptions(command) {
  const declared = {};
  const recorder = new Proxy(
    {},
    {
      get: (_, method) => (name, spec) => {
        if (method === 'option') declared[name] = spec;
        if (method === 'options') Object.assign(declared, name);
        return recorder;
      },
    },
  );
  command.build(recorder);
  const shared = ['state-dir', 'config', 'json'];
  return Object.entries(declared)
    .filter(([name]) => !shared.includes(name))
    .map(([name, spec]) => [code(`--${name}`), optionValue(spec), cell(spec.describe)]);
}

function optionValue({ type, array, choices, default: usual, demandOption }) {
  const kind = choices ? choices.map(code).join(', ') : type === 'boolean' ? 'switch' : (type ?? 'string');
  const notes = [
    ...(array ? ['repeatable'] : []),
    ...(demandOption ? ['needed'] : []),
    ...(usual === undefined || usual === false || usual?.length === 0 ? [] : [`default ${code(usual)}`]),
  ];
  return [kind, ...notes].join('; ');
}

function renderSchema(schema) {
  return table(
    ['key', 'value', 'default', 'meaning'],
    schemaRows(z.toJSONSchema(schema, { io: 'input' }), ''),
  );
}

function schemaRows({ properties, required = [] }, prefix) {
  return Object.entries(properties).flatMap(([name, field]) => {
    const key = `${prefix}${name}`;
    const nested = [field, ...(field.anyOf ?? [])].filter((each) => each.properties);
    const usual = 'default' in field && nested.length === 0 ? code(JSON.stringify(field.default)) : '';
    const needed = required.includes(name) ? 'needed' : usual;
    const row = [code(key), kindOf(field), needed, cell(field.description ?? '')];
    return [row, ...nested.flatMap((each) => schemaRows(each, `${key}.`))];
  });
}

function kindOf(field) {
  if (field.const !== undefined) return code(field.const);
  if (field.enum) return field.enum.map(code).join(', ');
  if (field.anyOf) return [...new Set(field.anyOf.map(kindOf))].join(' or ');
  const range = field.minimum === undefined ? '' : ` ${field.minimum}–${field.maximum}`;
  const of = field.type === 'array' ? ` of ${kindOf(field.items)}` : '';
  return `${field.type ?? 'any'}${of}${range}`;
}

/** A source file of ours, parsed. */
function parseSource(name) {
  const file = fileURLToPath(new URL(`../src/${name}`, import.meta.url));
  return ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
}

/** The fields of one interface with their doc comments. */
function renderShape(file, name) {
  const source = parseSource(file);
  const shape = source.statements.find((each) => ts.isInterfaceDeclaration(each) && each.name.text === name);
  const rows = shape.members.map((member) => [
    code(`${member.name.getText(source)}${member.questionToken ? '?' : ''}`),
    code(member.type.getText(source).replaceAll(/\s+/g, ' ').replaceAll('readonly ', '')),
    cell(commentOf(member)),
  ]);
  const intro = commentOf(shape);
  return [`### ${name}`, ...(intro ? [cell(intro)] : []), table(['field', 'type', 'meaning'], rows)].join(
    '\n\n',
  );
}

/** What the package exports, each with the first sentence of its doc comment. */
function renderLibrary() {
  const rows = parseSource('index.ts').statements.map((statement) => {
    const name = statement.exportClause.elements[0].name.text;
    const source = parseSource(statement.moduleSpecifier.text);
    const made = source.statements.find((each) => each.name?.text === name || isConstant(each, name));
    return [code(name), cell(/^.*?[.](?=\s|$)/s.exec(commentOf(made))?.[0] ?? commentOf(made))];
  });
  return table(['function', 'what it gives back'], rows);
}

const isConstant = (statement, name) =>
  ts.isVariableStatement(statement) && statement.declarationList.declarations[0].name.getText() === name;

const commentOf = (node) =>
  (node.jsDoc ?? [])
    .map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? '')
    .join(' ')
    .replaceAll(/ ?\((?:contract|design) §[^)]*\)/g, '');

function renderFinding(reason) {
  const found = { reason, file: 'FILE', field: 'FIELD', detail: 'DETAIL' };
  const { message, nextStep } = describeFinding(found);
  return [code(reason), cell(message), cell(nextStep)];
}

function renderFailure(reason) {
  const instead = reason === 'registry_lock_unavailable' ? { nearest: 'COMMAND' } : {};
  const { message, hint } = describeFailure({
    reason,
    file: 'FILE',
    field: 'FIELD',
    detail: 'DETAIL',
    ...instead,
  });
  return [code(reason), cell(message), cell(hint)];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(page, await renderReference());
