/** Images pulled on many nodes by jobs, through the agents of the nodes, from a registry that wants a password. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  imageListPullJobs,
  imagePullJobs,
  nodeImages,
  type ImageListPullJob,
  type ImagePullJob,
  type ImageTagStatus,
  type NodeImage,
} from '@kruise/api';
import { isFailure } from '@kruise/kube';
import { isControlledBy, nodes, secrets, type KubeObject, type ResourceType, type Secret } from '@kruise/objects';
import type { CloneSetFixture } from '../../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { GuardedRegistry } from '../../support/guarded-registry.ts';
import { imageOf, restartsOf } from '../../support/pod-facts.ts';
import { closeFixture, openFixture } from '../../support/fixture.ts';

const configNamespace = 'kruise-daemon-config';
const daemonSets: ResourceType<DaemonSet> = { group: 'apps', version: 'v1', kind: 'DaemonSet', plural: 'daemonsets', namespaced: true };

interface DaemonSet extends KubeObject {
  readonly spec: { readonly template: { readonly spec: { readonly containers: readonly { readonly image: string }[] } } };
}

let fixture: CloneSetFixture;
let registry: GuardedRegistry;
let nodeNames: readonly string[];

beforeAll(async () => {
  fixture = await openFixture('image-pull-job');
  const { items } = await fixture.client.list(daemonSets);
  const daemonSet = items.find(({ metadata }) => metadata.name === 'kruise-daemon');
  const [upstream = ''] = (daemonSet?.spec.template.spec.containers[0]?.image ?? '').split('/');
  registry = await GuardedRegistry.start(upstream);
  nodeNames = (await fixture.client.list(nodes)).items.map(({ metadata }) => metadata.name).toSorted();
  await fixture.eventually(async () => (await nodeImagesNow()).length === nodeNames.length, 'every node has a NodeImage');
  await makeSecret('pull');
});

afterAll(async () => {
  await registry?.[Symbol.asyncDispose]();
  await closeFixture(fixture);
});

async function makeSecret(name: string): Promise<void> {
  const { name: user, password } = registry.user;
  const auth = Buffer.from(`${user}:${password}`).toString('base64');
  const config = Buffer.from(JSON.stringify({ auths: { [registry.address]: { auth } } })).toString('base64');
  await fixture.client.create(secrets, {
    metadata: { name, namespace: fixture.namespace },
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': config },
  });
}

const makeJob = (name: string, spec: Partial<ImagePullJob['spec']>): Promise<ImagePullJob> =>
  fixture.client.create(imagePullJobs, {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'ImagePullJob',
    metadata: { name, namespace: fixture.namespace },
    spec: { pullSecrets: ['pull'], parallelism: 3, completionPolicy: {}, ...spec } as ImagePullJob['spec'],
  });

/** @returns undefined when it does not exist */
async function jobNow(name: string): Promise<ImagePullJob | undefined> {
  try {
    return await fixture.client.get(imagePullJobs, { namespace: fixture.namespace, name });
  } catch (error) {
    if (isFailure(error, 'NotFound')) return undefined;
    throw error;
  }
}

async function jobUntil(name: string, holds: (job: ImagePullJob) => boolean, what: string): Promise<ImagePullJob> {
  let found: ImagePullJob | undefined;
  await fixture
    .eventually(async () => {
      found = await jobNow(name);
      return found !== undefined && holds(found);
    }, what)
    .catch((error: unknown) => {
      throw new Error(`${String(error)}; last seen: ${JSON.stringify(found?.status)}`);
    });
  return found as ImagePullJob;
}

const isOver = ({ status }: ImagePullJob): boolean => status?.completionTime !== undefined;

/** Of the nodes: tests that run beside these make others. */
const nodeImagesNow = async (): Promise<readonly NodeImage[]> => {
  const { items } = await fixture.client.list(nodeImages);
  const own = items.filter(({ metadata }) => nodeNames.includes(metadata.name));
  return own.toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name));
};
const statusOf = (nodeImage: NodeImage, image: string, tag: string): ImageTagStatus | undefined =>
  nodeImage.status?.imageStatuses?.[image]?.tags.find((entry) => entry.tag === tag);
const nodesWith = async (image: string, tag: string): Promise<readonly string[]> =>
  (await nodeImagesNow())
    .filter(({ spec }) => spec.images?.[image]?.tags.some((entry) => entry.tag === tag))
    .map(({ metadata }) => metadata.name);

