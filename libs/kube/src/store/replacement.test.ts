import { expect, it } from '@jest/globals';
import type { KubeObject } from '@kruise/objects';
import { Replacement } from './replacement.ts';

const anObject = (name: string, uid?: string): KubeObject => ({
  metadata: { namespace: 'ns', name, ...(uid === undefined ? {} : { uid }) },
});

/** Returns a store that holds the given objects, and a replacement of it that records its calls. */
function aReplacement(...held: readonly KubeObject[]) {
  const timeline: string[] = [];
  const note =
    (what: string) =>
    ({ metadata: { name } }: KubeObject): unknown =>
      timeline.push(`${what} ${name}`);
  const replacement = new Replacement<KubeObject>({
    take: note('take'),
    takeDeleted: note('deleted'),
    held: () => held,
    isBehind: (resourceVersion) => resourceVersion === '1',
    reached: (resourceVersion) => timeline.push(`reached ${resourceVersion}`),
    missing: (object, resourceVersion) => note('missing')(object) !== undefined && timeline.push(`at ${resourceVersion}`),
    finished: () => timeline.push('finished'),
  });
  return { replacement, timeline };
}

it('finds held objects that are not in the list', async () => {
  const { replacement, timeline } = aReplacement(anObject('a', 'u-a'), anObject('b', 'u-b'), anObject('c', 'u-c'));
  replacement.add(anObject('a', 'u-a'));
  replacement.add(anObject('b', 'another'));
  await replacement.finish('9', () => undefined);
  expect(timeline).toEqual(['take a', 'take b', 'reached 9', 'missing b', 'at 9', 'missing c', 'at 9', 'finished']);
});

it('identifies objects without uid by their names', async () => {
  const { replacement, timeline } = aReplacement(anObject('a'), anObject('b'));
  replacement.add(anObject('a'));
  await replacement.finish('9', () => undefined);
  expect(timeline).toEqual(['take a', 'reached 9', 'missing b', 'at 9', 'finished']);
});

it('treats as missing what was deleted after it had begun', async () => {
  const { replacement, timeline } = aReplacement(anObject('a', 'u-a'));
  replacement.add(anObject('a', 'u-a'));
  replacement.remove(anObject('a', 'u-a'));
  await replacement.finish('9', () => undefined);
  expect(timeline).toEqual(['take a', 'deleted a', 'reached 9', 'missing a', 'at 9', 'finished']);
});

it('waits when pause returns a promise', async () => {
  const { replacement, timeline } = aReplacement(anObject('a'), anObject('b'));
  const waits: (() => void)[] = [];
  const finished = replacement.finish('9', () => new Promise((resolve) => waits.push(resolve)));
  expect(timeline).toEqual(['reached 9', 'missing a', 'at 9']);
  await Promise.resolve();
  expect(timeline).toEqual(['reached 9', 'missing a', 'at 9']);
  waits[0]?.();
  await Promise.resolve();
  expect(timeline).toEqual(['reached 9', 'missing a', 'at 9', 'missing b', 'at 9']);
  waits[1]?.();
  await finished;
  expect(timeline.at(-1)).toBe('finished');
});

it('asks the store whether it is behind', () => {
  const { replacement } = aReplacement();
  expect(['1', '2'].map((version) => replacement.isRewound(version))).toEqual([true, false]);
});
