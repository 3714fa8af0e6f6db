/** Images asked of one node by its NodeImage, pulled by containerd from a registry that wants a password. */
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { nodeImages, type ImageSpec, type ImageTagSpec, type ImageTagStatus, type NodeImage } from '@kruise/api';
import { isFailure } from '@kruise/kube';
import { nodes, secrets, type KubeObject, type ResourceType } from '@kruise/objects';
import { succeeds } from '@kruise/testing';
import type { CloneSetFixture } from '../../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { GuardedRegistry } from '../../support/guarded-registry.ts';
import { closeFixture, openFixture } from '../../support/fixture.ts';

const configNamespace = 'kruise-daemon-config';
const daemonSets: ResourceType<DaemonSet> = { group: 'apps', version: 'v1', kind: 'DaemonSet', plural: 'daemonsets', namespaced: true };

interface DaemonSet extends KubeObject {
  readonly spec: { readonly template: { readonly spec: { readonly containers: readonly { readonly image: string }[] } } };
}

const aTag = (tag: string, more: Partial<ImageTagSpec> = {}): ImageTagSpec => ({
  tag,
  createdAt: new Date().toISOString(),
  imagePullPolicy: 'IfNotPresent',
  pullPolicy: { timeoutSeconds: 60, backoffLimit: 0, ttlSecondsAfterFinished: 600 },
  ...more,
});

