/** Jobs over nodes of a real API server, with the manager as a process, its webhooks, and agents that only answer. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { imageListPullJobs, imagePullJobs, imagePullJobsV1Alpha1, nodeImages, type ImagePullJob } from '@kruise/api';
import { isFailure } from '@kruise/kube';
import { silentLogger } from '@kruise/kube/testing';
import { events, namespaces, nodes, secrets } from '@kruise/objects';
import { type ControlPlane, startFaultProxy, type FaultProxy } from '@kruise/testing';
import { AgentFleet } from '../images/agent-fleet.testing.ts';
import { tagAt } from '@kruise/kinds/images';
import { CloneSetFixture } from './fixtures/cloneset-fixture.testing.ts';
import { startInstalledPlane } from './processes/installed-plane.testing.ts';
import { ManagerProcess } from './processes/manager-process.testing.ts';

const nodeCount = 6;
const namespace = 'pulling';
const configNamespace = 'kruise-daemon-config';

let dir: string;
let plane: ControlPlane;
let proxy: FaultProxy;
let manager: ManagerProcess;
let fixture: CloneSetFixture;
let fleet: AgentFleet;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'kruise-pulling-'));
  plane = await startInstalledPlane({ simulatedNodes: nodeCount });
  proxy = await startFaultProxy({ kubeconfigPath: plane.kubeconfigPath });
  const flags = ['--feature-gates=ImagePullJobGate=true', '--nodeimage-creation-delay=0s', '--enable-leader-election=false'];
  manager = await ManagerProcess.create({ kubeconfigPath: proxy.kubeconfigPath, dir, flags });
  await manager.start();
  fixture = await CloneSetFixture.create(plane.kubeconfigPath, namespace);
  await fixture.client.create(namespaces, { metadata: { name: configNamespace } });
  fleet = new AgentFleet(fixture.client, {
    logger: silentLogger(),
    fails: (image, node) => image.startsWith('broken') && node === 'simulated-0',
  });
});

afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
  await manager?.signal('SIGKILL');
  fixture?.client.close();
  await proxy?.[Symbol.asyncDispose]();
  await plane?.stop();
  rmSync(dir, { recursive: true, force: true });
});

const key = (name: string) => ({ namespace, name });

const makeJob = (name: string, spec: Partial<ImagePullJob['spec']>): Promise<ImagePullJob> =>
  fixture.client.create(imagePullJobs, {
    metadata: { name, namespace },
    spec: { image: 'nginx:1', parallelism: nodeCount, completionPolicy: {}, ...spec },
  });

async function over(name: string, timeoutMs?: number): Promise<ImagePullJob> {
  let job: ImagePullJob | undefined;
  await fixture.eventually(
    async () => {
      job = await fixture.client.get(imagePullJobs, key(name));
      return job.status?.completionTime !== undefined;
    },
    `${name} is over`,
    timeoutMs,
  );
  return job as ImagePullJob;
}

const copies = async (): Promise<readonly string[]> =>
  (await fixture.client.list(secrets, { namespace: configNamespace })).items.map(({ metadata }) => metadata.name);

describe('nodes', () => {
  it('have NodeImages with their names and labels, which follow the labels and go with the node', async () => {
    await fixture.eventually(async () => (await fixture.client.list(nodeImages)).items.length === nodeCount, 'every node has one');
    const [node] = (await fixture.client.list(nodes)).items;
    const key = { namespace: '', name: node!.metadata.name };
    // Kubernetes labels its nodes, too.
    const areEqual = async (): Promise<boolean> =>
      isDeepStrictEqual(
        (await fixture.client.get(nodeImages, key)).metadata.labels,
        (await fixture.client.get(nodes, key)).metadata.labels,
      );
    await fixture.eventually(areEqual, 'the labels are those of the node');

    await fixture.client.create(nodes, { metadata: { name: 'extra', labels: { pool: 'a' } } });
    const ready = { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] };
    await fixture.client.patch(nodes, { namespace: '', name: 'extra' }, { status: ready }, { type: 'merge', subresource: 'status' });
    const labelsOfExtra = async (): Promise<unknown> => {
      const found = (await fixture.client.list(nodeImages)).items.find(({ metadata }) => metadata.name === 'extra');
      return found?.metadata.labels?.['pool'];
    };
    await fixture.eventually(async () => (await labelsOfExtra()) === 'a', 'the new node has one');
    await fixture.client.patch(nodes, { namespace: '', name: 'extra' }, { metadata: { labels: { pool: 'b' } } }, { type: 'merge' });
    await fixture.eventually(async () => (await labelsOfExtra()) === 'b', 'the label follows');
    await fixture.client.delete(nodes, { namespace: '', name: 'extra' });
    await fixture.eventually(async () => (await fixture.client.list(nodeImages)).items.length === nodeCount, 'it goes with its node');
    expect((await fixture.client.list(nodeImages)).items.map(({ metadata }) => metadata.name)).not.toContain('extra');
  });
});

describe('a job', () => {
  it('of either version gets its defaults and pulls on every node', async () => {
    const made = await fixture.client.create(imagePullJobsV1Alpha1, {
      metadata: { name: 'old', namespace },
      spec: { image: 'nginx:1', parallelism: 2 } as ImagePullJob['spec'],
    });
    expect(made).toMatchObject({
      metadata: { finalizers: ['apps.kruise.io/deletion-protection'] },
      spec: { completionPolicy: { type: 'Always' }, pullPolicy: { timeoutSeconds: 600, backoffLimit: 3 }, imagePullPolicy: 'IfNotPresent' },
    });
    expect((await over('old')).status).toMatchObject({ desired: nodeCount, succeeded: nodeCount, message: 'job has completed' });
    const { items } = await fixture.client.list(nodeImages);
    const owners = items.map((nodeImage) => tagAt(nodeImage, { name: 'nginx', tag: '1' })?.ownerReferences?.map(({ name }) => name));
    expect(owners).toEqual(Array.from({ length: nodeCount }, () => ['old']));
  });

  it('names what failed, shares tasks with others, and is deleted with them after its time to live', async () => {
    await makeJob('broken', { image: 'broken:1', completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 10 } });
    expect((await over('broken')).status).toMatchObject({ succeeded: nodeCount - 1, failed: 1, failedNodes: ['simulated-0'] });
    await fixture.eventually(
      async () =>
        fixture.client.get(imagePullJobs, key('broken')).then(
          () => false,
          (error: unknown) => isFailure(error, 'NotFound'),
        ),
      'the job is gone',
    );
    await fixture.eventually(
      async () =>
        (await fixture.client.list(nodeImages)).items.every((nodeImage) => tagAt(nodeImage, { name: 'broken', tag: '1' }) === undefined),
      'its tasks are gone',
    );
  });

  it('has its pull secrets copied while it runs, and no others, on a server that checks types and names', async () => {
    await fixture.client.create(secrets, {
      metadata: { name: 'registry', namespace },
      type: 'kubernetes.io/dockerconfigjson',
      data: { '.dockerconfigjson': Buffer.from('{"auths":{}}').toString('base64') },
    });
    await fixture.client.create(secrets, { metadata: { name: 'password', namespace }, type: 'Opaque', data: { a: 'Yg==' } });
    await makeJob('secret', { image: 'redis:1', pullSecrets: ['password', 'registry'], completionPolicy: { type: 'Never' } });
    await fixture.eventually(async () => (await copies()).length === 1, 'the copy is there');
    await fixture.eventually(async () => {
      const { items } = await fixture.client.list(events, { namespace, fieldSelector: 'reason=PullSecretRefused' });
      return items.some((event) => JSON.stringify(event).includes(`Secret ${namespace}/password is of type Opaque`));
    }, 'the other is refused');
    const [copy = ''] = await copies();
    expect(await fixture.client.get(secrets, { namespace: configNamespace, name: copy })).toMatchObject({
      type: 'kubernetes.io/dockerconfigjson',
      data: { '.dockerconfigjson': Buffer.from('{"auths":{}}').toString('base64') },
    });
    await fixture.client.delete(imagePullJobs, key('secret'));
    await fixture.eventually(async () => (await copies()).length === 0, 'the copy is gone');
  });

  it('of a list is made for each image', async () => {
    const spec = { images: ['busybox:1', 'broken:2'], parallelism: nodeCount, completionPolicy: {} } as never;
    await fixture.client.create(imageListPullJobs, { metadata: { name: 'list', namespace }, spec });
    await fixture.eventually(
      async () => (await fixture.client.get(imageListPullJobs, key('list'))).status?.completionTime !== undefined,
      'the list is over',
    );
    const { status } = await fixture.client.get(imageListPullJobs, key('list'));
    expect(status).toMatchObject({ desired: 2, succeeded: 1, failedImageStatuses: [{ name: 'broken:2' }] });
  });
});

describe('the manager is killed', () => {
  it('at many writes of a job, and the job ends as an undisturbed one', async () => {
    const path = /nodeimages|imagepulljobs|secrets/;
    const isOver = async (): Promise<boolean> =>
      (await fixture.client.get(imagePullJobs, key('killed'))).status?.completionTime !== undefined;
    let kills = 0;
    for (let index = 1; index < 9; index += 1) {
      const known = proxy.requests.length;
      // The fault is injected before the first write of this process.
      const heal = proxy.inject({
        match: { path, watch: false, method: 'PATCH' },
        // A few at a time, so that each process has a write to die at.
        skip: (index - 1) % 3,
        fault: { kind: index % 2 === 0 ? 'Hang' : 'ResetAfterCommit' },
      });
      if (index === 1) await makeJob('killed', { image: 'killed:1', parallelism: 2, pullSecrets: ['registry'] });
      else manager.startOnly();
      const isHit = (): boolean => proxy.requests.slice(known).some(({ fault }) => fault !== undefined);
      await fixture.eventually(async () => isHit() || (await isOver()), 'a write').finally(heal);
      if (!isHit()) break;
      await manager.signal('SIGKILL');
      kills += 1;
    }
    if (!manager.isRunning) await manager.start();
    expect(kills).toBeGreaterThan(1);
    expect((await over('killed')).status).toMatchObject({ desired: nodeCount, succeeded: nodeCount });
    await fixture.eventually(async () => (await copies()).length === 0, 'no secret is left');
    const { items } = await fixture.client.list(nodeImages);
    const owners = items.map((nodeImage) => tagAt(nodeImage, { name: 'killed', tag: '1' })?.ownerReferences?.length);
    expect(owners).toEqual(Array.from({ length: nodeCount }, () => 1));
  });
});
