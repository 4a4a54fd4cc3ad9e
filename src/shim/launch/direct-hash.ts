import { bindingOf } from './node-parts.ts';

/** What `crypto.hash` itself stands on. */
interface CryptoBinding {
  getCachedAliases(): Readonly<Record<string, number>>;
  oneShotDigest(
    algorithm: string,
    id: number,
    ids: Readonly<Record<string, number>>,
    input: string | Uint8Array,
    encoding: 'hex',
    encodingNumber: number,
  ): string;
}

/** Node's number for hexadecimal digits. */
const HEX = 5;

/** SHA-256 in hexadecimal digits, without `node:crypto`. Throws where this Node cannot do that. */
export function createDirectHash(): (bytes: string | Uint8Array) => string {
  const binding = bindingOf('crypto') as CryptoBinding;
  const ids = binding.getCachedAliases();
  const id = ids['sha256'] ?? -1;
  return (bytes) => binding.oneShotDigest('sha256', id, ids, bytes, 'hex', HEX);
}
