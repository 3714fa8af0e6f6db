/** A policy of a real API server refuses writes of one Pod, one node or one NodeImage: the workload carries out the rest, says what is refused and keeps its budget. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { conditionTypes, imagePullJobs, nodeImages, type NodeImage } from '@kruise/api';
import { silentLogger } from '@kruise/kube/testing';
import { isPodReady, nodes, pods, type Pod } from '@kruise/objects';
import { nodeOf } from '@kruise/pods';
import type { ControlPlane } from '@kruise/testing';
import { AgentFleet } from '../images/agent-fleet.testing.ts';
import { tagAt } from '@kruise/kinds/images';
import { isRefusedWrite, RefusedWrites } from './processes/admission-policy.testing.ts';
import { BroadcastJobFixture } from './fixtures/broadcastjob-fixture.testing.ts';
import { CloneSetFixture } from './fixtures/cloneset-fixture.testing.ts';
import { DaemonSetFixture } from './fixtures/daemonset-fixture.testing.ts';
import { startInstalledPlane } from './processes/installed-plane.testing.ts';
import { ManagerProcess } from './processes/manager-process.testing.ts';
import { PodHistory } from './fixtures/pod-history.testing.ts';
import { SidecarSetFixture } from './fixtures/sidecarset-fixture.testing.ts';
import { StatefulSetFixture } from './fixtures/statefulset-fixture.testing.ts';

const image = (tag: string): string => `registry.example/app:${tag}`;
const imageOf = (pod: Pod): string => pod.spec.containers[0]?.image ?? '';
const isServing = (pod: Pod): boolean => isPodReady(pod) && pod.metadata.deletionTimestamp === undefined;

interface Conditioned {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly message?: string }[] } | undefined;
}
const blockedMessage = ({ status }: Conditioned): string =>
  status?.conditions?.find(({ type }) => type === conditionTypes.blocked)?.message ?? '';
const saysWhy = (seen: Conditioned): boolean => blockedMessage(seen).includes('refused by the administrator');

/** In CEL: whether a Pod is created for a node, by its name or by a required node affinity. */
function isForNode(node: string): string {
  const terms = 'object.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';
  const hasAffinity = 'has(object.spec.affinity) && has(object.spec.affinity.nodeAffinity)';
  const isNamed = `term.matchFields.exists(field, '${node}' in field.values)`;
  return `(has(object.spec.nodeName) && object.spec.nodeName == '${node}') || (${hasAffinity} && ${terms}.exists(term, has(term.matchFields) && ${isNamed}))`;
}

