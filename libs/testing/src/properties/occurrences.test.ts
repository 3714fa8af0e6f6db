import { describe, expect, it } from '@jest/globals';
import { Occurrences } from './occurrences.ts';

describe('occurrences', () => {
  it('are counted when they hold, and return the condition', () => {
    const seen = new Occurrences();
    expect([seen.note('a'), seen.note('a', true), seen.note('a', false), seen.note('b', false)]).toEqual([true, true, false, false]);
    expect([seen.timesOf('a'), seen.timesOf('b'), seen.timesOf('c')]).toEqual([2, 0, 0]);
  });

  it('fail the property when one of them is too rare or was never counted, naming each', () => {
    const seen = new Occurrences();
    seen.note('a');
    seen.note('b');
    expect(() => seen.expectAtLeast({ a: 1, b: 2, c: 1 }, {})).toThrow(
      'the cases do not come to what the property is about: "b" 1 of at least 2 times, "c" 0 of at least 1 times',
    );
  });

  it('are sufficient when each occurs as often as required', () => {
    const seen = new Occurrences();
    seen.note('a');
    expect(() => seen.expectAtLeast({ a: 1 }, {})).not.toThrow();
  });

  it('are not compared in the quick run, which has a quarter of the cases', () => {
    const seen = new Occurrences();
    seen.note('a');
    expect(() => seen.expectAtLeast({ a: 2 }, {})).toThrow('"a" 1 of at least 2 times');
    expect(() => seen.expectAtLeast({ a: 2 }, { KRUISE_TEST_TIER: 'quick' })).not.toThrow();
  });
});
