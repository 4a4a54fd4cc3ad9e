import { createTwoFilesPatch } from 'diff';
import type { DriftEvent, FileState } from '../contract/event.ts';
import type { EventSummary } from '../contract/judged-event.ts';
import { TextCache } from '../drain/transition-input.ts';
import type { LoadedObserver } from '../observer/load-observer.ts';
import { nodeIo } from '../spool/spool-io.ts';
import type { StateLayout } from '../spool/state-layout.ts';
import type { FoundEvent } from './find-event.ts';
import { type Label, readLabels, type Truth } from './labels.ts';

const MAX_DIFF_BYTES = 262_144;

/** The change of one file: a unified diff while both texts are retained, else the reason why there is none. */
export interface FileDiff {
  readonly path: string;
  readonly change: string;
  readonly diff: string | null;
  readonly unavailable?: string;
}

/** Everything that its owner may see of one event: `drift show --json`. */
export interface EventDetail extends EventSummary {
  readonly schema: 'drift_event_detail_v1';
  readonly label: { readonly truth: Truth; readonly note: string | null; readonly at: string } | null;
  readonly model: string | null;
  readonly question_version: string | null;
  readonly engine: Readonly<Record<string, string>> | null;
  readonly contract_revision: string;
  /** False: it was judged under another basis than today's. */
  readonly revision_is_current: boolean;
  readonly captured_at: string;
  readonly host: DriftEvent['host'];
  readonly chain: DriftEvent['chain'];
  readonly diffs: readonly FileDiff[];
}

/** Puts together what is known of an event: its result, its label, its diffs while the text is retained. */
export function describeEvent({ layout, contractRevision }: LoadedObserver, found: FoundEvent): EventDetail {
  const { entry, summary } = found;
  const { event } = found.stored;
  return {
    schema: 'drift_event_detail_v1',
    ...summary,
    label: labelOf(readLabels(layout).get(summary.event_id)),
    model: entry?.receipt.model ?? null,
    question_version: entry?.receipt.question_version ?? null,
    engine: entry?.engine ?? null,
    contract_revision: event.contract_revision,
    revision_is_current: event.contract_revision === contractRevision,
    captured_at: event.captured_at,
    host: event.host,
    chain: event.chain,
    diffs: diffEvent(layout, found),
  };
}

const labelOf = (label: (Label & { readonly truth: Truth }) | undefined): EventDetail['label'] =>
  label ? { truth: label.truth, note: label.note ?? null, at: label.at } : null;

function diffEvent(layout: StateLayout, { stored }: FoundEvent): FileDiff[] {
  const cache = new TextCache(nodeIo, layout);
  return stored.event.files.flatMap((file) => (file.change ? [diffFile(file, file.change, cache)] : []));
}

function diffFile(file: FileState, change: string, cache: TextCache): FileDiff {
  const { path, state, before } = file;
  const unreadable =
    state === 'unreadable' ? file.reason : before?.state === 'unreadable' ? before.reason : undefined;
  if (unreadable) return { path, change, diff: null, unavailable: unreadable };
  const after = state === 'missing' ? '' : textOf(cache.read({ ...file, size: file.stat?.size ?? 0 }));
  const earlier = before ? textOf(cache.read(before)) : '';
  if (after === null || earlier === null)
    return { path, change, diff: null, unavailable: 'text_not_retained' };
  if (after.length + earlier.length > MAX_DIFF_BYTES)
    return { path, change, diff: null, unavailable: 'too_large_to_show' };
  return { path, change, diff: createTwoFilesPatch(path, path, earlier, after, 'before', 'after') };
}

const textOf = (bytes: Buffer | null): string | null => bytes?.toString('utf8') ?? null;
