export interface PostgresServer {
  readonly folder: string;
  readonly socket: string;
  readonly port: number;
  url(database?: string, user?: string): string;
  halt(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function findPostgres(): string | null;
export function startPostgres(options?: {
  readonly settings?: readonly string[];
  readonly tcp?: boolean;
}): Promise<PostgresServer>;
