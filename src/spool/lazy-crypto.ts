import type * as nodeCrypto from 'node:crypto';

/**
 * What the hot path needs of node:crypto, which is loaded at the first call. Loading it costs a sixth of Node's start,
 * and a wrapped command has to wait for none of it: without an observer it is not needed at all.
 */
const load = (): typeof nodeCrypto => process.getBuiltinModule('node:crypto');

export const createHash: typeof nodeCrypto.createHash = (...input) => load().createHash(...input);
export const randomBytes = (size: number): Buffer => load().randomBytes(size);
