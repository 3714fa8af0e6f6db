import { describe, expect, it } from '@jest/globals';
import type { NodeImage } from '@kruise/api';
import { imageLimits } from '@kruise/objects';
import { withTask, fits } from '../imagepulljob/plan-task.ts';
import { contextAt, shares, snapshot } from '../imagepulljob/testing.ts';
import { aJob, aNodeImage, aTag, ownerOf } from './builders.testing.ts';
import { bytesOfSecret, NodeShares } from './node-share.ts';

const jobIn = (namespace: string, image: string, spec: object = {}) =>
  aJob({ name: image, metadata: { namespace, uid: `${namespace}/${image}` }, spec: { image, ...spec } });

/** The NodeImage with jobs of one namespace as long as they fit. */
function filled(nodeImage: NodeImage, namespace: string, imageOf: (at: number) => string, spec: object = {}): NodeImage {
  let held = nodeImage;
  for (let at = 0; at < 6000; at += 1) {
    const seen = snapshot(jobIn(namespace, imageOf(at), spec), [held]);
    if (!fits(held, seen)) return held;
    held = withTask(held, seen, contextAt(at));
  }
  throw new Error('there is no bound');
}

const imagesIn = (nodeImage: NodeImage, namespace: string): number => shares.usageOf(nodeImage).byNamespace.get(namespace)?.images ?? 0;

const one = filled(aNodeImage(), 'a', (at) => `a/${at}`);
const two = filled(one, 'b', (at) => `b/${at}`);
const three = filled(two, 'c', (at) => `c/${at}`);

const ofNamespace = (namespace: string, at: number) => ({ ...ownerOf(`job${at}`), namespace });
const withTags = (count: number): NodeImage =>
  aNodeImage({
    images: { nginx: { tags: Array.from({ length: count }, (_, at) => aTag({ tag: `t${at}`, ownerReferences: [ofNamespace('a', at)] })) } },
  });
const withOwners = (count: number): NodeImage =>
  aNodeImage({ images: { nginx: { tags: [aTag({ ownerReferences: Array.from({ length: count }, (_, at) => ofNamespace('a', at)) })] } } });

/** The largest number, below `end`, with which a further job of namespace a fits. */
function largest(end: number, nodeWith: (count: number) => NodeImage, image: string): number {
  let [low, high] = [0, end];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const held = nodeWith(middle);
    if (fits(held, snapshot(jobIn('a', image), [held]))) low = middle;
    else high = middle;
  }
  return low;
}

describe('a node that jobs fill', () => {
  it('holds 204 images for one namespace, and leaves room for the next ones', () => {
    expect([imagesIn(three, 'a'), imagesIn(three, 'b'), imagesIn(three, 'c')]).toEqual([204, 41, 8]);
    expect(fits(three, snapshot(jobIn('d', 'd/0'), [three]))).toBe(true);
    expect(fits(three, snapshot(jobIn('a', 'a/more'), [three]))).toBe(false);
  });

  it('never holds more than 256 images, whichever namespaces ask', () => {
    let held = three;
    for (let at = 0; at < 9; at += 1) held = filled(held, `n${at}`, (image) => `n${at}/${image}`);
    expect(Object.keys(held.spec.images ?? {})).toHaveLength(256);
  });

  it('holds 320 tags of one image for one namespace', () => {
    expect(largest(400, withTags, 'nginx:another')).toBe(319);
    const held = withTags(320);
    expect(fits(held, snapshot(jobIn('b', 'nginx:b'), [held]))).toBe(true);
  });

  it('stays below its bytes with any number of jobs for one tag, and takes a job of another namespace', () => {
    const held = withOwners(largest(4000, withOwners, 'nginx:1') + 1);
    const { value } = imageLimits.bytesOfNode;
    expect(JSON.stringify(held.spec).length).toBeLessThan(value);
    expect(shares.usageOf(held).total.bytes).toBeGreaterThan(0.75 * value);
    expect(fits(held, snapshot(jobIn('b', 'nginx:1'), [held]))).toBe(true);
  });

  it('charges the secrets of an image to the namespaces that they are copied from', () => {
    const pullSecrets = Array.from({ length: 1700 }, (_, at) => ({ namespace: 'kruise-daemon-config', name: `${'x'.repeat(40)}-${at}` }));
    const held = aNodeImage({ images: { nginx: { tags: [aTag()], pullSecrets } } });
    const ofA = { shares: new NodeShares(() => 'a') };
    expect(fits(held, { ...snapshot(jobIn('a', 'redis'), [held]), ...ofA })).toBe(false);
    expect(fits(held, { ...snapshot(jobIn('b', 'nginx:1'), [held]), ...ofA })).toBe(true);
  });

  it('takes changed secrets of a task that it holds although its bytes are full, up to a reserve', () => {
    const secretsIn = (count: number, what: string) =>
      Array.from({ length: count }, (_, at) => ({ namespace: 'kruise-daemon-config', name: `${what.repeat(40)}-${at}` }));
    const ofA = new NodeShares(() => 'a');
    const task = aTag({ ownerReferences: [{ ...ownerOf(), namespace: 'a', uid: 'a/nginx:1' }] });
    const held = aNodeImage({ images: { nginx: { tags: [task], pullSecrets: secretsIn(1700, 'x') } } });
    const fitsWith = (image: string, count: number, spec: object = {}): boolean => {
      const job = aJob({ name: image, metadata: { namespace: 'a', uid: `a/${image}` }, spec: { image, ...spec } });
      return fits(held, { ...snapshot(job, [held], secretsIn(count, 'y')), shares: ofA });
    };
    const bytes = ofA.usageOf(held).total.bytes;
    // Alone in the node, the namespace may have four fifths of it.
    const most = Math.floor(
      (0.8 * (imageLimits.bytesOfNode.value + imageLimits.secretBytesOfNode.value) - bytes) / bytesOfSecret(secretsIn(11, 'y')[10]!),
    );
    expect([fitsWith('nginx:1', 1), fitsWith('nginx:1', most - 20), fitsWith('nginx:1', most + 20)]).toEqual([true, true, false]);
    expect([fitsWith('nginx:2', 1), fitsWith('redis', 1)]).toEqual([false, false]);
    expect(fitsWith('nginx:1', 1, { sandboxConfig: { labels: { a: 'b' } } })).toBe(false);
  });

  it('takes again what it holds already, full or not', () => {
    expect(fits(three, snapshot(jobIn('a', 'a/7'), [three]))).toBe(true);
  });

  it.each([
    ['images', { images: { nginx: { tags: [aTag()] } } }],
    ['a tag without jobs', { images: { nginx: { tags: [aTag({ ownerReferences: [] })] } } }],
    [
      'a sandbox and secrets',
      { images: { nginx: { tags: [aTag()], sandboxConfig: { labels: { a: 'b' } }, pullSecrets: [{ name: 'a', namespace: 'b' }] } } },
    ],
  ])('counts at least the bytes of its spec: %s', (_name, shape) => {
    const nodeImage = aNodeImage(shape);
    expect(shares.usageOf(nodeImage).total.bytes).toBeGreaterThanOrEqual(JSON.stringify(nodeImage.spec).length - 20);
  });

  it('names the namespaces that hold most', () => {
    expect(shares.holdersText(two)).toMatch(
      /^namespace a holds 204 images, 204 tags, \d+ KiB; namespace b holds 41 images, 41 tags, \d+ KiB$/,
    );
    expect(shares.holdersText(withTask(three, snapshot(jobIn('d', 'd/0'), [three]), contextAt(0)))).toMatch(/; 1 more$/);
  });
});
