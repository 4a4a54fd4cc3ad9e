export { judgeFinality } from './finality/judge-finality.ts';
export { tallyGate } from './gate/tally-gate.ts';
export { classifyTurnEnd } from './turn/classify-turn-end.ts';
