import type { NameTable } from './scopes.ts';

/** Libraries that show, or look up, what the variables of a caller are called. */
const SHOWS_NAMES = /^[ \t]*(?:from|import)[ \t]+(?:icecream|varname|sorcery|inspect4py|executing)\b/m;
const READS_FRAMES = /\b(?:_getframe|currentframe|f_locals|co_varnames|__code__|getargvalues)\b/;
/** What tells the names of parameters, for a caller who passes arguments by them. */
const READS_SIGNATURES =
  /\binspect\.(?:signature|getfullargspec|getcallargs)\b|\b(?:getfullargspec|getcallargs|get_type_hints|get_annotations|__annotations__)\b|\bsignature\([a-z_.]+\)\.parameters/;

/** Notes what in a Python source reads names by their spelling, so that they are values of the program. */
export function notePythonReaders(table: NameTable, text: string): void {
  if (SHOWS_NAMES.test(text)) table.frozen = 'a library shows the names of variables';
  if (READS_FRAMES.test(text)) table.frozen = 'frames hold names by their spelling';
  if (READS_SIGNATURES.test(text)) table.keywords.add('**');
  table.readsOwnNames = /\.__(?:qual)?name__\b/.test(text);
}
