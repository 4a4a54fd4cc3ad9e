import type { SpoolIo } from '../spool/spool-io.ts';
import type { StateLayout } from '../spool/state-layout.ts';

/**
 * How often the judging of one event was begun. Only the event in hand counts: judging is in sequence, so one small
 * file is enough. An event that ends the process three times is poison and is not tried again.
 */
export class Attempts {
  readonly io: SpoolIo;
  readonly layout: StateLayout;

  constructor(io: SpoolIo, layout: StateLayout) {
    this.io = io;
    this.layout = layout;
  }

  count(sequence: number): number {
    try {
      const fd = this.io.openSync(this.layout.attempts, 'r');
      try {
        const bytes = Buffer.alloc(64);
        const text = bytes.subarray(0, this.io.readSync(fd, bytes, 0, 64, 0)).toString('latin1');
        const [, noted, count] = /^(\d+) (\d+)\n/.exec(text) ?? [];
        return Number(noted) === sequence ? Number(count) : 0;
      } finally {
        this.io.closeSync(fd);
      }
    } catch {
      return 0;
    }
  }

  add(sequence: number): void {
    const count = this.count(sequence) + 1;
    const fd = this.io.openSync(this.layout.attempts, 'w', 0o600);
    try {
      this.io.fchmodSync(fd, 0o600);
      this.io.writeSync(fd, `${sequence} ${count}\n`);
    } finally {
      this.io.closeSync(fd);
    }
  }
}
