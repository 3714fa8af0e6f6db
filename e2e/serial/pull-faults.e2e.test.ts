/** An image that is pulled on every node while everybody who takes part in it is killed. */
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { imagePullJobs, nodeImages, type ImagePullJob, type ImageTagStatus } from '@kruise/api';
import { events, isPodReady, nodes, pods, secrets, type Pod } from '@kruise/objects';
import { ComponentSet } from '@kruise/testing';
import type { CloneSetFixture } from '../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import type { EventObject } from '../../apps/manager/src/int-tests/fixtures/workload-fixture.testing.ts';
import { killProcessesOf } from '../support/container-processes.ts';
import { GuardedRegistry } from '../support/guarded-registry.ts';
import { closeFixture, openFixture } from '../support/fixture.ts';

describe('a pull on every node', () => {
  let fixture: CloneSetFixture;
  let registry: GuardedRegistry;
  let nodeNames: readonly string[];
  const components = new ComponentSet(dirname(process.env['KRUISE_E2E_KUBECONFIG'] ?? ''));

  beforeAll(async () => {
    fixture = await openFixture('pull-faults');
    const [upstream = ''] = ((await systemPods('daemon'))[0]?.spec.containers[0]?.image ?? '').split('/');
    registry = await GuardedRegistry.start(upstream);
    nodeNames = (await fixture.client.list(nodes)).items.map(({ metadata }) => metadata.name).toSorted();
    const isAsked = async (): Promise<boolean> => (await fixture.client.list(nodeImages)).items.length >= nodeNames.length;
    await fixture.eventually(isAsked, 'every node has a NodeImage');
    const { name, password } = registry.user;
    const auths = { [registry.address]: { auth: Buffer.from(`${name}:${password}`).toString('base64') } };
    await fixture.client.create(secrets, {
      metadata: { name: 'pull', namespace: fixture.namespace },
      type: 'kubernetes.io/dockerconfigjson',
      data: { '.dockerconfigjson': Buffer.from(JSON.stringify({ auths })).toString('base64') },
    });
  });

  afterAll(async () => {
    registry?.release();
    await registry?.[Symbol.asyncDispose]();
    await closeFixture(fixture);
  });

  const job = (): Promise<ImagePullJob> => fixture.client.get(imagePullJobs, { namespace: fixture.namespace, name: 'all' });
  const systemPods = async (controlPlane: string): Promise<readonly Pod[]> =>
    (await fixture.client.list(pods, { labelSelector: `control-plane=${controlPlane}` })).items;

  async function tagStatuses(image: string, tag: string): Promise<readonly (ImageTagStatus | undefined)[]> {
    const { items } = await fixture.client.list(nodeImages);
    return items.map(({ status }) => status?.imageStatuses?.[image]?.tags.find((entry) => entry.tag === tag));
  }

  it('ends well on all of them though an agent, a runtime and both managers are killed in the middle', async () => {
    const image = `${registry.address}/library/busybox`;
    registry.hold();
    await fixture.client.create(imagePullJobs, {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'ImagePullJob',
      metadata: { name: 'all', namespace: fixture.namespace },
      spec: {
        image: `${image}:1.35`,
        parallelism: nodeNames.length,
        pullSecrets: ['pull'],
        pullPolicy: { timeoutSeconds: 120, backoffLimit: 5 },
        completionPolicy: { type: 'Always' },
      },
    });
    await fixture.eventually(async () => {
      const statuses = await tagStatuses(image, '1.35');
      const isEveryNode = statuses.length === nodeNames.length && statuses.every((status) => status?.phase === 'Pulling');
      return registry.waiting >= nodeNames.length && isEveryNode;
    }, 'every node waits for the registry');
    // The job counts what it has requested a moment later than the nodes hear of it.
    const isCounted = async (): Promise<boolean> => {
      const { desired, active, succeeded, failed } = (await job()).status ?? {};
      return [desired, active, succeeded ?? 0, failed ?? 0].join() === [nodeNames.length, nodeNames.length, 0, 0].join();
    };
    await fixture.eventually(isCounted, 'the job counts every node as active');

    const [first, second = ''] = nodeNames;
    const agents = (await systemPods('daemon')).filter(({ spec }) => spec.nodeName === first);
    const managers = await systemPods('controller-manager');
    expect([agents.length, managers.length]).toEqual([1, 2]);
    for (const pod of [...agents, ...managers]) killProcessesOf(pod);
    await components.kill(`containerd-${second}`);
    await fixture.eventually(() => Promise.resolve(registry.waiting < nodeNames.length), 'the pulls of those that are gone have ended');
    await components.restart(`containerd-${second}`);
    await fixture.eventually(() => Promise.resolve(registry.waiting >= nodeNames.length), 'every node asks again');
    registry.release();

    await fixture.eventually(async () => (await job()).status?.completionTime !== undefined, 'the job has ended');
    expect((await job()).status).toMatchObject({ succeeded: nodeNames.length, failed: 0, active: 0, message: 'job has completed' });
    const ended = (await tagStatuses(image, '1.35')).map((status) => [status?.phase, status?.progress]);
    expect(ended).toEqual(nodeNames.map(() => ['Succeeded', 100]));
    const isReady = async (): Promise<boolean> => {
      const all = [...(await systemPods('daemon')), ...(await systemPods('controller-manager'))];
      return all.length === nodeNames.length + 2 && all.every(isPodReady);
    };
    await fixture.eventually(isReady, 'all of Kruise is ready again');
  });

  // An agent writes 25 events of one object immediately and then one in five minutes: one that has just started has written few.
  it('that fails is reported in an event of the NodeImage', async () => {
    const [node = ''] = nodeNames;
    const image = `${registry.address}/library/nothing`;
    const pullPolicy = { timeoutSeconds: 60, backoffLimit: 0, ttlSecondsAfterFinished: 600 };
    const missing = { tag: '1', createdAt: new Date().toISOString(), imagePullPolicy: 'IfNotPresent', pullPolicy };
    const change = (wanted: object | null): Promise<unknown> =>
      fixture.client.patch(nodeImages, { namespace: '', name: node }, { spec: { images: { [image]: wanted } } }, { type: 'merge' });
    await change({ tags: [missing] });
    await fixture.eventually(async () => {
      const { items } = await fixture.client.list<EventObject>(events, { namespace: 'default' });
      return items.some(
        ({ reason, message, involvedObject }) =>
          involvedObject?.name === node && reason === 'PullImageFailed' && message?.includes(`Image ${image}:1 Failed to pull`) === true,
      );
    }, 'an event reports the failure');
    await change(null);
  });
});
