/**
 * Parts of Node that are its own, and cheaper than the modules in front of them: those bring the whole of its streams along,
 * 0.3 of a start (docs/decisions/0014-parts-of-node.md). They change without notice, within a release line too, and a
 * Node that is asked in another way than it expects aborts. So nobody guesses: each Node is tried by itself, once, in a
 * process of its own (find-node-parts.ts), and a part that was not seen to do right is not used.
 */
export interface NodeParts {
  /** How a command is started: with one object, or with its parts in order. Null: by `node:child_process`. */
  readonly spawn: 'object' | 'parts' | null;
  /** How a digest is made. Null: by `node:crypto`. */
  readonly hash: 'one_shot' | null;
}

/** `spawn=object hash=one_shot`: how a trial tells it, and how it is kept. */
export const tellParts = ({ spawn, hash }: NodeParts): string => `spawn=${spawn ?? ''} hash=${hash ?? ''}`;

export function readParts(words: ReadonlyMap<string, string>): NodeParts {
  const [spawn, hash] = [words.get('spawn'), words.get('hash')];
  return {
    spawn: spawn === 'object' || spawn === 'parts' ? spawn : null,
    hash: hash === 'one_shot' ? hash : null,
  };
}

/** Throws where this Node has no such thing any more. Says nothing of what is deprecated: that is known. */
export function bindingOf(name: 'process_wrap' | 'crypto' | 'natives'): unknown {
  const { noDeprecation } = process;
  process.noDeprecation = true;
  try {
    return (process as unknown as { binding(name: string): unknown }).binding(name);
  } finally {
    process.noDeprecation = noDeprecation ?? false;
  }
}
