import { describe, expect, it } from 'vitest';
import { cascade, sparingCycles } from '../../src/evaluate/cascade.ts';
import type { Evaluation, Evaluator } from '../../src/evaluate/evaluator.ts';
import { optionsFor, remoteRig, serve } from '../support/remote.ts';
import { inputOf } from '../support/transition.ts';

const saying =
  (status: Evaluation['status']): Evaluator =>
  async () => ({
    status,
    reason: status === 'abstained' ? 'structural_unproven' : null,
    judgments: { choice: null, noul: null },
    facts: [{ fact: 'value_differs', path: 'a.py' }],
    evaluator: 'structural',
    model: 'structural-1',
    question_version: 'structural_proof_v1',
  });

describe('cascade', () => {
  it('sends nothing for what is proven', async () => {
    const server = await serve();
    const judge = cascade(saying('completed'), remoteRig(optionsFor(server.url)).evaluate);

    expect(await judge(inputOf())).toMatchObject({ evaluator: 'structural', model: 'structural-1' });
    expect(server.seen).toHaveLength(0);
  });

  it('sends what is not proven, and names who judged and why it was asked', async () => {
    const server = await serve();
    const judge = cascade(saying('abstained'), remoteRig(optionsFor(server.url)).evaluate);

    const evaluation = await judge(inputOf());

    expect(evaluation).toMatchObject({ status: 'completed', evaluator: 'system-one', model: 'jev-1.13.0' });
    expect(evaluation.facts[0]).toEqual({ fact: 'value_differs', path: 'a.py' });
    expect(server.seen).toHaveLength(1);
  });
});

describe('sparingCycles', () => {
  it('never sends a proven cycle to a model', async () => {
    const server = await serve();
    const judge = sparingCycles(saying('completed'), remoteRig(optionsFor(server.url)).evaluate);
    const history = { revisit: true, repetition: 2, cycle: true };

    expect(await judge(inputOf(undefined, { history }))).toMatchObject({ evaluator: 'structural' });
    expect(await judge(inputOf())).toMatchObject({ evaluator: 'system-one' });
    expect(server.seen).toHaveLength(1);
  });
});
