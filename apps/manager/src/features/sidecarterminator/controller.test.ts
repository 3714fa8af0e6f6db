import { describe, expect, it } from '@jest/globals';
import { containerRecreateRequests, type ContainerRecreateRequest } from '@kruise/api';
import { ApiError } from '@kruise/kube';
import { deathsAtEveryStep, deathTimes, type Death } from '@kruise/kube/testing';
import { nodes, pods, type Pod } from '@kruise/objects';
import { asNew, type ControllerProcess } from '../../module/controller-process.testing.ts';
import { InMemoryCluster } from '../../module/in-memory-cluster.testing.ts';
import { sidecarTerminatorController } from './controller.ts';
import { aJobPod, byImage, byRequest, ended, ignored, running, type Part } from '@kruise/kinds/sidecarterminator/testing';

const key = { namespace: 'default', name: 'job' };
const main: Part = { name: 'main', state: ended };

function newCluster(virtual = false): InMemoryCluster {
  const cluster = new InMemoryCluster(sidecarTerminatorController);
  cluster.api.seed(nodes, { metadata: { name: 'node1', ...(virtual ? { labels: { type: 'virtual-kubelet' } } : {}) } });
  return cluster;
}
const podOf = ({ api }: InMemoryCluster): Pod => api.peek(pods, key) as Pod;
const requests = ({ api }: InMemoryCluster): readonly ContainerRecreateRequest[] => api.peekAll(containerRecreateRequests);
const creations = ({ api }: InMemoryCluster): number =>
  api.calls.filter(({ verb, type }) => verb === 'create' && type?.kind === 'ContainerRecreateRequest').length;

/** The kubelet's next word about the Pod. */
function report(cluster: InMemoryCluster, parts: readonly Part[], shape: Parameters<typeof aJobPod>[1] = {}): void {
  const { metadata, status } = podOf(cluster);
  const next = aJobPod(parts, shape);
  cluster.api.seed(pods, { ...next, metadata, status: { ...next.status, conditions: status?.conditions ?? [] } });
}

