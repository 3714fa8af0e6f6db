/**
 * Golden files of pulls: each call to the runtime, each status and each event, compared with text files in testdata/. To rewrite them after an
 * intended change: UPDATE_GOLDEN=1 npm run jest -- images/pulls.golden, then review the diff.
 */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ScriptedFailure } from '@kruise/cri/testing';
import { seconds } from '@kruise/objects';
import { quietHour } from '@kruise/kube/testing';
import { goldenText } from '@kruise/testing';
import { aTag, ImagesFixture } from './fixture.testing.ts';

let fixture: ImagesFixture;
beforeEach(async () => {
  // Passes come every 3.6 s instead of 3 to 5 s, so that none coincides with the end of a pull, whose status it would write earlier.
  jest.spyOn(Math, 'random').mockReturnValue(0.3);
  fixture = new ImagesFixture();
  await fixture.runtime.start();
});
afterEach(async () => {
  await fixture.end();
  jest.restoreAllMocks();
});

/** Makes a pull take three seconds; the first ones of `failing` fail, as often as it contains. */
function slowPulls(failing: Map<string, number> = new Map()): void {
  fixture.runtime.on('PullImage', async (request, signal) => {
    const { image } = (request as { readonly image: { readonly image: string } }).image;
    await fixture.clock.sleep(seconds(3), signal);
    const left = failing.get(image) ?? 0;
    failing.set(image, left - 1);
    if (left > 0) throw new ScriptedFailure(14, `the registry of ${image} does not answer`);
    return { imageRef: fixture.runtime.hasImage(image).id };
  });
}

const scenarios: readonly { readonly name: string; readonly pulled: readonly string[]; readonly then: () => Promise<void> }[] = [
  {
    name: 'several-with-a-failure-and-a-retry',
    pulled: ['alpine:3', 'nginx:1', 'redis:7'],
    then: async () => {
      slowPulls(new Map([['redis:7', 1]]));
      fixture.live({ workers: 1 });
      fixture.askTags({ nginx: [aTag('1')], redis: [aTag('7')], alpine: [aTag('3')] });
      await fixture.pass(40);
    },
  },
  {
    name: 'pull-that-fails-for-good',
    pulled: [],
    then: async () => {
      slowPulls(new Map([['nginx:1', 9]]));
      fixture.live({ workers: 1 });
      fixture.askTags({ nginx: [aTag('1', { pullPolicy: { timeoutSeconds: 600, backoffLimit: 1 } })] });
      await fixture.pass(40);
    },
  },
  {
    name: 'another-tag-in-the-middle-of-a-pull',
    pulled: ['nginx:2'],
    then: async () => {
      slowPulls();
      fixture.live({ workers: 1 });
      fixture.askTags({ nginx: [aTag('1')] });
      await fixture.pass(2);
      fixture.timeline.note('the NodeImage asks for nginx:2 in place of nginx:1');
      fixture.askTags({ nginx: [aTag('2')] });
      await fixture.pass(20);
    },
  },
];

describe('pulls', () => {
  it.each(scenarios)('$name', async ({ name, pulled, then }) => {
    await then();
    const { text } = fixture.timeline;
    expect(text).toBe(goldenText(new URL(`./testdata/${name}.txt`, import.meta.url), text));
    expect([...fixture.runtime.images.keys()]).toEqual(pulled);
    expect(await quietHour({ ...fixture, turn: () => fixture.settle() })).toEqual([]);
  });
});
