/** What the node agent adds to updates in place: variables that come from the Pod's metadata, and tags that mean the same image. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Pod } from '@kruise/objects';
import { metadataEnvHash, runtimeMetaOf } from '@kruise/pods';
import type { CloneSetFixture } from '../../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { imageOf, inPlaceReady, restartsOf } from '../../support/pod-facts.ts';
import { PodHistory } from '../../../apps/manager/src/int-tests/fixtures/pod-history.testing.ts';
import { kubectl } from '../../support/programs.ts';
import { closeFixture, images, openFixture } from '../../support/fixture.ts';

const fromAnnotation = (name: string) => ({
  name: 'CFG',
  valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: `metadata.annotations['${name}']` } },
});
const template = (name: string, cfg: string, more: object = {}): object => ({
  metadata: { labels: { app: name }, annotations: { cfg } },
  spec: { terminationGracePeriodSeconds: 5, containers: [{ name: 'main', image: images.first, env: [fromAnnotation('cfg')], ...more }] },
});

let fixture: CloneSetFixture;
beforeAll(async () => {
  fixture = await openFixture('env-restart');
});
afterAll(() => closeFixture(fixture));

const containerIdOf = (pod: Pod): string | undefined => pod.status?.containerStatuses?.[0]?.containerID;
/** Of the image that runs. The repository before it is any of those from which the node has pulled the image. */
const digestOf = (pod: Pod): string | undefined => pod.status?.containerStatuses?.[0]?.imageID?.split('@')[1];

async function onlyPod(name: string): Promise<Pod> {
  const [pod] = await fixture.pods(name);
  if (pod === undefined) throw new Error(`${name} has no Pod`);
  return pod;
}
const valueIn = async (pod: Pod): Promise<string> =>
  (await kubectl('-n', fixture.namespace, 'exec', pod.metadata.name, '--', 'sh', '-c', 'echo "$CFG"')).trim();

describe('a variable from an annotation', () => {
  it('is renewed by an update in place, with one restart of the container', async () => {
    for (const name of ['byhand', 'updated'])
      await fixture.apply({ name, replicas: 1, image: images.first, spec: { template: template(name, 'one') } });
    await fixture.untilRolledOut('byhand');
    await fixture.untilRolledOut('updated');
    const [byHand, before] = [await onlyPod('byhand'), await onlyPod('updated')];
    await fixture.eventually(async () => runtimeMetaOf(await onlyPod('updated')) !== undefined, 'the agent has reported');
    await fixture.eventually(async () => runtimeMetaOf(await onlyPod('byhand')) !== undefined, 'the agent has reported');
    expect(await valueIn(before)).toBe('one');

    // Has all the time of the other one's update to go wrong.
    await fixture.patchPod(byHand.metadata.name, { metadata: { annotations: { cfg: 'two' } } });
    await using history = await PodHistory.begin(fixture.client, fixture.namespace);
    await fixture.patch('updated', { spec: { template: { metadata: { annotations: { cfg: 'two' } } } } });
    await fixture.untilRolledOut('updated');

    const after = await onlyPod('updated');
    expect([after.metadata.uid, after.status?.podIP]).toEqual([before.metadata.uid, before.status?.podIP]);
    expect(restartsOf(after)).toBe(1);
    expect(await valueIn(after)).toBe('two');
    const observed = await history.untilNow();
    expect(observed.sequence(after.metadata.name, inPlaceReady)).toEqual(['True', 'False', 'True']);
    const [container] = after.spec.containers;
    if (container === undefined) throw new Error('no container');
    expect(runtimeMetaOf(after)).toMatchObject([
      { name: 'main', containerID: containerIdOf(after), metadataEnvHash: metadataEnvHash(container, after.metadata) },
    ]);
    const reported = async (): Promise<boolean> =>
      (await fixture.events(after.metadata.name)).some(
        ({ reason, message }) => reason === 'Killing' && message === 'Stopping containerID containerd://main by container meta restarter',
      );
    await fixture.eventually(reported, 'an event reports it');

    const untouched = await onlyPod('byhand');
    expect([containerIdOf(untouched), restartsOf(untouched)]).toEqual([containerIdOf(byHand), 0]);
    expect(await valueIn(untouched)).toBe('one');
  });

  it('that changes together with the image restarts the container once, and runs its hook once', async () => {
    const hook = { lifecycle: { preStop: { exec: { command: ['sh', '-c', 'echo x >> /data/hooks; sleep 1'] } } } };
    const withVolume = (cfg: string): Record<string, unknown> => {
      const whole = template('together', cfg, { ...hook, volumeMounts: [{ name: 'data', mountPath: '/data' }] }) as { spec: object };
      return { ...whole, spec: { ...whole.spec, volumes: [{ name: 'data', emptyDir: {} }] } };
    };
    await fixture.apply({ name: 'together', replicas: 1, image: images.first, spec: { template: withVolume('one') } });
    await fixture.untilRolledOut('together');
    await fixture.eventually(async () => runtimeMetaOf(await onlyPod('together')) !== undefined, 'the agent has reported');
    const { spec } = withVolume('two') as { spec: { containers: readonly object[] } };
    const containers = spec.containers.map((container) => ({ ...container, image: images.second }));
    await fixture.patch('together', { spec: { template: { metadata: { annotations: { cfg: 'two' } }, spec: { containers } } } });
    await fixture.untilRolledOut('together');
    const pod = await onlyPod('together');
    expect([imageOf(pod), restartsOf(pod)]).toEqual([images.second, 1]);
    expect(await valueIn(pod)).toBe('two');
    expect(await kubectl('-n', fixture.namespace, 'exec', pod.metadata.name, '--', 'cat', '/data/hooks')).toBe('x\n');
  });
});

