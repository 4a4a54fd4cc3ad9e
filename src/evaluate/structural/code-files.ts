import type { FileTransition } from '../evaluator.ts';
import { type Budget, type Clock, PATIENCE, startBudget } from './budget.ts';
import { type CodeLanguage, codeLanguageOf } from './code-language.ts';
import type { Abstention } from './proof/proof.ts';
import { abstain } from './proof/proof.ts';
import type { CodeVersion } from './proof/prove-code.ts';
import { RecentVersions } from './recent-versions.ts';
import { decodeText, plainText } from './source-text.ts';
import { type Grammar, loadGrammar } from './syntax/grammar.ts';
import { readForm } from './syntax/read-form.ts';

export type Side = 'before' | 'after';

/** Longer sources are not parsed: no machine reads them within the budget of a file. */
const MAX_SOURCE_LENGTH = 1 << 20;

/** Characters that a grammar has to read until its code is compiled for speed. */
const COLD_LENGTH = 1 << 17;

/** The declared files of one transition, read as code when somebody asks, each side once. */
export class CodeFiles {
  private readonly read = new Map<string, Promise<CodeVersion | Abstention>>();
  private readonly files: readonly FileTransition[];
  private readonly budgetMs: number;
  private readonly clock: Clock;

  constructor(files: readonly FileTransition[], budgetMs: number, clock: Clock) {
    this.files = files;
    this.budgetMs = budgetMs;
    this.clock = clock;
  }

  get all(): readonly FileTransition[] {
    return this.files;
  }

  /** However busy the machine is, what cannot be asked to stop is stopped after this time. */
  get patienceMs(): number {
    return Math.max(1, PATIENCE * this.budgetMs);
  }

  /** A budget for one file; the first ones of a grammar also pay for the compilation of its code. */
  startBudget(grammar?: Grammar): Budget {
    const isCold = grammar !== undefined && grammar.parsedLength() < COLD_LENGTH;
    return startBudget(this.budgetMs * (isCold ? 4 : 1), this.clock);
  }

  /** One side of a file of code; both sides share the file's budget. */
  version(file: FileTransition, side: Side, budget?: Budget): Promise<CodeVersion | Abstention> {
    const same = file.before !== null && file.after !== null && Buffer.compare(file.before, file.after) === 0;
    const key = `${same ? 'both' : side} ${file.path}`;
    const known = this.read.get(key);
    if (known) return known;
    const reading = this.open(file, side, budget);
    this.read.set(key, reading);
    return reading;
  }

  private async open(file: FileTransition, side: Side, shared?: Budget): Promise<CodeVersion | Abstention> {
    const language = codeLanguageOf(file.path);
    const bytes = file[side];
    if (!language || bytes === null) return abstain('no_grammar');
    const decoded = decodeText(bytes);
    if (decoded === null) return abstain('incomplete_coverage', 'not UTF-8 text');
    const text = plainText(decoded, language.habits);
    const recent = recentVersions.get(language.name, text);
    if (recent) return recent;
    const grammar = await loadGrammar(language.grammar);
    const version = readVersion(language, grammar, text, shared ?? this.startBudget(grammar), side);
    if (!('proven' in version)) recentVersions.put(language.name, version);
    return version;
  }
}

const recentVersions = new RecentVersions();

function readVersion(
  language: CodeLanguage,
  grammar: Grammar,
  text: string,
  budget: Budget,
  side: Side,
): CodeVersion | Abstention {
  if (text.length > MAX_SOURCE_LENGTH) return abstain('over_budget', `${text.length} characters`);
  const refused = language.refuses?.(text);
  if (refused) return abstain('parse_error', `${side}: ${refused}`);
  const result = readForm(grammar, language.shaping, text, budget);
  if (!result.ok) return abstain(result.reason, `the text ${side} the change`);
  return { text, form: result.form, names: language.bind(result.form.root, text) };
}
