export type StateEntryKind = 'file' | 'folder';

const fixed: Readonly<Record<string, StateEntryKind>> = {
  format: 'file',
  '.gitignore': 'file',
  'config.json': 'file',
  'observer.json': 'file',
  'basis.json': 'file',
  'labels.jsonl': 'file',
  'diagnostics.log': 'file',
  'diagnostics.log.1': 'file',
  'last-refresh.json': 'file',
  head: 'file',
  cursor: 'file',
  claims: 'file',
  try: 'file',
  floor: 'file',
  'aggregate.json': 'file',
  'drain.json': 'file',
  mode: 'file',
  shipped: 'file',
  tmp: 'folder',
  ev: 'folder',
  mark: 'folder',
  tally: 'folder',
  rcpt: 'folder',
  s1: 'folder',
  dead: 'folder',
  'drain.lock': 'folder',
  archive: 'folder',
  check: 'folder',
  gate: 'folder',
  hook: 'folder',
  runtime: 'folder',
};

/** What of drift's an entry of the state directory is; null: somebody else's. */
export function kindOfStateEntry(name: string): StateEntryKind | null {
  if (Object.hasOwn(fixed, name)) return fixed[name] ?? null;
  // With its lock, and what is staged beside it.
  if (/^registry\.json(\..+)?$/.test(name)) return name.endsWith('.lock') ? 'folder' : 'file';
  return null;
}
