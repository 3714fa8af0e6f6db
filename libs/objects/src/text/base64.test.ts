import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toBase64 } from './base64.ts';

it('encodes a text as Node does', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => expect(toBase64(text)).toBe(Buffer.from(text, 'utf8').toString('base64'))),
  );
});

it('encodes a text of many bytes', () => {
  const text = 'ü€'.repeat(10_000);
  expect(toBase64(text)).toBe(Buffer.from(text, 'utf8').toString('base64'));
});
