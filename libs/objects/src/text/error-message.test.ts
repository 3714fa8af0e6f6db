import { describe, expect, it } from '@jest/globals';
import { messageOf } from './error-message.ts';

describe('messageOf', () => {
  it.each<[unknown, string]>([
    [new TypeError('no'), 'no'],
    ['a text', 'a text'],
    [undefined, 'undefined'],
    [7, '7'],
  ])('%p in words', (thrown, words) => {
    expect(messageOf(thrown)).toBe(words);
  });
});
