import type { DriftEvent, FileState, TextPlace } from '../contract/event.ts';

/** A text that judging needs, and where it lies in the spool. */
export interface NeededText {
  readonly place: TextPlace;
  readonly size: number;
  readonly sha256: string;
}

/** Both sides of every text, the unchanged files' included: an evaluator sees all declared files. */
export function neededTexts(event: DriftEvent): NeededText[] {
  return event.files.flatMap((file) => [...sideAfter(file), ...sideBefore(file)]);
}

const sideAfter = ({ text, sha256, stat }: FileState): NeededText[] =>
  text === null || sha256 === null ? [] : [{ place: text, sha256, size: stat?.size ?? 0 }];

const sideBefore = ({ before }: FileState): NeededText[] =>
  !before || before.text === null || before.sha256 === null
    ? []
    : [{ place: before.text, sha256: before.sha256, size: before.size }];
