import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { type Matrix, type MatrixCase, matrixSchema } from '../contract/comparison.ts';
import type { Failure } from '../contract/failure.ts';
import { parseShape } from '../contract/parse.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import { parseStrictJson } from '../json/strict-json.ts';
import { sha256 } from '../spool/lazy-crypto.ts';

const maxMatrixBytes = 262_144;
const maxFixtureBytes = 32_768;

/** Path in the workspace → its bytes at a checkpoint; null: absent. A path that is not named is unchanged. */
export type FileSet = ReadonlyMap<string, Buffer | null>;

export interface LoadedCase {
  readonly definition: MatrixCase;
  readonly baseline: FileSet;
  readonly rounds: readonly FileSet[];
}

export interface LoadedMatrix {
  readonly matrix: Matrix;
  /** sha256 of the file's bytes. */
  readonly digest: string;
  readonly cases: readonly LoadedCase[];
}

/**
 * Reads a matrix with all its fixture texts (contract §11): at most 256 KiB, each text and each round at most 32 KiB,
 * regular files inside the matrix's folder, no NUL. Reasons: `matrix_invalid`, and those of a file that cannot be read.
 */
export function loadMatrix(file: string): Result<LoadedMatrix, Failure> {
  const bytes = readPlainFile(file, maxMatrixBytes);
  if (!bytes.ok) return bytes;
  const parsed = parseStrictJson(bytes.value.toString('utf8'));
  if (!parsed.ok) {
    const { line, column, fault } = parsed.fault;
    return fail({
      reason: 'json_invalid',
      file,
      position: { line, column },
      detail: fault.replaceAll('_', ' '),
    });
  }
  const matrix = parseShape(matrixSchema, parsed.value, { file, reason: 'matrix_invalid' });
  if (!matrix.ok) return matrix;
  const cases: LoadedCase[] = [];
  for (const definition of matrix.value.cases) {
    const loaded = loadCase(definition, dirname(file));
    if (!loaded.ok) return loaded;
    cases.push(loaded.value);
  }
  return ok({ matrix: matrix.value, digest: sha256(bytes.value), cases });
}

function loadCase(definition: MatrixCase, folder: string): Result<LoadedCase, Failure> {
  const baseline = loadFiles(definition.baseline, folder);
  if (!baseline.ok) return baseline;
  const rounds: FileSet[] = [];
  for (const { files } of definition.rounds) {
    const round = loadFiles(files, folder);
    if (!round.ok) return round;
    rounds.push(round.value);
  }
  return ok({ definition, baseline: baseline.value, rounds });
}

function loadFiles(files: MatrixCase['baseline'], folder: string): Result<FileSet, Failure> {
  const texts = new Map<string, Buffer | null>();
  let size = 0;
  for (const [path, fixture] of Object.entries(files)) {
    const bytes = fixture === null ? ok(null) : loadFixture(folder, fixture);
    if (!bytes.ok) return bytes;
    size += bytes.value?.length ?? 0;
    if (size > maxFixtureBytes) return fail({ reason: 'file_too_large', file: join(folder, fixture ?? '') });
    texts.set(path, bytes.value);
  }
  return ok(texts);
}

function loadFixture(folder: string, fixture: string): Result<Buffer, Failure> {
  const file = join(folder, fixture);
  const bytes = readPlainFile(file, maxFixtureBytes);
  if (!bytes.ok) return bytes;
  if (!realpathSync(file).startsWith(`${realpathSync(folder)}${sep}`))
    return fail({ reason: 'file_not_regular', file, detail: 'a link leads out of the folder of the matrix' });
  return bytes.value.includes(0) ? fail({ reason: 'matrix_invalid', file, detail: 'it holds a NUL' }) : bytes;
}

/** A whole regular file, whoever owns it: a matrix comes with a checkout or a package. */
function readPlainFile(file: string, maxBytes: number): Result<Buffer, Failure> {
  try {
    const stat = lstatSync(file);
    if (!stat.isFile()) return fail({ reason: 'file_not_regular', file });
    if (stat.size > maxBytes)
      return fail({ reason: 'file_too_large', file, detail: `${stat.size} bytes, at most ${maxBytes}` });
    return ok(readFileSync(file));
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    return code === 'ENOENT'
      ? fail({ reason: 'file_missing', file })
      : fail({ reason: 'file_unreadable', file, detail: code });
  }
}
