import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PatchTrials } from './patch-trials.ts';

/** `{"a":1}` has 7 bytes, as has each patch below. */
const template = { a: 1 };
const [first, second, third] = [{ b: 1 }, { b: 2 }, { b: 3 }] as const;
const ofPair = 14;

describe('patches that are tried on a template', () => {
  it.each<{ name: string; mostBytes: number; patches: readonly object[]; attempts: readonly object[]; untried: number }>([
    {
      name: 'are all tried up to the bound',
      mostBytes: 3 * ofPair,
      patches: [first, second, third],
      attempts: [first, second, third],
      untried: 0,
    },
    { name: 'are not tried beyond it', mostBytes: 3 * ofPair - 1, patches: [first, second, third], attempts: [first, second], untried: 1 },
    {
      name: 'are tried once if they are equal',
      mostBytes: 2 * ofPair,
      patches: [first, { b: 1 }, second, first],
      attempts: [first, second],
      untried: 0,
    },
    {
      name: 'count separately if they are equal and untried',
      mostBytes: ofPair,
      patches: [first, second, second],
      attempts: [first],
      untried: 2,
    },
    { name: 'include the first one on a template of any size', mostBytes: 0, patches: [first, second], attempts: [first], untried: 1 },
    {
      name: 'still include a small one after a large one',
      mostBytes: 2 * ofPair,
      patches: [first, { b: 'far too large for it' }, second],
      attempts: [first, second],
      untried: 1,
    },
  ])('$name', ({ mostBytes, patches, attempts, untried }) => {
    const trials = new PatchTrials<string>(template, mostBytes);
    const tried: object[] = [];
    const results = patches.map((patch) =>
      trials.result({ ...patch }, () => {
        tried.push(patch);
        return JSON.stringify(patch);
      }),
    );
    expect([tried, trials.tried, trials.untried]).toEqual([attempts, attempts.length, untried]);
    const isTried = (patch: object): boolean => attempts.some((one) => JSON.stringify(one) === JSON.stringify(patch));
    expect(results).toEqual(patches.map((patch) => (isTried(patch) ? JSON.stringify(patch) : undefined)));
  });

  it('never merge more than the bound after the first one', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ b: fc.string({ maxLength: 9 }) }), { size: 'max', maxLength: 20 }),
        fc.nat(200),
        (patches, mostBytes) => {
          const trials = new PatchTrials<number>(template, mostBytes);
          let merged = 0;
          for (const patch of patches)
            trials.result(patch, () => (merged += JSON.stringify(template).length + JSON.stringify(patch).length));
          expect(trials.tried <= 1 || merged <= mostBytes).toBe(true);
          expect(trials.tried + trials.untried).toBeLessThanOrEqual(patches.length);
        },
      ),
    );
  });
});
