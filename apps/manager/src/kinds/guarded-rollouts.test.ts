/** A budget that refuses the update of some Pods delays no other Pod, whichever kind of workload is rolled out. */
import { afterEach, describe, expect, it } from '@jest/globals';
import type { UpdateGuard } from '@kruise/workloads';
import type { ClusterOptions } from '../module/controller-cluster.testing.ts';
import { CloneSetCluster } from './cloneset/cluster.testing.ts';
import { DaemonSetCluster } from './daemonset/cluster.testing.ts';
import { StatefulSetCluster } from './statefulset/cluster.testing.ts';

const size = 12;
const nodeNames = Array.from({ length: size }, (_, index) => `n${index}`);
const gate = { conditionType: 'InPlaceUpdateReady' };
const kinds = {
  CloneSet: (maxUnavailable: number, options: ClusterOptions) =>
    new CloneSetCluster({ replicas: size, rollingUpdate: { podUpdatePolicy: 'InPlaceOnly', maxUnavailable } }, options),
  StatefulSet: (maxUnavailable: number, options: ClusterOptions) => {
    const template = {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'main', image: 'app:1' }], readinessGates: [gate] },
    };
    return new StatefulSetCluster(
      { replicas: size, parallel: true, rollingUpdate: { podUpdatePolicy: 'InPlaceOnly', maxUnavailable }, spec: { template } },
      options,
    );
  },
  DaemonSet: (maxUnavailable: number, options: ClusterOptions) =>
    new DaemonSetCluster({ rollingUpdate: { rollingUpdateType: 'InPlaceIfPossible', maxUnavailable } }, { ...options, nodes: nodeNames }),
} as const;
type Kind = keyof typeof kinds;

let opened: AsyncDisposableStack | undefined;
afterEach(() => opened?.disposeAsync());

/** Refuses the first Pods that it is asked about, for as long as it is `closed`. */
class Budget implements UpdateGuard {
  isClosed = true;
  readonly refused = new Set<string>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  mayUpdate({ metadata: { name } }: Parameters<UpdateGuard['mayUpdate']>[0]): ReturnType<UpdateGuard['mayUpdate']> {
    if (this.isClosed && this.refused.size < this.#most) this.refused.add(name);
    const isRefused = this.isClosed && this.refused.has(name);
    return Promise.resolve(isRefused ? { kind: 'Refused', why: 'no Pod may be unavailable' } : { kind: 'Allowed' });
  }
}

async function rollingOut(kind: Kind, { most, maxUnavailable }: { readonly most: number; readonly maxUnavailable: number }) {
  opened = new AsyncDisposableStack();
  const budget = new Budget(most);
  const options: ClusterOptions = {
    gates: { PodUnavailableBudgetUpdateGate: true },
    guards: [{ updateGuard: () => budget }],
  };
  const cluster = opened.use<InstanceType<typeof CloneSetCluster | typeof StatefulSetCluster | typeof DaemonSetCluster>>(
    kinds[kind](maxUnavailable, options),
  );
  await cluster.settle();
  cluster.changeImage('app:2');
  return { cluster, budget };
}

const allKinds = Object.keys(kinds) as readonly Kind[];

describe.each(allKinds)('a %s', (kind) => {
  it.each([
    { name: 'one Pod, with room for one update at a time', most: 1, maxUnavailable: 1 },
    { name: 'as many Pods as are asked about in one pass', most: 10, maxUnavailable: size },
  ])('updates all other Pods while a budget refuses $name, and then these', async ({ most, maxUnavailable }) => {
    const { cluster, budget } = await rollingOut(kind, { most, maxUnavailable });
    const old = (): readonly string[] =>
      cluster.pods.filter(({ spec }) => spec.containers[0]?.image === 'app:1').map(({ metadata }) => metadata.name);
    for (let second = 0; second < 60 && old().length > most; second++) await cluster.tick();
    expect(old().toSorted()).toEqual([...budget.refused].toSorted());

    await cluster.ticks(5);
    const blocked = cluster.conditions.find((condition) => condition.startsWith('Blocked'));
    expect(blocked).toMatch(/^Blocked BudgetRefuses: Pod \S+ may not be updated now: no Pod may be unavailable$/);
    const writes = cluster.api.calls.length;
    await cluster.ticks(10);
    expect(cluster.conditions).toContain(blocked);
    expect(cluster.api.calls.slice(writes).filter(({ verb }) => ['create', 'update', 'patch', 'delete'].includes(verb))).toEqual([]);

    budget.isClosed = false;
    await cluster.settle();
    expect(old()).toEqual([]);
    expect(cluster.conditions.filter((condition) => condition.startsWith('Blocked'))).toEqual([]);
  });
});
