import { describe, expect, it } from '@jest/globals';
import { defaultRenewBefore, parseRenewBefore } from './renew-before.ts';

describe('CERTS_RENEW_BEFORE', () => {
  it.each([
    ['10d', 10],
    ['2m', 60],
    ['1y', 365],
    ['0d', undefined],
    ['-1d', undefined],
    ['5', undefined],
    ['5w', undefined],
    ['5days', undefined],
    ['5d5', undefined],
    ['x5d', undefined],
    ['', undefined],
  ])('"%s" is %p days', (text, days) => {
    expect(parseRenewBefore(text)).toBe(days === undefined ? undefined : days * 24 * 3600 * 1000);
  });

  it('is 180 days when it is empty', () => {
    expect(defaultRenewBefore).toBe(180 * 24 * 3600 * 1000);
  });
});
