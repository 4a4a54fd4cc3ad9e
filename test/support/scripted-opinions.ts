import { answersOf, type Behaviour, type Opinion, type SystemOneBody } from './system-one-server.ts';

const served: Opinion = {
  relation: 'on_goal',
  increment: 'new_evidence',
  behavior_change: 0.94,
  serves_acceptance: 0.91,
  evidence_increment: 0.88,
};
const tidied: Opinion = {
  relation: 'off_goal',
  increment: 'no_new_evidence',
  behavior_change: 0.03,
  serves_acceptance: 0.04,
  evidence_increment: 0.02,
};

/** A text that only one round of `fixtures/compare/matrix.json` adds, and what the fake server says of that round. */
const opinions: readonly (readonly [added: string, Opinion])[] = [
  ['+    for turn in range', { ...tidied, sure: 0.84 }],
  ['+    # Ask until', tidied],
  ['+    # Keep asking', { ...tidied, sure: 0.55 }],
  ['+  for (const price of prices) sum += Math', served],
  ['+  for (const price of prices) {', tidied],
  ['+// Adds up', { ...tidied, serves_acceptance: 0.5 }],
  ['+def test_umlauts', { ...served, relation: 'necessary_prerequisite', sure: 0.78 }],
  ['+SPELT', served],
  [
    '+Tried: one',
    {
      relation: 'unknown',
      increment: 'unknown',
      sure: 0.5,
      behavior_change: 0.5,
      serves_acceptance: 0.45,
      evidence_increment: 0.55,
    },
  ],
  ['+{ "batch": 500', { ...served, serves_acceptance: 0.72 }],
  ['+# Number of lines', tidied],
];

/** How the fake server answers a round of the fixture matrix; a round that it does not know gets a wrong answer. */
export function answerFixture(request: SystemOneBody): Behaviour {
  const { changed_files: files } = request.state as { changed_files: { lines: string }[] };
  const opinion = opinions.find(([added]) => files.some(({ lines }) => lines.includes(added)));
  if (opinion) return { kind: 'answer', answers: answersOf(opinion[1]) };
  const wrong = answersOf(tidied)['relation'] as { choice: string };
  return { kind: 'answer', answers: { ...answersOf(tidied), relation: { ...wrong, choice: 'on_goal' } } };
}
