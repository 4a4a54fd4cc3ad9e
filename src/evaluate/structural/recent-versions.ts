import type { CodeVersion } from './proof/prove-code.ts';

/** Characters of source whose forms are kept; a form takes some twenty times that. */
const MAX_LENGTH = 1 << 19;

/**
 * Forms that were read last. What one transition leaves behind is what the next one starts from, so that a drain reads
 * each version once.
 */
export class RecentVersions {
  private readonly versions = new Map<string, CodeVersion>();
  private length = 0;

  get(language: string, text: string): CodeVersion | undefined {
    const key = `${language}\n${text}`;
    const version = this.versions.get(key);
    if (version) {
      this.versions.delete(key);
      this.versions.set(key, version);
    }
    return version;
  }

  put(language: string, version: CodeVersion): void {
    const key = `${language}\n${version.text}`;
    if (version.text.length > MAX_LENGTH / 4 || this.versions.has(key)) return;
    this.versions.set(key, version);
    this.length += version.text.length;
    for (const [oldest, { text }] of this.versions) {
      if (this.length <= MAX_LENGTH) break;
      this.versions.delete(oldest);
      this.length -= text.length;
    }
  }
}
