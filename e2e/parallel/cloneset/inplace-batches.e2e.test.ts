import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { annotations, envNames } from '@kruise/api';
import { containerStatusOf, type Pod } from '@kruise/objects';
import type { CloneSetFixture } from '../../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { inPlaceReady, inPlaceState } from '../../support/pod-facts.ts';
import { PodHistory } from '../../../apps/manager/src/int-tests/fixtures/pod-history.testing.ts';
import { closeFixture, images, openFixture } from '../../support/fixture.ts';

const imageOfContainer = (pod: Pod, name: string): string | undefined => pod.spec.containers.find((one) => one.name === name)?.image;
const batches = (pod: Pod): readonly unknown[] => inPlaceState(pod).containerBatchesRecord?.map(({ containers }) => containers) ?? [];

/** Two containers in one network: the second listens on another port. */
const twoContainers = (name: string, first: string, second: string): object => ({
  metadata: { labels: { app: name } },
  spec: {
    terminationGracePeriodSeconds: 1,
    containers: [
      { name: 'base', image: first, env: [{ name: envNames.containerPriority, value: '10' }] },
      { name: 'app', image: second, command: ['sleep', '100000'] },
    ],
  },
});

describe('an update in place of containers with launch priorities', () => {
  let fixture: CloneSetFixture;
  beforeAll(async () => {
    fixture = await openFixture('in-place-batches');
  });
  afterAll(() => closeFixture(fixture));

  const onlyPod = async (name: string): Promise<Pod> => {
    const [pod] = await fixture.pods(name);
    if (pod === undefined) throw new Error(`${name} has no Pod`);
    return pod;
  };

  it('changes containers of a higher launch priority first, and the others once those are ready', async () => {
    await fixture.apply({
      name: 'batches',
      replicas: 1,
      image: images.first,
      spec: { template: twoContainers('batches', images.first, images.first) },
    });
    await fixture.untilRolledOut('batches');
    const before = await onlyPod('batches');
    const { name } = before.metadata;
    await using history = await PodHistory.begin(fixture.client, fixture.namespace);
    await fixture.patch('batches', { spec: { template: twoContainers('batches', images.second, images.second) } });
    await fixture.untilRolledOut('batches');
    const after = await onlyPod('batches');
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect(batches(after)).toEqual([['base'], ['app']]);
    const observed = await history.untilNow();
    const pairs = observed.sequence(name, (pod) => `${imageOfContainer(pod, 'base')} ${imageOfContainer(pod, 'app')}`);
    expect(pairs).toEqual([`${images.first} ${images.first}`, `${images.second} ${images.first}`, `${images.second} ${images.second}`]);
    const changed = observed.moments.map((moment) => moment.get(name)).find((pod) => pod && imageOfContainer(pod, 'app') === images.second);
    expect(changed && containerStatusOf(changed, 'base')).toMatchObject({ ready: true, restartCount: 1 });
    expect(observed.sequence(name, inPlaceReady)).toEqual(['True', 'False', 'True']);
  });

  it('leaves the later containers alone while one of the first does not get ready', async () => {
    const broken = images.second.replace(/:.*/, ':none');
    await fixture.patch('batches', { spec: { template: twoContainers('batches', broken, images.first) } });
    await fixture.until('batches', ({ status }) => status?.conditions?.some(({ reason }) => reason === 'ImageCannotBePulled') === true);
    const pod = await onlyPod('batches');
    expect(imageOfContainer(pod, 'app')).toBe(images.second);
    expect(batches(pod)).toEqual([['base']]);
    const text = pod.metadata.annotations?.[annotations.inPlaceUpdateState] ?? '';
    expect((JSON.parse(text) as { nextContainerImages?: unknown }).nextContainerImages).toEqual({ app: images.first });
    await fixture.patch('batches', { spec: { template: twoContainers('batches', images.first, images.first) } });
    await fixture.untilRolledOut('batches');
    const after = await onlyPod('batches');
    expect(after.metadata.uid).toBe(pod.metadata.uid);
    expect(imageOfContainer(after, 'app')).toBe(images.first);
  });
});
