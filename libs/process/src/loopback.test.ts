import { describe, expect, it } from '@jest/globals';
import { hostOf, isLoopback } from './loopback.ts';

describe('loopback', () => {
  it.each(['localhost', 'LOCALHOST', '127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])('%s is this host alone', (host) => {
    expect(isLoopback(host)).toBe(true);
  });

  it.each(['', '0.0.0.0', '::', '10.0.0.1', '::ffff:10.0.0.1', 'fe80::1', 'localhost.example', '127.0.0.1.example', 'node1'])(
    '"%s" is not this host alone',
    (host) => {
      expect(isLoopback(host)).toBe(false);
    },
  );

  it.each([
    ['localhost:8090', 'localhost'],
    ['127.0.0.1', '127.0.0.1'],
    ['[::1]:8090', '::1'],
    ['[::1]', '::1'],
    ['', ''],
  ])('the host of the header "%s" is "%s"', (header, host) => {
    expect(hostOf(header)).toBe(host);
  });
});
