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

const MAX_LABEL_BYTES = 67_108_864;

/** The labels in force by event id. A line that cannot be read is skipped; the file only ever grows. */
export function readLabels(layout: StateLayout): Map<string, Label & { readonly truth: Truth }> {
  const labels = new Map<string, Label & { readonly truth: Truth }>();
  const read = readOwnFile(layout.labels, MAX_LABEL_BYTES);
  if (!read.ok) return labels;
  for (const line of read.value.toString('utf8').split('\n')) {
    const label = parseLabel(line);
    if (label === null) continue;
    const { truth } = label;
    if (truth === null) labels.delete(label.event_id);
    else labels.set(label.event_id, { ...label, truth });
  }
  return labels;
}

function parseLabel(line: string): Label | null {
  try {
    const label = JSON.parse(line) as Label;
    const known = label.truth === null || (truths as readonly string[]).includes(label.truth);
    return typeof label.event_id === 'string' && known ? label : null;
  } catch {
    return null;
  }
}

/** Adds one label, durably. */
export function appendLabel(layout: StateLayout, label: Label): void {
  const fd = openSync(layout.labels, 'a', 0o600);
  try {
    fchmodSync(fd, 0o600);
    writeSync(fd, `${JSON.stringify(label)}\n`);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
