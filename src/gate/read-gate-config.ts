import type { Failure } from '../contract/failure.ts';
import { type GateCommand, type GateConfig, gateConfigSchema, gateConfigVersion } from '../contract/gate.ts';
import { parseShape } from '../contract/parse.ts';
import type { Result } from '../contract/result.ts';
import { readJsonFile } from '../json/read-json-file.ts';

const maxConfigBytes = 256 * 1024;

/** What a gate does where nobody configured one. */
export const plainConfig: GateConfig = gateConfigSchema.parse({ schema_version: gateConfigVersion });

/** Reads a gate's configuration. Fails with `config_invalid`, naming the key, or as reading a file does. */
export function readGateConfig(file: string): Result<GateConfig, Failure> {
  const read = readJsonFile(file, maxConfigBytes);
  return read.ok ? parseShape(gateConfigSchema, read.value.value, { reason: 'config_invalid', file }) : read;
}

/** The declared commands as the gate runs them; null where the configuration leaves them to discovery. */
export function declaredCommands({ commands }: GateConfig): GateCommand[] | null {
  if (commands === undefined) return null;
  return commands.map(({ label, argv, timeout_ms: timeoutMs, skip_exit: skipExit, exit_127: exit127 }) => ({
    label: label ?? argv.join(' '),
    argv,
    timeoutMs,
    skipExit,
    exit127,
  }));
}
