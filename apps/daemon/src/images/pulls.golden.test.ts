/**
 * Golden files of pulls: each call to the runtime, each status and each event, compared with text files in testdata/. To rewrite them after an
 * intended change: UPDATE_GOLDEN=1 npm run jest -- images/pulls.golden, then review the diff.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ScriptedFailure } from '@kruise/cri/testing';
import { seconds } from '@kruise/objects';
import { quietHour } from '@kruise/kube/testing';
import { goldenText } from '@kruise/testing';
import { aTag, ImageWorld } from './images.testing.ts';

let world: ImageWorld;
beforeEach(async () => {
  world = new ImageWorld();
  await world.runtime.start();
});
afterEach(() => world.end());

/** Makes a pull take three seconds; the first ones of `failing` fail, as often as it contains. */
function slowPulls(failing: Map<string, number> = new Map()): void {
  world.runtime.on('PullImage', async (request, signal) => {
    const { image } = (request as { readonly image: { readonly image: string } }).image;
    await world.clock.sleep(seconds(3), signal);
    const left = failing.get(image) ?? 0;
    failing.set(image, left - 1);
    if (left > 0) throw new ScriptedFailure(14, `the registry of ${image} does not answer`);
    return { imageRef: world.runtime.hasImage(image).id };
  });
}

const scenarios: readonly { readonly name: string; readonly pulled: readonly string[]; readonly then: () => Promise<void> }[] = [
  {
    name: 'several-with-a-failure-and-a-retry',
    pulled: ['alpine:3', 'nginx:1', 'redis:7'],
    then: async () => {
      slowPulls(new Map([['redis:7', 1]]));
      world.live({ workers: 1 });
      world.askTags({ nginx: [aTag('1')], redis: [aTag('7')], alpine: [aTag('3')] });
      await world.pass(40);
    },
  },
  {
    name: 'pull-that-fails-for-good',
    pulled: [],
    then: async () => {
      slowPulls(new Map([['nginx:1', 9]]));
      world.live({ workers: 1 });
      world.askTags({ nginx: [aTag('1', { pullPolicy: { timeoutSeconds: 600, backoffLimit: 1 } })] });
      await world.pass(40);
    },
  },
  {
    name: 'another-tag-in-the-middle-of-a-pull',
    pulled: ['nginx:2'],
    then: async () => {
      slowPulls();
      world.live({ workers: 1 });
      world.askTags({ nginx: [aTag('1')] });
      await world.pass(2);
      world.timeline.note('the NodeImage asks for nginx:2 in place of nginx:1');
      world.askTags({ nginx: [aTag('2')] });
      await world.pass(20);
    },
  },
];

describe('pulls', () => {
  it.each(scenarios)('$name', async ({ name, pulled, then }) => {
    await then();
    const { text } = world.timeline;
    expect(text).toBe(goldenText(new URL(`./testdata/${name}.txt`, import.meta.url), text));
    expect([...world.runtime.images.keys()]).toEqual(pulled);
    expect(await quietHour({ ...world, turn: () => world.settle() })).toEqual([]);
  });
});
