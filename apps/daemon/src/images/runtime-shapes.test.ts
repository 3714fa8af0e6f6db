/** Images on runtimes that differ where CRI allows it: forms of names and ids, short names, messages of failures. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { containerdShape, crioShape, criDockerdShape, type RegistryFault, type RuntimeShape } from '@kruise/cri/testing';
import { aTag, ImagesFixture } from './fixture.testing.ts';

let fixture: ImagesFixture;
afterEach(() => fixture.end());

async function onNodeOf(shape: RuntimeShape): Promise<ImagesFixture> {
  fixture = new ImagesFixture(shape);
  await fixture.runtime.start();
  return fixture;
}

const pulled = (): readonly string[] =>
  (fixture.runtime.callsOf('PullImage') as readonly { image: { image: string } }[]).map(({ image }) => image.image);
const digest = `sha256:${'d'.repeat(64)}`;
const shapes = [containerdShape, crioShape, criDockerdShape].map((shape) => [shape.name, shape] as const);

describe.each(shapes)('with %s', (_name, shape) => {
  it.each([
    ['nginx', '1.25', 'nginx:1.25'],
    ['team/app', '1', 'team/app:1'],
    ['r.io:5000/team/app', '1', 'r.io:5000/team/app:1'],
    ['nginx', digest, `nginx@${digest}`],
    ['r.io/app', digest, `r.io/app@${digest}`],
  ])('%s and %s are pulled as %s, reported with the id of the image, and known the next time', async (image, tag, imageRef) => {
    await onNodeOf(shape);
    fixture.live();
    fixture.askTags({ [image]: [aTag(tag)] });
    await fixture.until(() => fixture.phaseOf(image, tag) === 'Succeeded');
    expect(pulled()).toEqual([imageRef]);
    expect(fixture.statusOf(image, tag)?.imageID).toBe(`${image}@${shape.imageOf(imageRef).id}`);
    fixture.askTags({ [image]: [aTag(tag, { version: 1 })] });
    await fixture.until(() => fixture.statusOf(image, tag)?.version === 1 && fixture.phaseOf(image, tag) === 'Succeeded');
    expect(pulled()).toEqual([imageRef]);
  });

  it('an image with another tag or digest is not confused with the requested one', async () => {
    await onNodeOf(shape);
    fixture.runtime.hasImage('nginx:1.24');
    fixture.live();
    fixture.askTags({ nginx: [aTag('1.25'), aTag(digest)] });
    await fixture.until(() => fixture.nodeImage?.status?.succeeded === 2);
    expect(pulled().toSorted()).toEqual(['nginx:1.25', `nginx@${digest}`]);
  });

  it.each<[RegistryFault, RegExp]>([
    ['down', /connection refused/],
    ['unauthorized', /unauthorized/i],
    ['manifestGone', /not found|manifest unknown/],
    ['diskFull', /no space left on device/],
  ])('a registry fault (%s) is reported with the message of the runtime', async (fault, words) => {
    await onNodeOf(shape);
    fixture.runtime.failPulls(fault);
    const run = fixture.live();
    fixture.askTags({ nginx: [aTag('1', { pullPolicy: { backoffLimit: 0 } })] });
    await fixture.until(() => fixture.phaseOf('nginx', '1') === 'Failed');
    const message = fixture.statusOf('nginx', '1')?.message ?? '';
    expect(message).toMatch(words);
    expect(message).toMatch(/^Failed to pull image reference "nginx:1": PullImage: /);
    expect(run.events).toEqual([`kruise-daemon-imagepuller Warning PullImageFailed NodeImage/node1: Image nginx:1 ${message}`]);
  });
});

describe('a runtime that completes no short names', () => {
  it('still has the image when its list contains it', async () => {
    await onNodeOf(crioShape);
    fixture.runtime.hasImage('docker.io/library/nginx:1.25');
    fixture.runtime.completesShortNames = false;
    fixture.live();
    fixture.askTags({ nginx: [aTag('1.25')] });
    await fixture.until(() => fixture.phaseOf('nginx', '1.25') === 'Succeeded');
    expect(pulled()).toEqual([]);
  });

  it('is quoted when the image is missing', async () => {
    await onNodeOf(crioShape);
    fixture.runtime.completesShortNames = false;
    fixture.live();
    fixture.askTags({ nginx: [aTag('1.25', { pullPolicy: { backoffLimit: 0 } })] });
    await fixture.until(() => fixture.phaseOf('nginx', '1.25') === 'Failed');
    expect(fixture.statusOf('nginx', '1.25')?.message).toContain('short-name "nginx:1.25" did not resolve to an alias');
  });
});

it('a runtime that completes a short name in its own way must list its images', async () => {
  await onNodeOf(crioShape);
  fixture.runtime.hasImage('docker.io/library/nginx:1.25');
  fixture.runtime.on('ImageStatus', () => ({ image: crioShape.imageOf('other.example.com/nginx:1.25') }));
  fixture.live();
  fixture.askTags({ nginx: [aTag('1.25')] });
  await fixture.until(() => fixture.phaseOf('nginx', '1.25') === 'Succeeded');
  expect(pulled()).toEqual([]);
  expect(fixture.statusOf('nginx', '1.25')?.imageID).toBe(`nginx@${crioShape.imageOf('docker.io/library/nginx:1.25').id}`);
});