describe('a workload of which one Pod is refused', () => {
  const dir = mkdtempSync(join(tmpdir(), 'kruise-manager-'));
  let plane: ControlPlane;
  let manager: ManagerProcess;

  beforeAll(async () => {
    plane = await startInstalledPlane();
    const flags = ['--feature-gates=ImagePullJobGate=true', '--nodeimage-creation-delay=0s'];
    manager = await ManagerProcess.create({ kubeconfigPath: plane.kubeconfigPath, dir, flags });
    await manager.start();
  });
  afterAll(async () => {
    await manager.signal('SIGKILL');
    await plane.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  it('CloneSet: updates the others in place, and that one once it is allowed', async () => {
    const fixture = await CloneSetFixture.create(plane.kubeconfigPath, 'policy-cloneset');
    await fixture.apply({ name: 'web', replicas: 6, image: image('1'), rollingUpdate: { maxUnavailable: 2 } });
    await fixture.untilRolledOut('web');
    const kept = (await fixture.pods('web'))[0]?.metadata.name ?? '';
    await using history = await PodHistory.begin(fixture.client, fixture.namespace);
    {
      await using _refused = await RefusedWrites.ofPod(plane, fixture.client, { namespace: fixture.namespace, name: kept }, 'UPDATE');
      await fixture.setImage('web', image('2'));
      await fixture.untilUpdated('web', 5);
      await fixture.until('web', saysWhy);
      await fixture.eventually(
        async () => (await fixture.pods('web')).every(isServing),
        'every Pod is in service, the refused one as well',
      );
      expect((await fixture.pods('web')).filter((pod) => imageOf(pod) === image('1')).map(({ metadata }) => metadata.name)).toEqual([kept]);
    }
    expect(blockedMessage(await fixture.untilRolledOut('web'))).toBe('');
    expect((await history.untilNow()).range(isServing).lowest).toBeGreaterThanOrEqual(4);
    fixture.client.close();
  });

  it('DaemonSet: updates the other nodes in place, one after the other, and that one once it is allowed', async () => {
    const fixture = await DaemonSetFixture.create(plane.kubeconfigPath, 'policy-daemonset');
    await fixture.apply({
      name: 'agent',
      image: image('1'),
      rollingUpdate: { rollingUpdateType: 'InPlaceIfPossible', maxUnavailable: 1 },
    });
    await fixture.untilRolledOut('agent');
    const [first] = await fixture.pods('agent');
    const kept = first?.metadata.name ?? '';
    await using history = await PodHistory.begin(fixture.client, fixture.namespace);
    {
      await using _refused = await RefusedWrites.ofPod(plane, fixture.client, { namespace: fixture.namespace, name: kept }, 'UPDATE');
      await fixture.setImage('agent', image('2'));
      await fixture.untilUpdated('agent', 2);
      await fixture.until('agent', saysWhy);
      expect(imageOf(await fixture.pod(kept))).toBe(image('1'));
    }
    expect(blockedMessage(await fixture.untilRolledOut('agent'))).toBe('');
    expect((await history.untilNow()).range(isServing).lowest).toBeGreaterThanOrEqual(2);
    fixture.client.close();
  });

  it('StatefulSet: deletes the other surplus Pods, and that one once it is allowed', async () => {
    const fixture = await StatefulSetFixture.create(plane.kubeconfigPath, 'policy-statefulset');
    await fixture.apply({ name: 'db', replicas: 5, image: image('1'), parallel: true });
    await fixture.until('db', ({ status }) => status?.readyReplicas === 5);
    const key = { namespace: fixture.namespace, name: 'db-4' };
    const names = async (): Promise<string> => (await fixture.pods('db')).map(({ metadata }) => metadata.name).join();
    {
      await using _refused = await RefusedWrites.ofPod(plane, fixture.client, key, 'DELETE');
      await fixture.patch('db', { spec: { replicas: 2 } });
      await fixture.eventually(async () => (await names()) === 'db-0,db-1,db-4', 'only the refused surplus Pod is left');
      await fixture.until('db', saysWhy);
    }
    await fixture.eventually(async () => (await names()) === 'db-0,db-1', 'the refused Pod is deleted as well');
    expect(blockedMessage(await fixture.until('db', ({ status }) => status?.replicas === 2))).toBe('');
    fixture.client.close();
  });

  it('BroadcastJob: runs on the other nodes, and on that one once it is allowed', async () => {
    const fixture = await BroadcastJobFixture.create(plane.kubeconfigPath, 'policy-broadcastjob');
    const names = (await fixture.client.list(nodes)).items.map(({ metadata }) => metadata.name).toSorted();
    const [refusedNode = '', ...others] = names;
    const policy = { name: 'broadcastjob', namespace: fixture.namespace, operation: 'CREATE', refuses: isForNode(refusedNode) } as const;
    const probe = {
      metadata: { namespace: fixture.namespace, name: 'probe' },
      spec: { nodeName: refusedNode, containers: [{ name: 'main', image: image('1') }] },
    };
    const nodesWithPods = async (): Promise<string> =>
      (await fixture.pods('once'))
        .map((pod) => nodeOf(pod) ?? '')
        .toSorted()
        .join();
    {
      await using _refused = await RefusedWrites.begin(plane, policy, () =>
        isRefusedWrite(fixture.client.create(pods, probe, { dryRun: true })),
      );
      await fixture.apply({ name: 'once', script: 'sleep 3600' });
      await fixture.eventually(async () => (await nodesWithPods()) === others.join(), 'the other nodes have their Pods');
      await fixture.until('once', saysWhy);
    }
    await fixture.eventually(async () => (await nodesWithPods()) === names.join(), 'every node has its Pod');
    const job = await fixture.until('once', (seen) => blockedMessage(seen) === '');
    expect(job.status?.desired).toBe(names.length);
    fixture.client.close();
  });

  it('SidecarSet: updates the other Pods one after the other, and that one once it is allowed', async () => {
    const fixture = await SidecarSetFixture.create(plane.kubeconfigPath, 'policy-sidecarset');
    await fixture.apply({ name: 'policy', image: image('1'), maxUnavailable: 1 });
    const names = ['a', 'b', 'c', 'd'];
    for (const name of names) await fixture.createPod('policy', name);
    await fixture.untilUpdated('policy', names.length);
    const sidecars = async (): Promise<readonly string[]> => (await fixture.podsOf('policy')).map(imageOf);
    await using history = await PodHistory.begin(fixture.client, fixture.namespace);
    {
      await using _refused = await RefusedWrites.ofPod(plane, fixture.client, { namespace: fixture.namespace, name: 'a' }, 'UPDATE');
      await fixture.setSidecarImage('policy', image('2'));
      await fixture.untilUpdated('policy', names.length - 1);
      expect(await sidecars()).toEqual([image('1'), image('2'), image('2'), image('2')]);
      await fixture.eventually(
        async () => (await fixture.messages('policy')).some((message) => message.includes('refused by the administrator')),
        'an event names the refusal',
      );
    }
    await fixture.untilUpdated('policy', names.length);
    expect(await sidecars()).toEqual(names.map(() => image('2')));
    expect((await history.untilNow()).range(isServing).lowest).toBeGreaterThanOrEqual(names.length - 1);
    fixture.client.close();
  });

  it('ImagePullJob: pulls on the other nodes, reports the refused one, and leaves nothing when it is deleted', async () => {
    const fixture = await CloneSetFixture.create(plane.kubeconfigPath, 'policy-imagepulljob');
    await using _fleet = new AgentFleet(fixture.client, { logger: silentLogger() });
    const nodeCount = (await fixture.client.list(nodes)).items.length;
    const found = async (): Promise<readonly NodeImage[]> => (await fixture.client.list(nodeImages)).items;
    await fixture.eventually(async () => (await found()).length === nodeCount, 'every node has a NodeImage');
    const [kept = ''] = (await found()).map(({ metadata }) => metadata.name);
    const { namespace } = fixture;
    const policy = {
      name: namespace,
      type: nodeImages,
      namespace,
      operation: 'UPDATE',
      refuses: `object.metadata.name == '${kept}'`,
    } as const;
    const annotations = { metadata: { annotations: { tried: 'yes' } } };
    const probe = (): Promise<unknown> =>
      fixture.client.patch(nodeImages, { namespace: '', name: kept }, annotations, { type: 'merge', dryRun: true });
    const task = { name: 'nginx', tag: 'policy' };
    const askedNodes = async (): Promise<readonly string[]> =>
      (await found()).filter((nodeImage) => tagAt(nodeImage, task) !== undefined).map(({ metadata }) => metadata.name);
    await using _refused = await RefusedWrites.begin(plane, policy, () => isRefusedWrite(probe()));
    const job = { metadata: { namespace, name: 'pull' }, spec: { image: 'nginx:policy', parallelism: 1, completionPolicy: {} } };
    await fixture.client.create(imagePullJobs, job);
    await fixture.eventually(async () => {
      const { status } = await fixture.client.get(imagePullJobs, { namespace, name: 'pull' });
      return status?.succeeded === nodeCount - 1;
    }, 'the other nodes have the image');
    expect(await askedNodes()).not.toContain(kept);
    expect((await fixture.untilEvent('pull', 'NodeImageRefused')).message).toContain('refused by the administrator');
    await fixture.client.delete(imagePullJobs, { namespace, name: 'pull' });
    await fixture.eventually(async () => (await askedNodes()).length === 0, 'no node has a task of the job');
    fixture.client.close();
  });
});
