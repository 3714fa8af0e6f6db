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

const newWorld = (): InMemoryCluster => new InMemoryCluster(containerLaunchPriorityController);

/** The kubelet's part: these containers are ready, those whose key is missing wait. */
function report({ api }: InMemoryCluster, ready: readonly string[]): void {
  const { metadata } = api.peek(pods, podKey) as Pod;
  const reported = aHeldPod(containers.map((one) => ({ ...one, ready: ready.includes(one.name) })));
  api.seed(pods, { ...reported, metadata });
}

const barrierOf = ({ api }: InMemoryCluster): ConfigMap | undefined => api.peek(configMaps, barrierKey);
const keysOf = (world: InMemoryCluster): readonly string[] => Object.keys(barrierOf(world)?.data ?? {}).toSorted();
const isCompleted = ({ api }: InMemoryCluster): boolean =>
  (api.peek(pods, podKey) as Pod).metadata.annotations?.['apps.kruise.io/container-launch-priority-completed'] === 'true';
const managerWrites = ({ api }: InMemoryCluster): number => api.calls.filter((call) => call.from === 'manager' && isWrite(call)).length;

/** Lets the containers become ready in turn. */
async function startUp(world: InMemoryCluster, manager: ControllerProcess): Promise<void> {
  await manager.settle();
  for (const ready of [['c2'], ['c2', 'main']]) {
    if (manager.dead) return;
    const startable = containers.filter(({ level }) => keysOf(world).includes(`p_${level}`)).map(({ name }) => name);
    report(
      world,
      ready.filter((name) => startable.includes(name)),
    );
    await manager.settle();
  }
}

describe('the controller', () => {
  it('says on the Pod what keeps its containers from their turn, which comes within a minute after the last refusal', async () => {
    const world = newWorld();
    const denied = new ApiError('admission webhook "no.example.com" denied the request: no', { kind: 'Forbidden' });
    let isRefusing = true;
    const manager = world.begin({
      before: ({ verb }) => {
        if (isRefusing && verb === 'create') throw denied;
      },
    });
    world.api.seed(pods, asNew(aHeldPod(containers)));
    await manager.settle();
    expect(manager.events[0]).toEqual({
      about: 'web',
      type: 'Warning',
      reason: 'FailedLaunchPriority',
      message: `containers wait for their turn, which cannot be given: ${denied.message}`,
    });
    await world.clock.step(1_800_000);
    isRefusing = false;
    await world.clock.step(60_000);
    expect(barrierOf(world)?.data).toEqual({ p_10: 'true' });
    await manager.stop();
  });

  it('puts up the barrier, releases level by level and marks the Pod, with one write each', async () => {
    const world = newWorld();
    const manager = world.begin();
    await manager.settle();
    const pod = world.api.seed(pods, asNew(aHeldPod(containers)));
    await manager.settle();
    expect(barrierOf(world)).toMatchObject({
      metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'web', uid: pod.metadata.uid }] },
      data: { p_10: 'true' },
    });
    expect(isCompleted(world)).toBe(false);
    report(world, []);
    await manager.settle();
    expect(keysOf(world)).toEqual(['p_10']);
    report(world, ['c2']);
    await manager.settle();
    expect([keysOf(world), isCompleted(world)]).toEqual([['p_0', 'p_10'], true]);
    report(world, ['c2', 'main']);
    await manager.settle();
    expect(managerWrites(world)).toBe(3);
    await manager.stop();
  });

  it('deletes the barrier of an earlier Pod of the name and never uses its keys', async () => {
    const world = newWorld();
    world.api.seed(configMaps, {
      metadata: { ...barrierKey, ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'web', uid: 'earlier' }] },
      data: { p_10: 'true', p_0: 'true' },
    });
    const pod = world.api.seed(pods, asNew(aHeldPod(containers)));
    const manager = world.begin();
    await manager.settle();
    expect(barrierOf(world)?.metadata.ownerReferences?.[0]?.uid).toBe(pod.metadata.uid);
    expect(keysOf(world)).toEqual(['p_10']);
    await manager.stop();
  });

  it('gives a completed Pod its barrier back as soon as the kubelet misses it', async () => {
    const world = newWorld();
    const manager = world.begin();
    world.api.seed(pods, asNew(aHeldPod(containers)));
    await startUp(world, manager);
    expect(isCompleted(world)).toBe(true);
    await world.api.delete(configMaps, barrierKey);
    const { metadata } = world.api.peek(pods, podKey) as Pod;
    const missed = aHeldPod([
      { name: 'main', level: 0, ready: false, missing: 'configmap "web-barrier" not found' },
      { name: 'c2', level: 10, ready: true },
    ]);
    world.api.seed(pods, { ...missed, metadata });
    await manager.settle();
    expect(keysOf(world)).toEqual(['p_0', 'p_10']);
    await manager.stop();
  });

  it('asks the server nothing about Pods without levels', async () => {
    const world = newWorld();
    const manager = world.begin();
    world.api.seed(pods, asNew(aHeldPod([{ name: 'a' }, { name: 'b' }])));
    await manager.settle();
    expect(world.api.calls.filter(({ verb, type }) => verb !== 'list' && verb !== 'watch' && type?.kind === 'ConfigMap')).toEqual([]);
    expect(managerWrites(world)).toBe(0);
    await manager.stop();
  });

  it('continues after errors of the API server', async () => {
    const world = newWorld();
    let failures = 4;
    const manager = world.begin({
      before: (call) => {
        if (call.verb !== 'list' && call.verb !== 'watch' && failures-- > 0)
          throw new ApiError('down', { kind: 'Unreachable', cause: undefined });
      },
    });
    world.api.seed(pods, asNew(aHeldPod(containers)));
    await world.clock.step(2000);
    expect(keysOf(world)).toEqual(['p_10']);
    await manager.stop();
  });

  it.each(deathTimes)('ends the same whichever write the process dies at (%s)', async (when) => {
    const scenario = async (death?: Death): Promise<ControllerProcess> => {
      const world = newWorld();
      world.api.seed(pods, asNew(aHeldPod(containers)));
      const first = world.begin({ death });
      await startUp(world, first);
      await first.stop();
      const second = world.begin();
      await startUp(world, second);
      expect([keysOf(world), isCompleted(world)]).toEqual([['p_0', 'p_10'], true]);
      await second.stop();
      return first;
    };
    const { writes } = await scenario();
    expect(writes).toBe(3);
    expect(await deathsAtEveryStep(when, scenario)).toBe(writes);
  });
});