describe('a NodeImage', () => {
  let fixture: CloneSetFixture;
  let registry: GuardedRegistry;
  let node: string;
  const asked = new Set<string>();
  const madeSecrets = new Set<string>();

  beforeAll(async () => {
    fixture = await openFixture('node-image');
    const installed = (await fixture.client.list(daemonSets)).items.find(({ metadata }) => metadata.name === 'kruise-daemon');
    const [upstream = ''] = (installed?.spec.template.spec.containers[0]?.image ?? '').split('/');
    registry = await GuardedRegistry.start(upstream);
    node = (await fixture.client.list(nodes)).items.map(({ metadata }) => metadata.name).toSorted()[0] ?? '';
  });

  afterAll(async () => {
    const deleted = Object.fromEntries([...asked].map((image) => [image, null]));
    if (asked.size > 0)
      await fixture.client.patch(nodeImages, { namespace: '', name: node }, { spec: { images: deleted } }, { type: 'merge' });
    for (const name of madeSecrets) await fixture?.client.delete(secrets, { namespace: configNamespace, name });
    await registry?.[Symbol.asyncDispose]();
    await closeFixture(fixture);
  });

  /** Requests one image, beside those that others request; the NodeImage is made when the manager has not made it yet. */
  async function ask(image: string, wanted: ImageSpec): Promise<void> {
    asked.add(image);
    const spec: NodeImage['spec'] = { images: { [image]: wanted } };
    try {
      await fixture.client.patch(nodeImages, { namespace: '', name: node }, { spec }, { type: 'merge' });
    } catch (error) {
      if (!isFailure(error, 'NotFound')) throw error;
      await fixture.client.create(nodeImages, { metadata: { name: node }, spec });
    }
  }

  /** Waits for the end of a task. */
  async function ended(image: string, tag: string, version = 0): Promise<ImageTagStatus | undefined> {
    let found: ImageTagStatus | undefined;
    await fixture.eventually(async () => {
      const { status } = await fixture.client.get(nodeImages, { namespace: '', name: node });
      found = status?.imageStatuses?.[image]?.tags.find((entry) => entry.tag === tag && (entry.version ?? 0) === version);
      return found?.completionTime !== undefined;
    }, `${image}:${tag} is done`);
    return found;
  }

  async function makeSecret(name: string, user: string, password: string) {
    const auth = Buffer.from(`${user}:${password}`).toString('base64');
    const config = Buffer.from(JSON.stringify({ auths: { [registry.address]: { auth } } })).toString('base64');
    madeSecrets.add(name);
    await fixture.client.create(secrets, {
      metadata: { name, namespace: configNamespace },
      type: 'kubernetes.io/dockerconfigjson',
      data: { '.dockerconfigjson': config },
    });
    return { namespace: configNamespace, name };
  }

  it('gets its image with the second of two pull secrets, and then has it though the registry is down', async () => {
    const image = `${registry.address}/library/busybox`;
    const pullSecrets = [
      await makeSecret('node-image-wrong', registry.user.name, 'wrong'),
      await makeSecret('node-image-right', registry.user.name, registry.user.password),
    ];
    await ask(image, { pullSecrets, tags: [aTag('1.32')] });
    const status = await ended(image, '1.32');
    expect(status).toMatchObject({ phase: 'Succeeded', progress: 100, imageID: expect.stringMatching(/@sha256:[0-9a-f]{64}$/) });
    expect(registry.refused).toBeGreaterThan(0);
    expect(registry.served.some((path) => path.includes('/manifests/'))).toBe(true);

    registry.down = true;
    try {
      await ask(image, { pullSecrets, tags: [aTag('1.32', { version: 1 }), aTag('1.33', { version: 1 })] });
      expect(await ended(image, '1.32', 1)).toMatchObject({ phase: 'Succeeded', imageID: status?.imageID });
      expect(await ended(image, '1.33', 1)).toMatchObject({ phase: 'Failed', message: expect.stringContaining('503') });
    } finally {
      registry.down = false;
    }
    await ask(image, { pullSecrets, tags: [aTag('1.33', { version: 2 })] });
    expect((await ended(image, '1.33', 2))?.phase).toBe('Succeeded');
  });

  it('gets an image by its digest', async () => {
    const image = `${registry.address}/library/nginx`;
    const pullSecrets = [await makeSecret('node-image-digest', registry.user.name, registry.user.password)];
    await ask(image, { pullSecrets, tags: [aTag('alpine-20')] });
    await ended(image, 'alpine-20');
    const authorization = `Basic ${Buffer.from(`${registry.user.name}:${registry.user.password}`).toString('base64')}`;
    const manifest = await fetch(`http://${registry.address}/v2/library/nginx/manifests/alpine-21`, {
      method: 'HEAD',
      headers: { authorization, accept: 'application/vnd.oci.image.manifest.v1+json' },
    });
    const digest = manifest.headers.get('docker-content-digest') ?? '';
    await ask(image, { pullSecrets, tags: [aTag(digest)] });
    expect(await ended(image, digest)).toMatchObject({ phase: 'Succeeded', imageID: expect.stringContaining('@sha256:') });
    const before = registry.served.length;
    await ask(image, { pullSecrets, tags: [aTag(digest, { version: 1 })] });
    expect((await ended(image, digest, 1))?.phase).toBe('Succeeded');
    expect(registry.served).toHaveLength(before);
  });

  it('fails with what the registry says', async () => {
    const image = `${registry.address}/library/nothing`;
    const pullSecrets = [await makeSecret('node-image-missing', registry.user.name, registry.user.password)];
    await ask(image, { pullSecrets, tags: [aTag('1')] });
    expect(await ended(image, '1')).toMatchObject({
      phase: 'Failed',
      message: expect.stringMatching(/^Failed to pull image reference ".*nothing:1": PullImage: .*not found/s),
    });
    const anonymous = `${registry.address}/library/httpd`;
    await ask(anonymous, { tags: [aTag('1')] });
    expect(await ended(anonymous, '1')).toMatchObject({ phase: 'Failed', message: expect.stringContaining('401') });
  });

  it('carries the labels of its Node, as they change', async () => {
    const labelsOf = async (name: string) => (await fixture.client.get(nodeImages, { namespace: '', name })).metadata.labels;
    const label = (value: string | null): Promise<unknown> =>
      fixture.client.patch(nodes, { namespace: '', name: node }, { metadata: { labels: { 'e2e/pool': value } } }, { type: 'merge' });
    await label('web');
    await fixture.eventually(async () => (await labelsOf(node))?.['e2e/pool'] === 'web', 'the label is copied');
    await label(null);
    await fixture.eventually(async () => (await labelsOf(node))?.['e2e/pool'] === undefined, 'and goes with that of the Node');
    // Other tests label nodes as well.
    const areEqual = async (): Promise<boolean> =>
      isDeepStrictEqual(await labelsOf(node), (await fixture.client.get(nodes, { namespace: '', name: node })).metadata.labels);
    await fixture.eventually(areEqual, 'all labels are those of the Node');
  });

  it('without a Node is deleted, unless it is marked as a fake', async () => {
    const [stray, fake] = ['node-image-stray', 'node-image-fake'];
    await fixture.client.create(nodeImages, { metadata: { name: fake, labels: { 'apps.kruise.io/fake-nodeimage': '' } }, spec: {} });
    await fixture.client.create(nodeImages, { metadata: { name: stray }, spec: {} });
    const isThere = (name: string): Promise<boolean> => succeeds(fixture.client.get(nodeImages, { namespace: '', name }));
    await fixture.eventually(async () => !(await isThere(stray)), 'the stray one is gone');
    expect(await isThere(fake)).toBe(true);
    await fixture.client.delete(nodeImages, { namespace: '', name: fake });
  });

  it('is freed of a tag when its time after the end is over', async () => {
    const image = `${registry.address}/library/nothing-short`;
    await ask(image, { tags: [aTag('1', { pullPolicy: { timeoutSeconds: 60, backoffLimit: 0, ttlSecondsAfterFinished: 5 } })] });
    await ended(image, '1');
    await fixture.eventually(async () => {
      const { spec, status } = await fixture.client.get(nodeImages, { namespace: '', name: node });
      return spec.images?.[image] === undefined && status?.imageStatuses?.[image] === undefined;
    }, 'the tag has left spec and status');
  });
});