/** Copies for the agents of the secrets of this namespace. */
const copiesNow = async (): Promise<readonly Secret[]> =>
  (await fixture.client.list(secrets, { namespace: configNamespace })).items.filter(
    ({ metadata }) => metadata.annotations?.['imagepulljobs.kruise.io/source-key'] === `${fixture.namespace}/pull`,
  );
const usersOf = ({ metadata }: Secret): string | undefined => metadata.annotations?.['imagepulljobs.kruise.io/references'];

describe('an ImagePullJob', () => {
  it('gets its defaults, pulls on every node and completes; its secret is copied meanwhile and deleted afterwards', async () => {
    const image = `${registry.address}/library/busybox`;
    const made = await makeJob('all', { image: `${image}:1.34` });
    expect(made).toMatchObject({
      metadata: { finalizers: ['apps.kruise.io/deletion-protection'] },
      spec: {
        completionPolicy: { type: 'Always' },
        pullPolicy: { timeoutSeconds: 600, backoffLimit: 3 },
        imagePullPolicy: 'IfNotPresent',
      },
    });
    const { status } = await jobUntil('all', isOver, 'the job has ended');
    expect(status).toMatchObject({
      desired: nodeNames.length,
      succeeded: nodeNames.length,
      failed: 0,
      active: 0,
      message: 'job has completed',
    });
    const held = await nodeImagesNow();
    expect(held.map(({ metadata }) => metadata.name)).toEqual(nodeNames);
    for (const nodeImage of held) {
      expect(statusOf(nodeImage, image, '1.34')).toMatchObject({ phase: 'Succeeded', imageID: expect.stringMatching(/@sha256:/) });
      expect(nodeImage.spec.images?.[image]?.pullSecrets).toEqual([
        { namespace: configNamespace, name: expect.stringMatching(/^pull-[0-9a-f]{6}$/), mode: 'batch' },
      ]);
    }
    await fixture.eventually(async () => (await copiesNow()).length === 0, 'the copy of the secret is gone');
    await jobUntil('all', ({ metadata }) => (metadata.finalizers ?? []).length === 0, 'nothing holds the job');
  });

  it('pulls only on the nodes of its selector, and is deleted with its task when its time to live is over', async () => {
    const image = `${registry.address}/library/busybox`;
    const [node = ''] = nodeNames;
    await makeJob('one', {
      image: `${image}:1.35`,
      selector: { names: [node] },
      completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 5 },
    });
    let asked: readonly string[] = [];
    await fixture.eventually(async () => (asked = await nodesWith(image, '1.35')).length > 0, 'a node is asked');
    expect(asked).toEqual([node]);
    const { status } = await jobUntil('one', isOver, 'the job has ended');
    expect(status).toMatchObject({ desired: 1, succeeded: 1 });
    await fixture.eventually(async () => (await jobNow('one')) === undefined, 'the job is gone');
    await fixture.eventually(async () => (await nodesWith(image, '1.35')).length === 0, 'its task is gone');
  });

  it('names the nodes that failed, and why', async () => {
    const image = `${registry.address}/library/absent`;
    await makeJob('failing', { image: `${image}:1`, pullPolicy: { backoffLimit: 0, timeoutSeconds: 30 } });
    const { status } = await jobUntil('failing', isOver, 'the job has ended');
    expect(status).toMatchObject({ desired: nodeNames.length, succeeded: 0, failed: nodeNames.length, failedNodes: nodeNames });
    const [first] = await nodeImagesNow();
    expect(statusOf(first!, image, '1')).toMatchObject({ phase: 'Failed', message: expect.stringContaining('not found') });
  });

  it('shares the copy of a secret with other jobs, which is deleted with the last of them', async () => {
    const never = { completionPolicy: { type: 'Never' } } as const;
    await makeJob('first', { image: `${registry.address}/library/busybox:1.33`, ...never });
    await makeJob('second', { image: `${registry.address}/library/busybox:1.33`, ...never });
    await jobUntil('first', ({ status }) => status?.succeeded === nodeNames.length, 'the first has pulled');
    await jobUntil('second', ({ status }) => status?.succeeded === nodeNames.length, 'the second has pulled');
    const both = `${fixture.namespace}/first,${fixture.namespace}/second`;
    // Jobs that ended before use it for some seconds more.
    await fixture.eventually(async () => (await copiesNow()).map(usersOf).join(' ') === both, 'both share one copy');
    expect((await jobNow('first'))?.status).not.toHaveProperty('completionTime');
    for (const [name, left] of [
      ['first', 1],
      ['second', 0],
    ] as const) {
      await fixture.client.delete(imagePullJobs, { namespace: fixture.namespace, name });
      await fixture.eventually(async () => (await jobNow(name)) === undefined, `${name} is gone`);
      await fixture.eventually(async () => (await copiesNow()).length === left, `${left} copies are left`);
    }
    await fixture.eventually(async () => (await nodesWith(`${registry.address}/library/busybox`, '1.33')).length === 0, 'no task is left');
  });

  it.each<{ name: string; spec: Partial<ImagePullJob['spec']>; why: RegExp }>([
    { name: 'a percentage', spec: { parallelism: '50%' }, why: /can not be a percentage/ },
    {
      name: 'two selectors',
      spec: { selector: { names: ['a'] }, podSelector: { matchLabels: { a: 'b' } } },
      why: /cannot be used together/,
    },
  ])('is refused with $name', async ({ spec, why }) => {
    await expect(makeJob('refused', { image: 'nginx', ...spec })).rejects.toThrow(why);
  });
});

