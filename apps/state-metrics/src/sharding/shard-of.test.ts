import { describe, expect, it } from '@jest/globals';
import { casesOf } from '@kruise/testing';
import fc from 'fast-check';
import { fnv1a64, isKept, jumpHash } from './shard-of.ts';

/** Computed with a program in another language, from the published definitions of both hashes. */
const vectors = [
  { uid: '', hash: 0xcbf29ce484222325n, shards: [0, 1, 1, 1, 1, 90, 266] },
  { uid: 'a', hash: 0xaf63dc4c8601ec8cn, shards: [0, 1, 2, 2, 2, 31, 163] },
  { uid: 'foobar', hash: 0x85944171f73967e8n, shards: [0, 1, 1, 1, 5, 33, 635] },
  { uid: '7c1b5d2e-0000-4000-8000-000000000001', hash: 0x690bb908f0969607n, shards: [0, 1, 1, 4, 4, 94, 739] },
  { uid: 'f47ac10b-58cc-4372-a567-0e02b2c3d479', hash: 0x70ed2686c31eff00n, shards: [0, 0, 2, 2, 9, 13, 261] },
  { uid: 'Gr\u00fc\u00dfe', hash: 0x20e72e11e324b0b8n, shards: [0, 0, 2, 3, 3, 76, 946] },
];
const totals = [1, 2, 3, 5, 10, 100, 1000];

describe('the shard of an object', () => {
  it.each(vectors)('follows from the FNV-1a hash of its UID and a jump hash: $uid', ({ uid, hash, shards }) => {
    expect(fnv1a64(uid)).toBe(hash);
    expect(totals.map((total) => jumpHash(hash, total))).toEqual(shards);
  });

  it('is exactly one of them', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.integer({ min: 1, max: 40 }), (uid, totalShards) => {
        const keeping = Array.from({ length: totalShards }, (_, shard) => shard).filter((shard) => isKept(uid, { shard, totalShards }));
        expect(keeping).toHaveLength(1);
      }),
      { numRuns: casesOf(200, 2000) },
    );
  });

  it('stays the same with one shard more, or is the new one', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.integer({ min: 1, max: 40 }), (uid, total) => {
        const hash = fnv1a64(uid);
        expect([jumpHash(hash, total), total]).toContain(jumpHash(hash, total + 1));
      }),
      { numRuns: casesOf(200, 2000) },
    );
  });
});
