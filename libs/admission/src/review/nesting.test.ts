import { describe, expect, it } from '@jest/globals';
import { nestingOf } from './nesting.ts';

describe('the nesting of JSON', () => {
  it.each<{ json: string; depth: number }>([
    { json: '', depth: 0 },
    { json: '17', depth: 0 },
    { json: '"[{"', depth: 0 },
    { json: '[]', depth: 1 },
    { json: '{}', depth: 1 },
    { json: '[1,2,[3]]', depth: 2 },
    { json: '{"a":{"b":{}},"c":{}}', depth: 3 },
    { json: '[{"a":[{}]}]', depth: 4 },
    { json: '[[],[],[],[]]', depth: 2 },
    { json: '[{},{},{},{}]', depth: 2 },
    { json: '["[[[",[]]', depth: 2 },
    { json: '["]]]",[]]', depth: 2 },
    { json: '["ab","abc",[]]', depth: 2 },
    { json: '["\\"[[[",[]]', depth: 2 },
    { json: '["\\\\",[[]],"\\\\\\"[[[["]', depth: 3 },
  ])('of $json is $depth', ({ json, depth }) => {
    expect(nestingOf(Buffer.from(json), 10)).toBe(depth);
  });

  it('is counted up to one above the limit', () => {
    expect(nestingOf(Buffer.from('['.repeat(100)), 3)).toBe(4);
  });
});
