import { describe, expect, it } from '@jest/globals';
import { parseRenewBefore } from './renew-before.ts';

describe('CERTS_RENEW_BEFORE', () => {
  it.each([
    ['10d', 10],
    ['2m', 60],
    ['1y', 365],
    ['0d', undefined],
    ['-1d', undefined],
    ['5', undefined],
    ['5w', undefined],
    ['', undefined],
  ])('"%s" is %p days', (text, days) => {
    expect(parseRenewBefore(text)).toBe(days === undefined ? undefined : days * 24 * 3600 * 1000);
  });
});
