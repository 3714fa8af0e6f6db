/**
 * Runs in which users, nodes, kubelets and kills interfere at any moment: the whole controller on an in-memory API server. The test checks the
 * promises at every single write, and expects the result that the spec requires.
 */
import { describe, expect, it } from '@jest/globals';
import type { FakeWrite } from '@kruise/kube/testing';
import { isTerminating, nodes, type Pod, type PodSpec } from '@kruise/objects';
import { nodeOf } from '@kruise/pods';
import { casesOf } from '@kruise/testing';
import fc from 'fast-check';
import { blurs, carelessness, isOfManager, type ManagerDisturbance } from '../../../module/controller-cluster.testing.ts';
import { isAvailable, isFailed, allowsSurge, partitionOf, updateLimitsOf } from '@kruise/kinds/daemonset';
import { failed, DaemonSetCluster } from '../cluster.testing.ts';

/** More with FC_RUNS=10000; each run simulates about a minute. */
const numRuns = casesOf(25);

const names = ['n1', 'n2', 'n3', 'n4'];

type Disturbance =
  | { readonly kind: 'Image'; readonly image: number }
  | { readonly kind: 'Partition'; readonly partition: number | string }
  | { readonly kind: 'Pause'; readonly paused: boolean }
  /** `node` counts round the nodes. */
  | { readonly kind: 'Delete' | 'Fail' | 'Close' | 'Empty' | 'Open' | 'Leave' | 'Lose' | 'Find'; readonly node: number }
  | ManagerDisturbance;

interface Run {
  readonly way: 'Standard' | 'InPlaceIfPossible' | 'Surge';
  readonly limit: number;
  readonly steps: readonly { readonly disturbance: Disturbance; readonly ticks: number }[];
}

const node = fc.nat({ max: names.length - 1 });
const disturbance: fc.Arbitrary<Disturbance> = fc.oneof(
  fc.record({ kind: fc.constant('Image' as const), image: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('Partition' as const), partition: fc.constantFrom<number | string>(0, 1, 3, '50%') }),
  fc.record({ kind: fc.constant('Pause' as const), paused: fc.boolean() }),
  fc.record({ kind: fc.constantFrom('Delete' as const, 'Fail' as const, 'Close' as const, 'Empty' as const), node }),
  fc.record({ kind: fc.constantFrom('Open' as const, 'Leave' as const, 'Lose' as const, 'Find' as const), node }),
  fc.constant<Disturbance>({ kind: 'Kill' }),
);
const lifeWith = (disturbances: fc.Arbitrary<Disturbance>): fc.Arbitrary<Run> =>
  fc.record({
    way: fc.constantFrom<Run['way']>('Standard', 'InPlaceIfPossible', 'Surge'),
    limit: fc.integer({ min: 1, max: 3 }),
    steps: fc.array(fc.record({ disturbance: disturbances, ticks: fc.nat({ max: 4 }) }), { minLength: 1, maxLength: 8 }),
  });
const blurred = fc.oneof(disturbance, blurs);

const taints = { Close: 'NoSchedule', Empty: 'NoExecute' } as const;

async function disturbNode(cluster: DaemonSetCluster, kind: Disturbance['kind'], name: string): Promise<void> {
  const [pod] = cluster.podsOn(name);
  switch (kind) {
    case 'Delete':
      return pod === undefined ? undefined : cluster.deletePod(name);
    case 'Fail':
      return pod === undefined ? undefined : cluster.setPod(pod, failed);
    case 'Close':
    case 'Empty':
      return cluster.node(name, { spec: { taints: [{ key: 'k', effect: taints[kind] }] } });
    case 'Leave':
      return void (cluster.api.peek(nodes, { namespace: '', name }) && (await cluster.api.delete(nodes, { namespace: '', name })));
    case 'Lose':
      return void cluster.lost.add(name);
    case 'Find':
      return void cluster.lost.delete(name);
    default:
      return cluster.node(name);
  }
}

async function disturb(cluster: DaemonSetCluster, next: Disturbance): Promise<void> {
  if (isOfManager(next)) return cluster.disturbManager(next);
  if ('node' in next) return disturbNode(cluster, next.kind, names[next.node] ?? '');
  switch (next.kind) {
    case 'Image':
      return cluster.changeImage(`app:${next.image}`);
    case 'Partition':
      return cluster.roll({ partition: next.partition });
    default:
      return cluster.roll({ paused: next.paused });
  }
}

/** What a DaemonSet may never do, looked at when the server gets each write of the manager. */
class Watcher {
  readonly broken: string[] = [];
  readonly #cluster: DaemonSetCluster;
  readonly #sees: boolean;
  /** Nodes whose Pod worked until it was taken. */
  readonly #taken = new Set<string>();

  constructor(cluster: DaemonSetCluster, sees: boolean) {
    this.#cluster = cluster;
    this.#sees = sees;
    cluster.api.onWrite((write) => {
      if (write.call.from === 'manager' && write.refused === undefined && write.call.type?.kind === 'Pod') this.#look(write);
    });
  }

