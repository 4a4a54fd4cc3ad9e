import { readStart } from './read-start.ts';

/** What /proc tells of an open descriptor of drift's own. */
export interface DescriptorInfo {
  /** Bytes. */
  readonly position: number;
  /** As in open(2). */
  readonly flags: number;
}

/** Null where there is no /proc, or no such descriptor. */
export function readDescriptorInfo(descriptor: number): DescriptorInfo | null {
  try {
    const [position = '', flags = ''] = readStart(`/proc/self/fdinfo/${descriptor}`, 64)
      .toString('latin1')
      .split('\n');
    const fieldOf = (line: string): string => line.slice(line.indexOf('\t') + 1);
    return { position: Number(fieldOf(position)), flags: Number.parseInt(fieldOf(flags), 8) };
  } catch {
    return null;
  }
}
