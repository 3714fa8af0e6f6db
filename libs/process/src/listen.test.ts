import { describe, expect, it } from '@jest/globals';
import { parseListenAddress } from './listen.ts';

describe('listen addresses', () => {
  it.each([
    [':8080', { host: '', port: 8080 }],
    ['localhost:8090', { host: 'localhost', port: 8090 }],
    ['[::1]:80', { host: '::1', port: 80 }],
    ['0.0.0.0:0', { host: '0.0.0.0', port: 0 }],
    ['8080', undefined],
    [':70000', undefined],
    ['a:b', undefined],
    ['', undefined],
  ])('reads %s', (text, expected) => {
    expect(parseListenAddress(text)).toEqual(expected);
  });
});
