import { constants, type Stats } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { SpoolIo } from '../../src/spool/spool-io.ts';

interface Node {
  readonly ino: number;
  readonly kind: 'file' | 'folder';
  mode: number;
  mtimeMs: number;
  links: number;
  data: Buffer;
  /** What the disk has: null when it was never synced. */
  durableData: Buffer | null;
  entries: Map<string, number>;
  durableEntries: Map<string, number>;
}

/**
 * What a power cut leaves. A disk may have written more than it was made to, in any order, so each side has its
 * extremes: names as they were last synced or as they were, bytes likewise, or half of what was not synced.
 */
export interface PowerCut {
  readonly names: 'synced' | 'all';
  readonly bytes: 'synced' | 'all' | 'torn';
}

export const powerCuts: readonly PowerCut[] = [
  { names: 'synced', bytes: 'synced' },
  { names: 'synced', bytes: 'torn' },
  { names: 'all', bytes: 'synced' },
  { names: 'all', bytes: 'torn' },
  { names: 'synced', bytes: 'all' },
];

const failure = (code: string, path = ''): Error =>
  Object.assign(new Error(`${code} ${path}`), { code, path });

/** A filesystem in memory that forgets what was not synced: a file's bytes and a folder's names, each by itself. */
export class ModelFs {
  private readonly nodes = new Map<number, Node>();
  private readonly handles = new Map<number, { readonly node: Node; readonly append: boolean; at: number }>();
  private nextIno = 1;
  private nextFd = 1_000;
  /** Epoch milliseconds that new and written files get. */
  clock = Date.UTC(2026, 0, 1);

  constructor() {
    this.make('folder', 0o700);
  }

  private make(kind: Node['kind'], mode: number): Node {
    const node: Node = {
      ino: this.nextIno++,
      kind,
      mode,
      mtimeMs: this.clock,
      links: 0,
      data: Buffer.alloc(0),
      durableData: null,
      entries: new Map(),
      durableEntries: new Map(),
    };
    this.nodes.set(node.ino, node);
    return node;
  }

  private at(path: string): Node | null {
    let node = this.nodes.get(1);
    for (const part of path.split('/').filter(Boolean)) {
      if (node?.kind !== 'folder') throw failure(node ? 'ENOTDIR' : 'ENOENT', path);
      node = this.nodes.get(node.entries.get(part) ?? 0);
      if (!node) return null;
    }
    return node ?? null;
  }

  private folderOf(path: string): Node {
    const folder = this.at(dirname(path));
    if (folder?.kind !== 'folder') throw failure('ENOENT', path);
    return folder;
  }

  private need(path: string): Node {
    const node = this.at(path);
    if (!node) throw failure('ENOENT', path);
    return node;
  }

  private handle(fd: number) {
    const handle = this.handles.get(fd);
    if (!handle) throw failure('EBADF');
    return handle;
  }

  private unlinked(folder: Node, name: string): void {
    const node = this.nodes.get(folder.entries.get(name) ?? 0);
    if (node) node.links -= 1;
    folder.entries.delete(name);
  }

  /** Everything so far reaches the disk. */
  settle(): void {
    for (const node of this.nodes.values()) {
      node.durableData = node.data;
      node.durableEntries = new Map(node.entries);
    }
  }

  /** The process is killed (null) or the power goes: every handle is gone, and what is left is as the cut says. */
  end(cut: PowerCut | null): void {
    this.handles.clear();
    if (cut === null) return;
    for (const node of this.nodes.values()) {
      if (cut.names === 'synced') node.entries = new Map(node.durableEntries);
      if (node.kind === 'file') node.data = leftOf(node, cut.bytes);
      node.durableData = node.data;
      node.durableEntries = new Map(node.entries);
    }
  }

  /** Another disk with the same on it. Bytes are shared: they are replaced, never changed. */
  copy(): ModelFs {
    const other = new ModelFs();
    other.nodes.clear();
    for (const [ino, node] of this.nodes)
      other.nodes.set(ino, {
        ...node,
        entries: new Map(node.entries),
        durableEntries: new Map(node.durableEntries),
      });
    other.nextIno = this.nextIno;
    other.clock = this.clock;
    return other;
  }

  /** Open handles: none may be left behind. */
  get openHandles(): number {
    return this.handles.size;
  }

  /** Puts a file there as if it had always been. */
  plant(path: string, bytes: Uint8Array | string): void {
    const folder = this.folderOf(path);
    const node = this.make('file', 0o600);
    node.data = Buffer.from(bytes as Uint8Array);
    node.durableData = node.data;
    node.links = 1;
    folder.entries.set(basename(path), node.ino);
    folder.durableEntries.set(basename(path), node.ino);
  }

  read(path: string): Buffer {
    return this.need(path).data;
  }

  list(path: string): string[] {
    return [...(this.at(path)?.entries.keys() ?? [])].sort();
  }

  /** The calls of the spool, answered from memory. */
  get io(): SpoolIo {
    return this.calls as unknown as SpoolIo;
  }

