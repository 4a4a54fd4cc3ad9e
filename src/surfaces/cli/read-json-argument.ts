import { resolve } from 'node:path';
import type { Failure } from '../../contract/failure.ts';
import type { Result } from '../../contract/result.ts';
import { ok } from '../../contract/result.ts';
import { parseJsonText, readJsonFile } from '../../json/read-json-file.ts';
import type { JsonValue } from '../../json/strict-json.ts';

const maxBytes = 4 * 1024 * 1024;

/** The JSON that an option holds, or the file that it names as `@FILE`. `option` is named in a failure. */
export function readJsonArgument(value: string, option: string, cwd: string): Result<JsonValue, Failure> {
  if (!value.startsWith('@')) return parseJsonText(value, option);
  const read = readJsonFile(resolve(cwd, value.slice(1)), maxBytes);
  return read.ok ? ok(read.value.value) : read;
}
