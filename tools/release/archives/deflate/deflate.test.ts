import { readFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { casesOf } from '@kruise/testing';
import fc from 'fast-check';
import { gzipSmallest } from './deflate.ts';
import { codeLengths } from './huffman.ts';

const random = (length: number): Buffer => {
  let state = 1;
  return Buffer.from(Uint8Array.from({ length }, () => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) >>> 24));
};
const source = readFileSync(new URL('deflate.ts', import.meta.url));

describe('the smallest gzip file', () => {
  it.each<[name: string, data: Buffer]>([
    ['nothing', Buffer.alloc(0)],
    ['one byte', Buffer.from('a')],
    ['two equal bytes', Buffer.from('aa')],
    ['a run that is longer than a repetition', Buffer.alloc(1_000)],
    ['bytes without repetitions', random(10_000)],
    ['all bytes in turn', Buffer.from(Uint8Array.from({ length: 600 }, (_, index) => index))],
    ['a repetition from the end of the window', Buffer.concat([source.subarray(0, 300), random(32_468), source.subarray(0, 300)])],
    ['a repetition from beyond the window', Buffer.concat([source.subarray(0, 300), random(32_469), source.subarray(0, 300)])],
    ['a text and bytes of another sort, in blocks of their own', Buffer.concat([source, random(20_000), source])],
  ])('of %s is read by gunzip', (_name, data) => {
    expect(gunzipSync(gzipSmallest(data)).equals(data)).toBe(true);
  });

  it('of any bytes is read by gunzip', () => {
    const part = fc.oneof(fc.uint8Array({ maxLength: 300, size: 'max' }), fc.constantFrom(source.subarray(0, 400), new Uint8Array(500)));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12, size: 'max' }), (parts) => {
        const data = Buffer.concat(parts);
        expect(gunzipSync(gzipSmallest(data)).equals(data)).toBe(true);
      }),
      { numRuns: casesOf(60) },
    );
  });

  it('of a text is smaller than that of zlib, and always the same', () => {
    const smallest = gzipSmallest(source);
    expect(smallest.length).toBeLessThan(gzipSync(source, { level: 9 }).length);
    expect(gzipSmallest(source).equals(smallest)).toBe(true);
  });
});

describe('the lengths of Huffman codes', () => {
  it.each<[counts: readonly number[], longest: number, lengths: readonly number[]]>([
    [[0, 0], 15, [1, 0]],
    [[0, 7], 15, [0, 1]],
    [[1, 1], 15, [1, 1]],
    [[4, 2, 1, 1], 15, [1, 2, 3, 3]],
    [[8, 4, 2, 1, 1], 3, [1, 3, 3, 3, 3]],
  ])('for the counts %j up to %i bits are %j', (counts, longest, lengths) => {
    expect(codeLengths(counts, longest)).toEqual(lengths);
  });
});
