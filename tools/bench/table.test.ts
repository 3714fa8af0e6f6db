import { describe, expect, it } from '@jest/globals';
import { formatNumber, isMet, type Row } from './table.ts';

const peer = { name: 'other', value: 10 };

describe('a row', () => {
  it.each<[string, Row, boolean | undefined]>([
    ['is met when ours is at most the limit', { what: 'a', ours: 5, limit: 5 }, true],
    ['is not met above the limit', { what: 'a', ours: 5.1, limit: 5 }, false],
    ['holds its ratio against the limit where there is a peer', { what: 'a', ours: 5, peer, limit: 0.5 }, true],
    ['holds its own value against the limit when told so', { what: 'a', ours: 5, peer, limit: 0.5, limitOf: 'ours' }, false],
    ['without a limit is neither', { what: 'a', ours: 5, peer }, undefined],
    ['that was not measured is neither', { what: 'a', limit: 5, note: 'no server' }, undefined],
  ])('%s', (_, row, met) => {
    expect(isMet(row)).toBe(met);
  });
});

it.each([
  [1234.5, '1,235'],
  [1000, '1,000'],
  [0.123_45, '0.123'],
  [12.345, '12.3'],
  [Number.POSITIVE_INFINITY, 'Infinity'],
])('formatNumber(%p) is %p', (value, text) => {
  expect(formatNumber(value)).toBe(text);
});
