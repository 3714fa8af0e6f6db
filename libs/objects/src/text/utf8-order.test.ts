import { describe, expect, it } from '@jest/globals';
import { compareUtf8, sortUtf8 } from './utf8-order.ts';

describe('the order of UTF-8 bytes', () => {
  it.each([
    ['a prefix before the longer text', ['a', 'ab', 'b']],
    ['by the first difference, not by length', ['ab', 'b', 'c']],
    ['a surrogate pair behind all of the basic plane', ['\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}']],
    ['the last of the low surrogates too', ['x\uffff', 'x\u{103ff}', 'x\u{10fc00}']],
    ['a lone surrogate before a pair that begins with it', ['\ud800\ue000', '\ud800\udfff']],
    ['one text beyond it among plain ones', ['a', 'b', '\uff5e', '\u{1f600}']],
  ])('puts %s', (_name, sorted) => {
    expect(sortUtf8(sorted.toReversed())).toEqual(sorted);
    expect(sorted.toReversed().sort(compareUtf8)).toEqual(sorted);
  });

  it('finds equal texts equal', () => {
    expect([compareUtf8('', ''), compareUtf8('\u{1f600}', '\u{1f600}')]).toEqual([0, 0]);
  });

  it('does not change its input', () => {
    const list = Object.freeze(['b', '\u{1f600}', 'a']);
    expect(sortUtf8(list)).toEqual(['a', 'b', '\u{1f600}']);
  });
});
