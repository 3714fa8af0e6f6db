import { describe, expect, it } from '@jest/globals';
import { ApiError } from '@kruise/kube';
import { deathsAtEveryStep, deathTimes, isWrite, type Death } from '@kruise/kube/testing';
import { configMaps, pods, type ConfigMap, type Pod } from '@kruise/objects';
import { asNew, type ControllerProcess } from '../../module/controller-process.testing.ts';
import { InMemoryCluster } from '../../module/in-memory-cluster.testing.ts';
import { containerLaunchPriorityController } from './controller.ts';
import { aHeldPod, type Held } from '@kruise/kinds/containerlaunchpriority/testing';

const podKey = { namespace: 'default', name: 'web' };
const barrierKey = { namespace: 'default', name: 'web-barrier' };
const containers: readonly Held[] = [
  { name: 'main', level: 0 },
  { name: 'c2', level: 10 },
];

const newCluster = (): InMemoryCluster => new InMemoryCluster(containerLaunchPriorityController);

/** The kubelet's part: these containers are ready, those whose key is missing wait. */
function report({ api }: InMemoryCluster, ready: readonly string[]): void {
  const { metadata } = api.peek(pods, podKey) as Pod;
  const reported = aHeldPod(containers.map((one) => ({ ...one, ready: ready.includes(one.name) })));
  api.seed(pods, { ...reported, metadata });
}

const barrierOf = ({ api }: InMemoryCluster): ConfigMap | undefined => api.peek(configMaps, barrierKey);
const keysOf = (cluster: InMemoryCluster): readonly string[] => Object.keys(barrierOf(cluster)?.data ?? {}).toSorted();
const isCompleted = ({ api }: InMemoryCluster): boolean =>
  (api.peek(pods, podKey) as Pod).metadata.annotations?.['apps.kruise.io/container-launch-priority-completed'] === 'true';
const managerWrites = ({ api }: InMemoryCluster): number => api.calls.filter((call) => call.from === 'manager' && isWrite(call)).length;

/** Lets the containers become ready in turn. */
async function startUp(cluster: InMemoryCluster, manager: ControllerProcess): Promise<void> {
  await manager.settle();
  for (const ready of [['c2'], ['c2', 'main']]) {
    if (manager.dead) return;
    const startable = containers.filter(({ level }) => keysOf(cluster).includes(`p_${level}`)).map(({ name }) => name);
    report(
      cluster,
      ready.filter((name) => startable.includes(name)),
    );
    await manager.settle();
  }
}

describe('the controller', () => {
  it('says on the Pod what keeps its containers from their turn, which comes within a minute after the last refusal', async () => {
    const cluster = newCluster();
    const denied = new ApiError('admission webhook "no.example.com" denied the request: no', { kind: 'Forbidden' });
    let isRefusing = true;
    const manager = cluster.begin({
      before: ({ verb }) => {
        if (isRefusing && verb === 'create') throw denied;
      },
    });
    cluster.api.seed(pods, asNew(aHeldPod(containers)));
    await manager.settle();
    expect(manager.events[0]).toEqual({
      about: 'web',
      type: 'Warning',
      reason: 'FailedLaunchPriority',
      message: `containers wait for their turn, which cannot be given: ${denied.message}`,
    });
    await cluster.clock.step(1_800_000);
    isRefusing = false;
    await cluster.clock.step(60_000);
    expect(barrierOf(cluster)?.data).toEqual({ p_10: 'true' });
    await manager.stop();
  });

  it('puts up the barrier, releases level by level and marks the Pod, with one write each', async () => {
    const cluster = newCluster();
    const manager = cluster.begin();
    await manager.settle();
    const pod = cluster.api.seed(pods, asNew(aHeldPod(containers)));
    await manager.settle();
    expect(barrierOf(cluster)).toMatchObject({
      metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'web', uid: pod.metadata.uid }] },
      data: { p_10: 'true' },
    });
    expect(isCompleted(cluster)).toBe(false);
    report(cluster, []);
    await manager.settle();
    expect(keysOf(cluster)).toEqual(['p_10']);
    report(cluster, ['c2']);
    await manager.settle();
    expect([keysOf(cluster), isCompleted(cluster)]).toEqual([['p_0', 'p_10'], true]);
    report(cluster, ['c2', 'main']);
    await manager.settle();
    expect(managerWrites(cluster)).toBe(3);
    await manager.stop();
  });

  it('deletes the barrier of an earlier Pod of the name and never uses its keys', async () => {
    const cluster = newCluster();
    cluster.api.seed(configMaps, {
      metadata: { ...barrierKey, ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'web', uid: 'earlier' }] },
      data: { p_10: 'true', p_0: 'true' },
    });
    const pod = cluster.api.seed(pods, asNew(aHeldPod(containers)));
    const manager = cluster.begin();
    await manager.settle();
    expect(barrierOf(cluster)?.metadata.ownerReferences?.[0]?.uid).toBe(pod.metadata.uid);
    expect(keysOf(cluster)).toEqual(['p_10']);
    await manager.stop();
  });

  it('gives a completed Pod its barrier back as soon as the kubelet misses it', async () => {
    const cluster = newCluster();
    const manager = cluster.begin();
    cluster.api.seed(pods, asNew(aHeldPod(containers)));
    await startUp(cluster, manager);
    expect(isCompleted(cluster)).toBe(true);
    await cluster.api.delete(configMaps, barrierKey);
    const { metadata } = cluster.api.peek(pods, podKey) as Pod;
    const missed = aHeldPod([
      { name: 'main', level: 0, ready: false, missing: 'configmap "web-barrier" not found' },
      { name: 'c2', level: 10, ready: true },
    ]);
    cluster.api.seed(pods, { ...missed, metadata });
    await manager.settle();
    expect(keysOf(cluster)).toEqual(['p_0', 'p_10']);
    await manager.stop();
  });

  it('asks the server nothing about Pods without levels', async () => {
    const cluster = newCluster();
    const manager = cluster.begin();
    cluster.api.seed(pods, asNew(aHeldPod([{ name: 'a' }, { name: 'b' }])));
    await manager.settle();
    expect(cluster.api.calls.filter(({ verb, type }) => verb !== 'list' && verb !== 'watch' && type?.kind === 'ConfigMap')).toEqual([]);
    expect(managerWrites(cluster)).toBe(0);
    await manager.stop();
  });

  it('continues after errors of the API server', async () => {
    const cluster = newCluster();
    let failures = 4;
    const manager = cluster.begin({
      before: (call) => {
        if (call.verb !== 'list' && call.verb !== 'watch' && failures-- > 0)
          throw new ApiError('down', { kind: 'Unreachable', cause: undefined });
      },
    });
    cluster.api.seed(pods, asNew(aHeldPod(containers)));
    await cluster.clock.step(2000);
    expect(keysOf(cluster)).toEqual(['p_10']);
    await manager.stop();
  });

  it.each(deathTimes)('ends the same whichever write the process dies at (%s)', async (when) => {
    const scenario = async (death?: Death): Promise<ControllerProcess> => {
      const cluster = newCluster();
      cluster.api.seed(pods, asNew(aHeldPod(containers)));
      const first = cluster.begin({ death });
      await startUp(cluster, first);
      await first.stop();
      const second = cluster.begin();
      await startUp(cluster, second);
      expect([keysOf(cluster), isCompleted(cluster)]).toEqual([['p_0', 'p_10'], true]);
      await second.stop();
      return first;
    };
    const { writes } = await scenario();
    expect(writes).toBe(3);
    expect(await deathsAtEveryStep(when, scenario)).toBe(writes);
  });
});
