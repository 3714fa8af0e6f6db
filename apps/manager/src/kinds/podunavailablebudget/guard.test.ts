/** Controllers of workloads ask the budget before they update a Pod, and what they then write passes without a second charge. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { defaultGates, podUnavailableBudgets } from '@kruise/api';
import { CachingClient, Informers } from '@kruise/kube';
import { silentLogger } from '@kruise/kube/testing';
import { Caches } from '../../caches/caches.ts';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import { updateGuardOf } from '../../module/kind-module.ts';
import { guardedByAll, type UpdateGuard } from '@kruise/workloads';
import type { ProtectionRecord } from '../../process/protection-log.ts';
import { podUnavailableBudget } from './index.ts';
import { BudgetCluster, relatedPub, toImage } from './cluster.testing.ts';

let stop = new AbortController();
let running: Promise<void>[] = [];
afterEach(async () => {
  stop.abort();
  await Promise.all(running);
  [stop, running] = [new AbortController(), []];
});
const { signal } = new AbortController();

/** Two ready Pods, a budget that lets one go, and the guard of a leader. */
async function begin(gate = true, installed = true) {
  const cluster = new BudgetCluster();
  const budget = cluster.budget({ maxUnavailable: 1 });
  cluster.api.seed(podUnavailableBudgets, {
    ...budget,
    status: { totalReplicas: 2, desiredAvailable: 1, currentAvailable: 2, unavailableAllowed: 1 },
  });
  for (const name of ['a', 'b', 'c']) cluster.pod(name, undefined, { annotations: name === 'c' ? {} : { [relatedPub]: 'b' } });
  const informers = new Informers({ client: cluster.api, clock: cluster.clock, logger: silentLogger() });
  const reported: string[] = [];
  const refused: ProtectionRecord[] = [];
  const dependencies = {
    client: new CachingClient(cluster.api, informers),
    caches: new Caches(informers, ''),
    clock: cluster.clock,
    gates: { ...defaultGates, PodUnavailableBudgetUpdateGate: gate },
    installed: () => installed,
    recorderFor: (source: string) => ({
      event: (_target: object, _type: string, reason: string) => void reported.push(`${source} ${reason}`),
    }),
    onProtected: (record: ProtectionRecord) => refused.push(record),
  } as unknown as ControllerDependencies;
  const guard = updateGuardOf([podUnavailableBudget], dependencies);
  running.push(informers.run(stop.signal));
  await cluster.clock.settle();
  return { cluster, guard, reported, refused };
}

describe('the guard (4.6)', () => {
  it('lets as many Pods be updated as the budget allows, reports a refusal, and never asks twice', async () => {
    const { cluster, guard, reported, refused } = await begin();
    const may = async (name: string) => guard?.mayUpdate(cluster.getPod(name)!, signal);
    expect(await may('a')).toEqual({ kind: 'Allowed' });
    expect(await may('a')).toEqual({ kind: 'Allowed' });
    expect(await may('b')).toEqual({
      kind: 'Refused',
      why: 'podunavailablebudget.policy.kruise.io "b" is forbidden: pub unavailable allowed is negative',
    });
    expect(await may('c')).toEqual({ kind: 'Allowed' });
    expect(Object.keys(cluster.get()?.status?.unavailablePods ?? {})).toEqual(['a']);
    expect([reported, refused]).toEqual([
      ['pub-controller PubPreventPodDeletion'],
      [expect.objectContaining({ Name: 'b', UserAgent: 'kruise-manager' })],
    ]);
  });

  it('has charged for the write that follows, on every replica', async () => {
    const { cluster, guard } = await begin();
    const replica = await cluster.replica();
    cluster.api.holdWatches();
    expect(await guard?.mayUpdate(cluster.getPod('a')!, signal)).toEqual({ kind: 'Allowed' });
    const write = cluster.update('a', toImage('app:2'), replica);
    await cluster.clock.step(5000);
    expect(await write).toMatchObject({ code: 200 });
    expect(cluster.get()?.status?.unavailableAllowed).toBe(0);
    cluster.api.releaseWatches();
    await cluster.stop();
  });

  it('is absent if the gate is off or the CRD is absent', async () => {
    expect([(await begin(false)).guard, (await begin(true, false)).guard]).toEqual([undefined, undefined]);
  });

  it('several guards are asked one after the other', async () => {
    const asked: string[] = [];
    const saying = (name: string, kind: 'Allowed' | 'Refused'): UpdateGuard => ({
      mayUpdate: async () => {
        asked.push(name);
        return kind === 'Allowed' ? { kind } : { kind, why: name };
      },
    });
    const all = guardedByAll([saying('x', 'Allowed'), saying('y', 'Refused'), saying('z', 'Allowed')]);
    const { cluster } = await begin();
    expect([await all.mayUpdate(cluster.getPod('a')!, signal), asked]).toEqual([{ kind: 'Refused', why: 'y' }, ['x', 'y']]);
  });
});
