import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** When to cut: before COMMIT reaches the server, after it did but before its reply comes back, or after n bytes. */
export type Cut = 'before_commit' | 'after_commit' | { readonly afterBytes: number } | null;

/**
 * A TCP proxy in front of a server's Unix socket that can lose a connection at a chosen moment, both ways at once. Each
 * cut happens once; afterwards everything passes until the next one is set.
 */
export async function cuttingProxy(upstream: string) {
  let cut: Cut = null;
  let cuts = 0;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const remote = connect(upstream);
    for (const socket of [client, remote]) {
      open.add(socket);
      socket.on('error', () => undefined).on('close', () => open.delete(socket));
    }
    let passed = 0;
    let committing = false;
    const lose = (): void => {
      cut = null;
      cuts += 1;
      client.destroy();
      remote.destroy();
    };
    client.on('data', (bytes) => {
      const commits = bytes.includes('COMMIT\0');
      passed += bytes.length;
      if (cut === 'before_commit' && commits) return lose();
      if (cut !== null && typeof cut === 'object' && passed > cut.afterBytes) return lose();
      committing = commits;
      return void remote.write(bytes);
    });
    remote.on('data', (bytes) => {
      if (cut === 'after_commit' && committing) return lose();
      return void client.write(bytes);
    });
    client.on('end', () => remote.end());
    remote.on('end', () => client.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return {
    url: (database: string): string => `postgres://postgres@127.0.0.1:${port}/${database}`,
    cutNext: (next: Cut): void => {
      cut = next;
    },
    cuts: (): number => cuts,
  };
}