  private readonly calls = {
    openSync: (path: string, flags: string | number, mode = 0o666): number => {
      const bits = typeof flags === 'number' ? flags : flagBits(flags);
      let node = this.at(path);
      if (node && bits & constants.O_CREAT && bits & constants.O_EXCL) throw failure('EEXIST', path);
      if (!node) {
        if (!(bits & constants.O_CREAT)) throw failure('ENOENT', path);
        const folder = this.folderOf(path);
        node = this.make('file', mode);
        node.links = 1;
        folder.entries.set(basename(path), node.ino);
      }
      if (node.kind === 'folder' && bits & (constants.O_WRONLY | constants.O_RDWR))
        throw failure('EISDIR', path);
      if (bits & constants.O_TRUNC) node.data = Buffer.alloc(0);
      const fd = this.nextFd++;
      this.handles.set(fd, { node, append: (bits & constants.O_APPEND) !== 0, at: 0 });
      return fd;
    },
    closeSync: (fd: number): void => {
      this.handle(fd);
      this.handles.delete(fd);
    },
    writeSync: (
      fd: number,
      source: Uint8Array | string,
      offset = 0,
      length?: number,
      position: number | null = null,
    ): number => {
      const handle = this.handle(fd);
      const all = Buffer.from(source as Uint8Array);
      const bytes = typeof source === 'string' ? all : all.subarray(offset, offset + (length ?? all.length));
      const at = handle.append ? handle.node.data.length : (position ?? handle.at);
      const data = Buffer.alloc(Math.max(handle.node.data.length, at + bytes.length));
      handle.node.data.copy(data);
      bytes.copy(data, at);
      handle.node.data = data;
      handle.node.mtimeMs = this.clock;
      if (position === null) handle.at = at + bytes.length;
      return bytes.length;
    },
    readSync: (fd: number, into: Uint8Array, offset: number, length: number, position: number): number => {
      const { node } = this.handle(fd);
      if (node.kind === 'folder') throw failure('EISDIR');
      const bytes = node.data.subarray(position, position + length);
      into.set(bytes, offset);
      return bytes.length;
    },
    fsyncSync: (fd: number): void => {
      const { node } = this.handle(fd);
      if (node.kind === 'file') node.durableData = node.data;
      else node.durableEntries = new Map(node.entries);
    },
    ftruncateSync: (fd: number, length = 0): void => {
      const { node } = this.handle(fd);
      node.data = Buffer.from(node.data.subarray(0, length));
      node.mtimeMs = this.clock;
    },
    fstatSync: (fd: number) => statsOf(this.handle(fd).node),
    fchmodSync: (fd: number, mode: number): void => {
      this.handle(fd).node.mode = mode;
    },
    chmodSync: (path: string, mode: number): void => {
      this.need(path).mode = mode;
    },
    linkSync: (from: string, to: string): void => {
      const node = this.need(from);
      const folder = this.folderOf(to);
      if (folder.entries.has(basename(to))) throw failure('EEXIST', to);
      folder.entries.set(basename(to), node.ino);
      node.links += 1;
    },
    unlinkSync: (path: string): void => {
      this.need(path);
      this.unlinked(this.folderOf(path), basename(path));
    },
    renameSync: (from: string, to: string): void => {
      const node = this.need(from);
      const folder = this.folderOf(to);
      this.unlinked(folder, basename(to));
      folder.entries.set(basename(to), node.ino);
      this.folderOf(from).entries.delete(basename(from));
    },
    mkdirSync: (path: string, mode: number): void => {
      if (this.at(path)) throw failure('EEXIST', path);
      const folder = this.folderOf(path);
      folder.entries.set(basename(path), this.make('folder', mode).ino);
    },
    readdirSync: (path: string): string[] => {
      const node = this.need(path);
      if (node.kind !== 'folder') throw failure('ENOTDIR', path);
      return [...node.entries.keys()];
    },
    statSync: (path: string, options?: { throwIfNoEntry?: boolean }) => this.stat(path, options),
    lstatSync: (path: string, options?: { throwIfNoEntry?: boolean }) => this.stat(path, options),
  };

  private stat(path: string, { throwIfNoEntry = true } = {}) {
    const node = this.at(path);
    if (node) return statsOf(node);
    if (throwIfNoEntry) throw failure('ENOENT', path);
    return undefined;
  }
}

/** A disk that holds one folder and those it lies in. */
export function diskWith(folder: string): ModelFs {
  const disk = new ModelFs();
  const parts = folder.split('/').filter(Boolean);
  for (const n of parts.keys()) disk.io.mkdirSync(`/${parts.slice(0, n + 1).join('/')}`, 0o700);
  return disk;
}

function leftOf({ data, durableData }: Node, bytes: PowerCut['bytes']): Buffer {
  const synced = durableData ?? Buffer.alloc(0);
  if (bytes === 'all' || data === durableData) return data;
  if (bytes === 'synced') return synced;
  const middle = Math.floor(data.length / 2);
  const rest = Buffer.alloc(data.length - middle);
  rest.set(synced.subarray(middle, data.length));
  return Buffer.concat([data.subarray(0, middle), rest]);
}

const statsOf = (node: Node): Partial<Stats> => ({
  ino: node.ino,
  mode: node.mode,
  nlink: node.links,
  size: node.data.length,
  mtimeMs: node.mtimeMs,
  isFile: () => node.kind === 'file',
  isDirectory: () => node.kind === 'folder',
  isSymbolicLink: () => false,
});

function flagBits(flags: string): number {
  const { O_RDONLY, O_RDWR, O_WRONLY, O_CREAT, O_EXCL, O_TRUNC, O_APPEND } = constants;
  const known: Record<string, number> = {
    r: O_RDONLY,
    'r+': O_RDWR,
    w: O_WRONLY | O_CREAT | O_TRUNC,
    wx: O_WRONLY | O_CREAT | O_EXCL,
    'wx+': O_RDWR | O_CREAT | O_EXCL,
    a: O_WRONLY | O_CREAT | O_APPEND,
  };
  const bits = known[flags];
  if (bits === undefined) throw new Error(`the model does not know the flag ${flags}`);
  return bits;
}
