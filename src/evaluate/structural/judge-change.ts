import type { EvaluationInput, Fact, FileTransition, ProofLevel } from '../evaluator.ts';
import type { Clock } from './budget.ts';
import { CodeFiles } from './code-files.ts';
import { checkDeclaredDocs } from './declared-docs.ts';
import { checkDeclaredNames, type ProvenFile } from './declared-names.ts';
import { judgeFile } from './judge-file.ts';
import { abstentionFact, proofFact } from './proof/facts.ts';
import { goalGuard } from './proof/goal-guard.ts';
import { type Judgment, type Proof, weakest } from './proof/proof.ts';

/** The level at which the whole change is proven cosmetic, or null, and what is known of each changed file. */
export interface ChangeJudgment {
  readonly level: ProofLevel | null;
  readonly facts: readonly Fact[];
}

/** Judges every changed file, then whether their renames fit together, then whether the goal asks for such a change. */
export async function judgeChange(input: EvaluationInput, clock: Clock): Promise<ChangeJudgment> {
  const changed = input.files.filter(isChanged);
  const code = new CodeFiles(input.files, input.structural.file_budget_ms, clock);
  const judgments = new Map<FileTransition, Judgment>();
  for (const file of changed) judgments.set(file, await judgeFile(file, code, input.structural));
  const proofs = [...judgments.values()].filter((judgment): judgment is Proof => judgment.proven);
  if (proofs.length < changed.length || changed.length === 0)
    return { level: null, facts: factsOf(judgments) };
  const provenFiles = provenCode(judgments);
  const faults = new Map([
    ...(await checkDeclaredNames(provenFiles, code)),
    ...(await checkDeclaredDocs(provenFiles, code)),
  ]);
  if (faults.size > 0) {
    for (const [path, fault] of faults)
      for (const file of changed) if (file.path === path) judgments.set(file, fault);
    return { level: null, facts: factsOf(judgments) };
  }
  const guard = goalGuard(input.basis, proofs);
  if (guard)
    return { level: null, facts: [{ fact: guard.reason, detail: guard.detail }, ...factsOf(judgments)] };
  return { level: weakest(proofs.map(({ level }) => level)), facts: factsOf(judgments) };
}

function isChanged({ before, after }: FileTransition): boolean {
  if (before === null || after === null) return before !== after;
  return Buffer.compare(before, after) !== 0;
}

function provenCode(judgments: ReadonlyMap<FileTransition, Judgment>): ProvenFile[] {
  return [...judgments].flatMap(([file, proof]) =>
    'allowed' in proof ? [{ file, proof } as ProvenFile] : [],
  );
}

function factsOf(judgments: ReadonlyMap<FileTransition, Judgment>): Fact[] {
  return [...judgments].map(([{ path }, judgment]) =>
    judgment.proven ? proofFact(path, judgment) : abstentionFact(path, judgment),
  );
}
