/** Which shard an object belongs to: FNV-1a of its UID, then a jump consistent hash. @see spec/kruise-state-metrics.md 3 */

const encoder = new TextEncoder();
const offsetBasis = 0xcbf29ce484222325n;
const prime = 0x100000001b3n;
const mask = 0xffff_ffff_ffff_ffffn;

/** @param text hashed as UTF-8 */
export function fnv1a64(text: string): bigint {
  let hash = offsetBasis;
  for (const byte of encoder.encode(text)) hash = ((hash ^ BigInt(byte)) * prime) & mask;
  return hash;
}

const multiplier = 2862933555777941757n;
const two31 = 2 ** 31;

/**
 * Lamping and Veach's jump consistent hash: of `buckets + 1` buckets, a key stays where it is or moves to the new one.
 *
 * @param buckets 1 or more
 * @returns from 0 to `buckets - 1`
 */
export function jumpHash(key: bigint, buckets: number): number {
  let bucket = -1;
  let next = 0;
  let state = key;
  while (next < buckets) {
    bucket = next;
    state = (state * multiplier + 1n) & mask;
    next = Math.floor((bucket + 1) * (two31 / (Number(state >> 33n) + 1)));
  }
  return bucket;
}

export interface Sharding {
  /** From 0 on. */
  readonly shard: number;
  readonly totalShards: number;
}

/** Whether a shard exports an object; each UID belongs to exactly one shard. */
export const isKept = (uid: string, { shard, totalShards }: Sharding): boolean =>
  totalShards <= 1 ? shard === 0 : jumpHash(fnv1a64(uid), totalShards) === shard;
