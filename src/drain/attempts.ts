import { createInPlace, openForUpdate, readAt } from '../spool/private-file.ts';
import { errorCode, type SpoolIo } from '../spool/spool-io.ts';
import type { StateLayout } from '../spool/state-layout.ts';

const SLOTS = 64;
const SLOT_BYTES = 32;

/**
 * How often the judging of an event was begun. Judging is in sequence and every result is soon durable, so a few slots
 * written in place are enough, and a full disk cannot stop them. An event that ends the process three times is poison
 * and is not tried again.
 */
export class Attempts {
  readonly io: SpoolIo;
  readonly layout: StateLayout;

  constructor(io: SpoolIo, layout: StateLayout) {
    this.io = io;
    this.layout = layout;
  }

  /**
   * Gives back how often the event was begun so far and notes that it is begun again, unless that was `max` times. Throws
   * where it cannot be noted, because nothing may be judged without end.
   */
  begin(sequence: number, max: number): number {
    const fd = this.open();
    try {
      const begun = this.read(fd, sequence);
      if (begun < max) this.write(fd, sequence, begun + 1);
      return begun;
    } finally {
      this.io.closeSync(fd);
    }
  }

  private write(fd: number, sequence: number, count: number): void {
    const slot = Buffer.from(`${`${sequence} ${count}`.padEnd(SLOT_BYTES - 1)}\n`);
    this.io.writeSync(fd, slot, 0, SLOT_BYTES, (sequence % SLOTS) * SLOT_BYTES);
  }

  private read(fd: number, sequence: number): number {
    const slot = readAt(this.io, fd, (sequence % SLOTS) * SLOT_BYTES, SLOT_BYTES).toString('latin1');
    const [, noted, count] = /^(\d+) (\d+) *\n$/.exec(slot) ?? [];
    return Number(noted) === sequence ? Number(count) : 0;
  }

  private open(): number {
    try {
      return openForUpdate(this.io, this.layout.attempts);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      return createInPlace(this.io, this.layout.attempts, Buffer.alloc(SLOTS * SLOT_BYTES, ' '));
    }
  }
}