describe('an ImageListPullJob', () => {
  it('makes a job for each image and says which failed', async () => {
    const bad = `${registry.address}/library/absent:2`;
    const list = await fixture.client.create<ImageListPullJob>(imageListPullJobs, {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'ImageListPullJob',
      metadata: { name: 'list', namespace: fixture.namespace },
      spec: {
        images: [`${registry.address}/library/busybox:1.32`, bad],
        pullSecrets: ['pull'],
        parallelism: 3,
        pullPolicy: { backoffLimit: 0, timeoutSeconds: 30 },
        completionPolicy: {},
      },
    });
    let last: ImageListPullJob | undefined;
    await fixture.eventually(async () => {
      last = await fixture.client.get(imageListPullJobs, { namespace: fixture.namespace, name: 'list' });
      return last.status?.completionTime !== undefined;
    }, 'the list is over');
    expect(last?.status).toMatchObject({ desired: 2, completed: 2, succeeded: 1, failedImageStatuses: [{ name: bad }] });
    const children = (await fixture.client.list(imagePullJobs, { namespace: fixture.namespace })).items.filter((job) =>
      isControlledBy(job, list.metadata.uid),
    );
    expect(children.map(({ metadata }) => metadata.name)).toEqual([
      expect.stringMatching(/^list-[a-z0-9]{5}$/),
      expect.stringMatching(/^list-[a-z0-9]{5}$/),
    ]);
  });
});

describe('a rollout in place', () => {
  it('finds its image on the nodes: it was pulled there before the first Pod was updated', async () => {
    const image = (tag: string): string => `${registry.address}/library/nginx:${tag}`;
    const labels = { app: 'web' };
    const template = (tag: string) => ({
      metadata: { labels },
      spec: { imagePullSecrets: [{ name: 'pull' }], containers: [{ name: 'main', image: image(tag), imagePullPolicy: 'IfNotPresent' }] },
    });
    await fixture.apply({ name: 'web', replicas: 4, image: '', spec: { template: template('alpine-20') } });
    await fixture.untilRolledOut('web');
    const before = (await fixture.pods('web')).map(({ metadata }) => metadata.uid);

    await fixture.patch('web', {
      spec: {
        template: template('alpine-21'),
        updateStrategy: { rollingUpdate: { partition: 4, inPlaceUpdateStrategy: { imagePreDownloadParallelism: 3 } } },
      },
    });
    let job: ImagePullJob | undefined;
    await fixture.eventually(async () => {
      const { items } = await fixture.client.list(imagePullJobs, { namespace: fixture.namespace });
      job = items.find(({ metadata }) => metadata.ownerReferences?.some(({ name }) => name === 'web'));
      return job?.status?.completionTime !== undefined;
    }, 'the image is pulled ahead');
    const places = new Set((await fixture.pods('web')).map(({ spec }) => spec.nodeName));
    expect(job?.status).toMatchObject({ desired: places.size, succeeded: places.size });
    expect((await fixture.pods('web')).map(imageOf)).toEqual(Array.from({ length: 4 }, () => image('alpine-20')));

    const served = registry.served.filter((path) => path.includes('nginx')).length;
    await fixture.patch('web', { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } });
    await fixture.untilRolledOut('web');
    const after = await fixture.pods('web');
    expect(after.map(({ metadata }) => metadata.uid)).toEqual(before);
    expect(after.map(imageOf)).toEqual(Array.from({ length: 4 }, () => image('alpine-21')));
    expect(after.map(restartsOf)).toEqual([1, 1, 1, 1]);
    expect(registry.served.filter((path) => path.includes('nginx'))).toHaveLength(served);
    await fixture.eventually(
      async () => (await jobNow(job?.metadata.name ?? '')) === undefined,
      'the job goes with the end of the rollout',
    );
  });
});
