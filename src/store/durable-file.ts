import { join } from 'node:path';
import {
  makePrivateFolder,
  removeQuietly,
  replaceFile,
  stageFile,
  syncFolder,
} from '../spool/durable-file.ts';
import { errorCode, nodeIo } from '../spool/spool-io.ts';
import { stateLayout } from '../spool/state-layout.ts';

/** Where a file is to lie: in a folder of a state directory, whose `tmp/` holds it until it is whole. */
export interface Place {
  readonly state: string;
  readonly folder: string;
  readonly name: string;
}

const stagingOf = ({ state }: Place): string => stateLayout(state).staging;

/** Makes a private folder in another one, durably, and gives its path back. */
export function makeFolder(parent: string, name: string): string {
  const folder = join(parent, name);
  makePrivateFolder(nodeIo, folder);
  syncFolder(nodeIo, parent);
  return folder;
}

/**
 * Makes a file that must not be there yet, all of it at once and durably (`link(2)`, which refuses a name that is
 * taken). False when another process made it first. Throws what the filesystem reports.
 */
export function createFile(place: Place, content: string): boolean {
  const staged = stageFile(nodeIo, stagingOf(place), [Buffer.from(content)]);
  try {
    nodeIo.linkSync(staged, join(place.folder, place.name));
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    removeQuietly(nodeIo, staged);
  }
  syncFolder(nodeIo, place.folder);
  return true;
}

/** Replaces a file in one step: after it returns the new content survives a power cut; before, the old one does. */
export function writeFileDurably(place: Place, content: string): void {
  const file = join(place.folder, place.name);
  replaceFile(nodeIo, file, Buffer.from(content), { staging: stagingOf(place), folder: place.folder });
}