/** Gives an image of the cluster's registry another tag: the same digest under two names. */
async function tagAgain(tag: string, as: string): Promise<void> {
  const [manager = ''] = (await kubectl('-n', 'kruise-system', 'get', 'pods', '-o', 'jsonpath={.items[*].spec.containers[0].image}')).split(
    ' ',
  );
  const manifests = `http://${manager.split('/')[0]}/v2/library/nginx/manifests`;
  const accept = 'application/vnd.oci.image.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json';
  const read = await fetch(`${manifests}/${tag}`, { headers: { accept } });
  const type = read.headers.get('content-type') ?? '';
  const written = await fetch(`${manifests}/${as}`, { method: 'PUT', headers: { 'content-type': type }, body: await read.text() });
  if (!read.ok || !written.ok) throw new Error(`the image could not be tagged: ${read.status} ${written.status}`);
}

describe('a new tag of the same digest', () => {
  it.each([
    ['another tag', 'nginx:alpine-20-again'],
    ['another name of the tag', 'docker.io/library/nginx:alpine-20'],
  ])('does not delay an update in place: %s', async (_name, image) => {
    const name = image.includes('/') ? 'full-name' : 'same-digest';
    await tagAgain('alpine-20', 'alpine-20-again');
    await fixture.apply({ name, replicas: 1, image: images.first });
    await fixture.untilRolledOut(name);
    const before = await onlyPod(name);
    await fixture.setImage(name, image);
    await fixture.untilRolledOut(name);
    // The kubelet may be later: to the update both names of one image are the same.
    await fixture.eventually(async () => restartsOf(await onlyPod(name)) === 1, 'the container is restarted');
    const after = await onlyPod(name);
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect([imageOf(after), inPlaceReady(after)]).toEqual([image, 'True']);
    expect(containerIdOf(after)).not.toBe(containerIdOf(before));
    expect(digestOf(after)).toMatch(/^sha256:/);
    expect(digestOf(after)).toBe(digestOf(before));
  });
});
