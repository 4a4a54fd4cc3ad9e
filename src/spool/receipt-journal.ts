import { dirname, join } from 'node:path';
import { makePrivateFolder, syncFolder } from './durable-file.ts';
import { sha256 } from './lazy-crypto.ts';
import { openForAppend, readAt, readPrivateFile, writeAll } from './private-file.ts';
import { errorCode, listNames, type SpoolIo } from './spool-io.ts';
import { type StateLayout, shardOf } from './state-layout.ts';

const MAX_SHARD_BYTES = 1_073_741_824;
const MAX_TRIES = 3;
const LINE = /^(\d{12}) ([0-9a-f]{16}) ([0-9a-f]{64}) (.*)$/s;
const NEWLINE = 0x0a;

/** A result and the event that it speaks of. */
export interface JournalLine {
  readonly sequence: number;
  /** Digest of the event. */
  readonly digest: string;
  /** One line of JSON, without its end. */
  readonly json: string;
}

const keyOf = ({ sequence, digest }: Pick<JournalLine, 'sequence' | 'digest'>): string =>
  `${String(sequence).padStart(12, '0')} ${digest.slice(0, 16)}`;

/**
 * The private journal: a result is durable here before it is published. One file per shard of the chain, one line per
 * result, each with its own digest; a line that was cut off or damaged is no line. The event's digest is part of a
 * line's key, so that an event which took the number of one lost to a power cut is never taken for judged. Lines are
 * only ever added, and the first one for a key stands, so two drainers at once agree on every result.
 */
export class Journal {
  readonly io: SpoolIo;
  readonly layout: StateLayout;
  private shard = '';
  private lines = new Map<string, string>();
  private readTo = 0;

  constructor(io: SpoolIo, layout: StateLayout) {
    this.io = io;
    this.layout = layout;
  }

  /** The result of an event; null when it has none. */
  find(sequence: number, digest: string): string | null {
    this.enter(shardOf(sequence));
    return this.lines.get(keyOf({ sequence, digest })) ?? null;
  }

  /** Makes results of one shard durable with one fsync, and gives back what stands for each. */
  append(lines: readonly JournalLine[]): string[] {
    const [first] = lines;
    if (!first) return [];
    this.enter(shardOf(first.sequence));
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const missing = lines.filter((line) => !this.lines.has(keyOf(line)));
      if (missing.length > 0) this.add(missing);
      const standing = lines.map((line) => this.lines.get(keyOf(line)));
      if (standing.every((json) => json !== undefined)) return standing;
    }
    throw Object.assign(new Error('the journal does not keep what is written to it'), { code: 'EIO' });
  }

  /** Sequence number of the newest result, -1 when there is none. */
  newest(): number {
    const shards = listNames(this.io, this.layout.journal).filter((name) => /^\d{8}\.jsonl$/.test(name));
    for (const name of shards.sort().reverse()) {
      this.enter(name.slice(0, 8));
      const newest = Math.max(-1, ...[...this.lines.keys()].map((key) => Number(key.slice(0, 12))));
      if (newest >= 0) return newest;
    }
    return -1;
  }

  private get file(): string {
    return join(this.layout.journal, `${this.shard}.jsonl`);
  }

  private enter(shard: string): void {
    if (shard === this.shard) return;
    this.shard = shard;
    this.lines = new Map();
    this.readTo = 0;
    this.take(readPrivateFile(this.io, this.file, MAX_SHARD_BYTES) ?? Buffer.alloc(0));
  }

  /** Reads on from where it stopped, whole lines only. */
  private take(bytes: Buffer): void {
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    this.readTo += end;
    for (const text of bytes.subarray(0, end).toString('utf8').split('\n')) {
      const [, sequence = '', digest = '', check, json = ''] = LINE.exec(text) ?? [];
      const key = `${sequence} ${digest}`;
      if (check === sha256(`${key} ${json}`) && !this.lines.has(key)) this.lines.set(key, json);
    }
  }

  private add(lines: readonly JournalLine[]): void {
    const fd = this.open();
    try {
      const { size } = this.io.fstatSync(fd);
      // Whoever was cut off in the middle of a line keeps that line to himself.
      const cut = size > 0 && readAt(this.io, fd, size - 1, 1)[0] !== NEWLINE;
      const text = lines.map((line) => {
        const key = keyOf(line);
        return `${key} ${sha256(`${key} ${line.json}`)} ${line.json}\n`;
      });
      writeAll(this.io, fd, Buffer.from(`${cut ? '\n' : ''}${text.join('')}`));
      this.io.fsyncSync(fd);
      if (size === 0) {
        syncFolder(this.io, this.layout.journal);
        syncFolder(this.io, dirname(this.layout.journal));
      }
      this.take(readAt(this.io, fd, this.readTo, this.io.fstatSync(fd).size - this.readTo));
    } finally {
      this.io.closeSync(fd);
    }
  }

  private open(): number {
    try {
      return openForAppend(this.io, this.file);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      makePrivateFolder(this.io, this.layout.journal);
      return openForAppend(this.io, this.file);
    }
  }
}

/** Whether a line of a journal is one that some drift has written, whole. */
export function isJournalLine(line: string): boolean {
  const [, sequence = '', digest = '', check, json = ''] = LINE.exec(line) ?? [];
  return check === sha256(`${sequence} ${digest} ${json}`);
}