describe('the controller', () => {
  it('makes one request, which belongs to the Pod, with one event, whatever else changes', async () => {
    const cluster = newCluster();
    const manager = cluster.begin();
    const pod = cluster.api.seed(pods, asNew(aJobPod([main, { name: 'log', state: running, env: byRequest }])));
    await manager.settle();
    report(cluster, [main, { name: 'log', state: { kind: 'running', since: -1 }, env: byRequest }]);
    await manager.settle();
    expect(requests(cluster)).toMatchObject([
      {
        metadata: {
          name: `sidecar-termination-${pod.metadata.uid}`,
          ownerReferences: [
            { apiVersion: 'v1', kind: 'Pod', name: 'job', uid: pod.metadata.uid, controller: true, blockOwnerDeletion: true },
          ],
        },
        spec: { podName: 'job', containers: [{ name: 'log' }], strategy: { forceRecreate: true, failurePolicy: 'Ignore' } },
      },
    ]);
    expect(manager.events).toEqual([
      {
        about: 'job',
        type: 'Normal',
        reason: 'SidecarTerminator',
        message: 'Kruise SidecarTerminator is trying to terminate sidecar [log] using crr',
      },
    ]);
    expect(creations(cluster)).toBe(1);
    await manager.stop();
  });

  it('marks the Pod before it makes the request for a sidecar whose exit code does not count', async () => {
    const cluster = newCluster();
    const manager = cluster.begin();
    cluster.api.seed(pods, asNew(aJobPod([main, { name: 'quiet', state: running, env: ignored }])));
    await manager.settle();
    const { status } = podOf(cluster);
    expect(status?.phase).toBe('Succeeded');
    expect(status?.conditions?.find(({ type }) => type === 'SidecarTerminated')).toEqual({
      type: 'SidecarTerminated',
      status: 'True',
      lastTransitionTime: expect.stringMatching(/^2026-01-01T00:00:0\dZ$/),
      message: 'Terminated by Sidecar Terminator',
    });
    const writes = cluster.api.calls.filter(({ from, verb }) => from === 'manager' && ['patch', 'create'].includes(verb));
    expect(writes.map(({ verb, subresource }) => [verb, subresource])).toEqual([
      ['patch', 'status'],
      ['create', ''],
    ]);
    await manager.stop();
  });

  it('replaces images on a virtual node in one write, once, and makes no request', async () => {
    const cluster = newCluster(true);
    const manager = cluster.begin();
    cluster.api.seed(
      pods,
      asNew(aJobPod([main, { name: 'agent', state: running, env: byImage }, { name: 'log', state: running, env: byRequest }])),
    );
    await manager.settle();
    expect(podOf(cluster).spec.containers.map(({ image }) => image)).toEqual(['app:1', 'exit:1', 'app:1']);
    expect(requests(cluster)).toEqual([]);
    expect(manager.events.map(({ reason }) => reason)).toEqual(['SidecarTerminatorUnsupported', 'SidecarTerminator']);
    expect(manager.writes).toBe(1);
    await manager.stop();
  });

  it('tries again soon when admission refuses the request', async () => {
    const cluster = newCluster();
    let refusals = 2;
    const manager = cluster.begin({
      before: ({ verb }) => {
        if (verb === 'create' && refusals-- > 0) throw new ApiError('container log has no status', { kind: 'BadRequest' });
      },
    });
    cluster.api.seed(pods, asNew(aJobPod([main, { name: 'log', state: running, env: byRequest }])));
    await cluster.clock.step(2500);
    expect(creations(cluster)).toBe(3);
    expect(requests(cluster)).toHaveLength(1);
    await manager.stop();
  });

  it('says once on the Pod that requests are refused, after 20 s of that', async () => {
    const cluster = newCluster();
    const manager = cluster.begin({
      before: ({ verb }) => {
        if (verb === 'create') throw new ApiError('admission webhook "no.example.com" denied the request: no', { kind: 'Forbidden' });
      },
    });
    cluster.api.seed(pods, asNew(aJobPod([main, { name: 'log', state: running, env: byRequest }])));
    await cluster.clock.step(10_000);
    expect(manager.events).toEqual([]);
    for (let second = 0; second < 60; second++) await cluster.clock.step(1000);
    expect(manager.events).toEqual([
      {
        about: 'job',
        type: 'Warning',
        reason: 'SidecarTerminatorFailed',
        message: 'sidecars cannot be ended: admission webhook "no.example.com" denied the request: no',
      },
    ]);
    await manager.stop();
  });

  it('says once on the Pod that it cannot be marked, and marks it within a minute after the last refusal', async () => {
    const cluster = newCluster();
    let isRefusing = true;
    const manager = cluster.begin({
      before: ({ verb, subresource }) => {
        if (isRefusing && verb === 'patch' && subresource === 'status') throw new ApiError('no', { kind: 'Forbidden' });
      },
    });
    cluster.api.seed(pods, asNew(aJobPod([main, { name: 'quiet', state: running, env: ignored }])));
    await cluster.clock.step(1_800_000);
    expect(manager.events).toEqual([
      { about: 'job', type: 'Warning', reason: 'SidecarTerminatorFailed', message: 'sidecars cannot be ended: no' },
    ]);
    expect(requests(cluster)).toEqual([]);
    isRefusing = false;
    await cluster.clock.step(60_000);
    expect([podOf(cluster).status?.phase, requests(cluster).length]).toEqual(['Succeeded', 1]);
    await manager.stop();
  });

  it('stops a sidecar again that the kubelet restarts, at most five times, and says so at last', async () => {
    const cluster = newCluster();
    const manager = cluster.begin();
    const shape = { restartPolicy: 'OnFailure' };
    cluster.api.seed(pods, asNew(aJobPod([main, { name: 'log', state: running, env: byRequest }], shape)));
    await manager.settle();
    const seenUids = new Set<string>();
    for (let round = 0; round < 8; round++) {
      const [request] = requests(cluster);
      if (request === undefined) throw new Error('no request is there');
      seenUids.add(request.metadata.uid ?? '');
      cluster.api.seed(containerRecreateRequests, {
        ...request,
        status: { phase: 'Recreating', containerRecreateStates: [{ name: 'log', phase: 'Recreating', isKilled: true }] },
      });
      const since = Math.ceil((Date.parse(request.metadata.creationTimestamp ?? '') - Date.parse('2026-01-01T00:00:00Z')) / 1000) + 2;
      report(cluster, [main, { name: 'log', state: { kind: 'running', since }, env: byRequest }], shape);
      await cluster.clock.step(10_000 * 2 ** round + 1000);
    }
    expect(seenUids.size).toBe(6);
    expect(creations(cluster)).toBe(6);
    expect(manager.events.filter(({ type }) => type === 'Warning').map(({ reason }) => reason)).toEqual(['SidecarTerminatorFailed']);
    await manager.stop();
  });

  it('asks nothing and writes nothing for other Pods, nor while the node is not known', async () => {
    const cluster = newCluster();
    const manager = cluster.begin();
    cluster.api.seed(pods, asNew(aJobPod([main, { name: 'log', state: running, env: byRequest }], { restartPolicy: 'Always' })));
    cluster.api.seed(pods, asNew(aJobPod([main, { name: 'log', state: running, env: byRequest }], { name: 'lost', node: 'unknown' })));
    await manager.settle();
    expect(manager.writes).toBe(0);
    expect(requests(cluster)).toEqual([]);
    await manager.stop();
  });

  it.each(deathTimes)('ends the same whichever write of marking, ending and repeating the process dies at (%s)', async (when) => {
    const scenario = async (death?: Death): Promise<ControllerProcess> => {
      const cluster = newCluster();
      const parts = (log: Part['state']): readonly Part[] => [
        main,
        { name: 'log', state: log, env: byRequest },
        { name: 'quiet', state: running, env: ignored },
      ];
      cluster.api.seed(pods, asNew(aJobPod(parts(running))));
      const through = async (manager: ControllerProcess): Promise<void> => {
        await manager.settle();
        if (manager.dead || requests(cluster).length === 0) return;
        report(cluster, parts(ended), podOf(cluster).status?.phase === 'Succeeded' ? { phase: 'Succeeded' } : {});
        await manager.settle();
      };
      const first = cluster.begin({ death });
      await through(first);
      await first.stop();
      const second = cluster.begin();
      await through(second);
      await through(second);
      expect(podOf(cluster).status?.phase).toBe('Succeeded');
      expect(requests(cluster).map(({ spec }) => spec.containers)).toEqual([[{ name: 'quiet' }]]);
      expect(podOf(cluster).metadata.annotations).toEqual({ 'apps.kruise.io/sidecar-termination-repeats': '1' });
      await second.stop();
      return first;
    };
    const { writes } = await scenario();
    expect(writes).toBe(5);
    expect(await deathsAtEveryStep(when, scenario)).toBe(writes);
  });
});
