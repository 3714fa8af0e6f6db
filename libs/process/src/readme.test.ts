import { describe, expect, it } from '@jest/globals';
import { readOptions } from './readme.testing.ts';

describe('the example of the README', () => {
  it('uses given values, and defaults for the rest', () => {
    const options = { 'metrics-addr': ':8080', 'leader-elect': false, resync: 90_000 };
    expect(readOptions(['--leader-elect=false', '--resync', '1m30s'])).toEqual({ options });
  });

  it('prints its flags on request, and after a fault', () => {
    expect(readOptions(['--help'])).toMatchObject({ code: 0, output: expect.stringContaining('--metrics-addr') });
    expect(readOptions(['--resync=soon'])).toMatchObject({
      code: 2,
      output: expect.stringMatching(/soon[\s\S]*resync[\s\S]*--metrics-addr/),
    });
  });
});
