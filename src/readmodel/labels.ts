import { closeSync, fchmodSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { readOwnFile } from '../json/read-json-file.ts';
import type { StateLayout } from '../spool/state-layout.ts';

export const truths = ['drift', 'on_goal', 'unknown'] as const;
export type Truth = (typeof truths)[number];

/** The owner's word on one event; null truth: the label was taken back. History is kept, the last one wins. */
export interface Label {
  /** ISO 8601. */
  readonly at: string;
  readonly event_id: string;
  readonly truth: Truth | null;
  readonly note?: string;
}

export const obligationTruths = ['right', 'wrong', 'unknown'] as const;
export type ObligationTruth = (typeof obligationTruths)[number];

/** The owner's word on one obligation: whether the agent owed a replan at all. It lies beside the labels of events. */
export interface ObligationLabel {
  readonly at: string;
  readonly obligation_id: string;
  readonly truth: ObligationTruth | null;
  readonly note?: string;
}

const MAX_LABEL_BYTES = 67_108_864;

/** The labels in force by event id. A line that cannot be read is skipped; the file only ever grows. */
export const readLabels = (layout: StateLayout): Map<string, InForce<Label>> =>
  inForce(
    layout,
    (line) => parseLabel(line, 'event_id', truths) as Label | null,
    ({ event_id }) => event_id,
  );

/** The same for obligations, by obligation id. */
export const readObligationLabels = (layout: StateLayout): Map<string, InForce<ObligationLabel>> =>
  inForce(
    layout,
    (line) => parseLabel(line, 'obligation_id', obligationTruths) as ObligationLabel | null,
    ({ obligation_id }) => obligation_id,
  );

type InForce<L extends { readonly truth: string | null }> = L & { readonly truth: NonNullable<L['truth']> };

function inForce<L extends { readonly truth: string | null }>(
  layout: StateLayout,
  parse: (line: string) => L | null,
  idOf: (label: L) => string,
): Map<string, InForce<L>> {
  const labels = new Map<string, InForce<L>>();
  const read = readOwnFile(layout.labels, MAX_LABEL_BYTES);
  if (!read.ok) return labels;
  for (const line of read.value.toString('utf8').split('\n')) {
    const label = parse(line);
    if (label === null) continue;
    if (label.truth === null) labels.delete(idOf(label));
    else labels.set(idOf(label), label as InForce<L>);
  }
  return labels;
}

function parseLabel(line: string, id: string, words: readonly string[]): object | null {
  try {
    const label = JSON.parse(line) as Record<string, unknown>;
    const { truth } = label;
    const known = truth === null || (typeof truth === 'string' && words.includes(truth));
    return typeof label[id] === 'string' && known ? label : null;
  } catch {
    return null;
  }
}

/** Adds one label, durably. */
export function appendLabel(layout: StateLayout, label: Label | ObligationLabel): void {
  const fd = openSync(layout.labels, 'a', 0o600);
  try {
    fchmodSync(fd, 0o600);
    writeSync(fd, `${JSON.stringify(label)}\n`);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
