import { createHash } from 'node:crypto';
import { createReadStream, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { execa } from 'execa';

const maxFiles = 20_000;
const maxBytes = 512 * 1024 * 1024;
const gitMs = 20_000;
const skippedFolders = new Set(['.git', '.drift', 'node_modules']);

/** What a verdict is bound to. */
export interface WorktreeState {
  /** Null outside a git repository. */
  readonly headSha: string | null;
  /** Null beyond 20 000 files or 512 MiB. */
  readonly digest: string | null;
}

/**
 * The commit and the contents of a folder: every file that git tracks or would track, or, outside git, every file but
 * those in `.git`, `.drift` and `node_modules`. `exclude` is left out: a file that holds the digest cannot be in it.
 */
export async function readWorktree(cwd: string, exclude: string | null): Promise<WorktreeState> {
  const head = await git(cwd, ['rev-parse', '--verify', '--quiet', 'HEAD']);
  const listed = await git(cwd, ['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  const files =
    listed === null
      ? walk(cwd)
      : listed.split('\0').filter((name) => name !== '' && !name.startsWith('.drift/'));
  const counted = files?.filter((name) => join(cwd, name) !== exclude) ?? null;
  return { headSha: head?.trim() || null, digest: counted && (await digestOf(cwd, counted)) };
}

/** True when a path is committed in the repository of `cwd`. */
export async function listCommitted(cwd: string): Promise<ReadonlySet<string>> {
  const listed = await git(cwd, ['ls-tree', '-r', '-z', '--name-only', 'HEAD']);
  return new Set(listed?.split('\0') ?? []);
}

/** sha256 of one file's bytes; null when it is no regular file. */
export async function digestFile(path: string): Promise<string | null> {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) return null;
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

async function git(cwd: string, words: readonly string[]): Promise<string | null> {
  const { exitCode, stdout } = await execa('git', words, {
    cwd,
    reject: false,
    timeout: gitMs,
    stdin: 'ignore',
    stripFinalNewline: false,
    maxBuffer: 64 * 1024 * 1024,
    env: { GIT_OPTIONAL_LOCKS: '0' },
  });
  return exitCode === 0 ? stdout : null;
}

function walk(cwd: string): string[] | null {
  const files: string[] = [];
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(join(cwd, folder), { withFileTypes: true })) {
      const name = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!skippedFolders.has(entry.name)) folders.push(name);
      } else files.push(name);
      if (files.length + folders.length > maxFiles) return null;
    }
  }
  return files;
}

async function digestOf(cwd: string, files: readonly string[]): Promise<string | null> {
  if (files.length > maxFiles) return null;
  const hash = createHash('sha256');
  let bytes = 0;
  for (const name of [...files].sort()) {
    const path = join(cwd, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    bytes += stat?.size ?? 0;
    if (bytes > maxBytes) return null;
    const content = stat?.isSymbolicLink() ? `link ${readlinkSync(path)}` : await digestFile(path);
    hash.update(`${name}\0${(stat?.mode ?? 0) & 0o111 ? 'x' : '-'}\0${content ?? 'none'}\n`);
  }
  return hash.digest('hex');
}