  #look({ call, before, after }: FakeWrite): void {
    if (call.verb === 'create' && after !== undefined) this.#lookAtCreation(after as Pod);
    if (this.#sees && before !== undefined) this.#lookAtTaking(before as Pod, call.verb === 'delete' ? undefined : (after as Pod));
    if (call.verb === 'delete') this.broken.push(...carelessness(call));
  }

  /** Without surge never beside another one, whatever has become of that; with surge beside one at most. */
  #lookAtCreation(pod: Pod): void {
    const others = this.#cluster.podsOn(nodeOf(pod) ?? '').filter(({ metadata }) => metadata.uid !== pod.metadata.uid);
    const beside = allowsSurge(this.#cluster.set) ? others.filter((other) => !isTerminating(other) && !isFailed(other)) : others;
    if (beside.length > (allowsSurge(this.#cluster.set) ? 1 : 0))
      this.broken.push(
        `${pod.metadata.name} was made on ${nodeOf(pod) ?? ''} beside ${beside.map(({ metadata }) => metadata.name).join()}`,
      );
  }

  #isGood = (pod: Pod): boolean => !isTerminating(pod) && !isFailed(pod) && isAvailable(this.#cluster.set, pod, this.#cluster.clock.now());

  /**
   * Of nodes that keep their Pod, one that works is taken only while fewer have none that works because theirs was taken. An old one that does not
   * work is replaced in any case, and its node counts from then on as one that is updated; nodes that the partition keeps do not count.
   */
  #lookAtTaking(pod: Pod, stays: Pod | undefined): void {
    const name = nodeOf(pod) ?? '';
    const { set, api } = this.#cluster;
    const held = api.peek(nodes, { namespace: '', name });
    if (!this.#isGood(pod) && imageOf(pod.spec) !== imageOf(set.spec.template.spec)) this.#taken.delete(name);
    const isLeft = held === undefined || held.spec?.taints?.some(({ effect }) => effect === 'NoExecute') === true;
    if (isLeft || !this.#isGood(pod) || (stays !== undefined && this.#isGood(stays)) || this.#hasGood(name, pod)) return;
    for (const node of this.#taken) if (node === name || this.#hasGood(node) || !this.#isOpen(node)) this.#taken.delete(node);
    const { maxUnavailable } = updateLimitsOf(set, names.length);
    const isLimited = !allowsSurge(set) && partitionOf(set, names.length) === 0;
    if (this.#taken.size >= maxUnavailable && isLimited)
      this.broken.push(`${pod.metadata.name} was taken beside ${[...this.#taken].join()}`);
    this.#taken.add(name);
  }

  #isOpen(name: string): boolean {
    const node = this.#cluster.api.peek(nodes, { namespace: '', name });
    return node !== undefined && (node.spec?.taints ?? []).length === 0;
  }

  #hasGood(node: string, besides?: Pod): boolean {
    return this.#cluster.podsOn(node).some((pod) => pod.metadata.uid !== besides?.metadata.uid && this.#isGood(pod));
  }
}

const imageOf = (spec: Pick<PodSpec, 'containers'> | undefined): string => spec?.containers[0]?.image ?? '';

const limitsOf = ({ way, limit }: Run) =>
  way === 'Surge'
    ? { rollingUpdateType: 'Standard' as const, maxSurge: limit, maxUnavailable: 0 }
    : { rollingUpdateType: way, maxUnavailable: limit, maxSurge: 0 };

async function live(run: Run, sees: boolean): Promise<void> {
  await using cluster = new DaemonSetCluster({ rollingUpdate: limitsOf(run) }, { nodes: names });
  const watcher = new Watcher(cluster, sees);
  for (const { disturbance: next, ticks } of run.steps) {
    await disturb(cluster, next);
    await cluster.ticks(ticks);
  }
  cluster.lost.clear();
  await cluster.clear();
  for (const name of names) cluster.node(name);
  cluster.roll({ partition: 0, paused: false });
  await cluster.settle(300, 5);
  expect(watcher.broken).toEqual([]);
  expect(cluster.shown).toEqual(names.map((name) => `${name} ${imageOf(cluster.set.spec.template.spec)}`));
  expect(cluster.summary).toBe('desired 4, current 4, ready 4, updated 4, available 4, misscheduled 0');
  expect(cluster.conditions).toEqual([]);
}

describe('a DaemonSet that is disturbed', () => {
  it('keeps its promises at every write, and gets to where its spec says', async () => {
    const run = fc.asyncProperty(lifeWith(disturbance), (shape) => live(shape, true));
    await fc.assert(run, { numRuns });
  }, 600_000);

  it('never doubles a Pod though managers see what was, two at a time', async () => {
    const run = fc.asyncProperty(lifeWith(blurred), (shape) => live(shape, false));
    await fc.assert(run, { numRuns });
  }, 600_000);
});
