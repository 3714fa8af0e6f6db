/**
 * Runs in which users, kubelets and kills interfere at any moment: the whole controller on an in-memory API server. The test checks the
 * promises at every single write, and expects the result that the spec requires.
 */
import { describe, expect, it } from '@jest/globals';
import { labels, type StatefulSet } from '@kruise/api';
import type { FakeWrite } from '@kruise/kube/testing';
import { isTerminating, persistentVolumeClaims, pods, type KubeObject, type Pod } from '@kruise/objects';
import { lifecycleStateOf } from '@kruise/pods';
import { casesOf } from '@kruise/testing';
import fc from 'fast-check';
import { blurs, carelessness, isOfManager, type ManagerDisturbance } from '../../../module/controller-cluster.testing.ts';
import { isAvailable, maxUnavailableOf, slotsOf } from '@kruise/kinds/statefulset';
import { aClaimTemplate, aStatefulSet, type SetShape } from '@kruise/kinds/statefulset/testing';
import { deletePod, failed, StatefulSetCluster } from '../cluster.testing.ts';

/** More with FC_RUNS=10000; each run simulates about a minute. */
const numRuns = casesOf(25);

type Disturbance =
  | { readonly kind: 'Image'; readonly image: number }
  | { readonly kind: 'Replicas'; readonly replicas: number }
  | { readonly kind: 'Partition'; readonly partition: number }
  | { readonly kind: 'Pause'; readonly paused: boolean }
  | { readonly kind: 'Reserve'; readonly ordinals: readonly number[] }
  /** `which` counts round the Pods. */
  | { readonly kind: 'Delete' | 'Fail' | 'Mark' | 'Stick'; readonly which: number }
  | { readonly kind: 'Free' }
  /** Hooks let go of every Pod that waits for them, or hold those again that are done. */
  | { readonly kind: 'LetGo' | 'Hold' }
  | ManagerDisturbance;

interface Run {
  readonly replicas: number;
  readonly parallel: boolean;
  readonly policy: 'ReCreate' | 'InPlaceIfPossible';
  readonly maxUnavailable: number;
  readonly hooks: 'None' | 'Held' | 'HeldNotReady';
  /** With Parallel alone: updates by priority, and a limit on scaling. */
  readonly unordered: boolean;
  readonly scaleLimit: number | undefined;
  readonly steps: readonly { readonly disturbance: Disturbance; readonly ticks: number }[];
}

const which = fc.nat({ max: 5 });
const disturbance: fc.Arbitrary<Disturbance> = fc.oneof(
  fc.record({ kind: fc.constant('Image' as const), image: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('Replicas' as const), replicas: fc.integer({ min: 0, max: 4 }) }),
  fc.record({ kind: fc.constant('Partition' as const), partition: fc.integer({ min: 0, max: 4 }) }),
  fc.record({ kind: fc.constant('Pause' as const), paused: fc.boolean() }),
  fc.record({ kind: fc.constant('Reserve' as const), ordinals: fc.uniqueArray(fc.nat({ max: 4 }), { maxLength: 2 }) }),
  fc.record({ kind: fc.constantFrom('Delete' as const, 'Fail' as const, 'Mark' as const, 'Stick' as const), which }),
  fc.constantFrom<Disturbance>({ kind: 'Free' }, { kind: 'Kill' }, { kind: 'LetGo' }, { kind: 'Hold' }),
);
const lifeWith = (disturbances: fc.Arbitrary<Disturbance>): fc.Arbitrary<Run> =>
  fc.record({
    replicas: fc.integer({ min: 0, max: 4 }),
    parallel: fc.boolean(),
    policy: fc.constantFrom<Run['policy']>('ReCreate', 'InPlaceIfPossible'),
    maxUnavailable: fc.integer({ min: 1, max: 3 }),
    hooks: fc.constantFrom<Run['hooks']>('None', 'Held', 'HeldNotReady'),
    unordered: fc.boolean(),
    scaleLimit: fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined }),
    steps: fc.array(fc.record({ disturbance: disturbances, ticks: fc.nat({ max: 4 }) }), { minLength: 1, maxLength: 8, size: 'max' }),
  });
const blurred = fc.oneof(disturbance, blurs);

const gates = { StatefulSetStartOrdinal: false };

function roll(cluster: StatefulSetCluster, over: object): void {
  const { updateStrategy } = cluster.set.spec;
  cluster.change({ updateStrategy: { ...updateStrategy, rollingUpdate: { ...updateStrategy?.rollingUpdate, ...over } } });
}

const marked = (pod: Pod): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, [labels.specifiedDelete]: 'true' } },
});

const hold = 'example.com/hold';
const waitsForHook = (pod: Pod): boolean => ['PreparingDelete', 'PreparingUpdate'].includes(lifecycleStateOf(pod));

function letGo(cluster: StatefulSetCluster): void {
  for (const pod of cluster.pods.filter(waitsForHook)) {
    const { [hold]: held, ...others } = pod.metadata.labels ?? {};
    if (held !== undefined) cluster.changePod(pod.metadata.name, (one) => ({ ...one, metadata: { ...one.metadata, labels: others } }));
  }
}

function holdAgain(cluster: StatefulSetCluster): void {
  for (const pod of cluster.pods.filter((one) => lifecycleStateOf(one) === 'Updated' && one.metadata.labels?.[hold] === undefined))
    cluster.changePod(pod.metadata.name, (one) => ({
      ...one,
      metadata: { ...one.metadata, labels: { ...one.metadata.labels, [hold]: 'yes' } },
    }));
}

async function disturbPod(cluster: StatefulSetCluster, kind: 'Delete' | 'Fail' | 'Mark' | 'Stick', pod: Pod | undefined): Promise<void> {
  if (pod === undefined) return;
  const { name } = pod.metadata;
  if (kind === 'Delete') return deletePod(cluster, name);
  if (kind === 'Stick') return void cluster.stuck.add(name);
  cluster.changePod(name, kind === 'Fail' ? failed : marked);
}

async function disturb(cluster: StatefulSetCluster, next: Disturbance): Promise<void> {
  if (isOfManager(next)) return cluster.disturbManager(next);
  switch (next.kind) {
    case 'Image':
      return cluster.changeImage(`app:${next.image}`);
    case 'Replicas':
      return cluster.change({ replicas: next.replicas });
    case 'Partition':
      return roll(cluster, { partition: next.partition });
    case 'Pause':
      return roll(cluster, { paused: next.paused });
    case 'Reserve':
      return cluster.change({ reserveOrdinals: [...next.ordinals] });
    case 'Free':
      return cluster.stuck.clear();
    case 'LetGo':
      return letGo(cluster);
    case 'Hold':
      return holdAgain(cluster);
    default:
      return disturbPod(cluster, next.kind, cluster.pods[next.which % Math.max(cluster.pods.length, 1)]);
  }
}

const ordinalOf = ({ metadata: { name } }: { readonly metadata: { readonly name: string } }): number => Number(name.slice('web-'.length));

/**
 * What a StatefulSet may never do, looked at when the server gets each write of the manager. One that is not alone, or sees what was, may take
 * more Pods away at a time than a limit allows, as it cannot know better; it never harms a claim, nor a Pod that it has not seen.
 */
class Watcher {
  readonly broken: string[] = [];
  readonly #cluster: StatefulSetCluster;
  readonly #sees: boolean;

  constructor(cluster: StatefulSetCluster, sees: boolean) {
    this.#cluster = cluster;
    this.#sees = sees;
    cluster.api.onWrite((write) => {
      if (write.call.from === 'manager' && write.refused === undefined) this.#look(write);
    });
  }

  /** The Pods of the slots as they were before the write, by ordinal. */
  #slots({ before }: FakeWrite): ReadonlyMap<number, Pod | undefined> {
    const { set } = this.#cluster;
    const held = new Map(this.#cluster.pods.map((pod) => [pod.metadata.name, pod]));
    if (before?.kind === 'Pod') held.set(before.metadata.name, before as Pod);
    return new Map([...slotsOf(set, gates)].map((ordinal) => [ordinal, held.get(`web-${ordinal}`)]));
  }

  #look(write: FakeWrite): void {
    const { call, before, after } = write;
    if (call.type?.kind === 'PersistentVolumeClaim' && call.verb === 'delete') this.broken.push(`${call.key.name} was deleted`);
    if (call.type?.kind !== 'Pod') return;
    if (call.verb === 'delete') this.broken.push(...carelessness(call));
    if (!this.#sees) return;
    if (call.verb === 'create' && after !== undefined) this.#lookAtCreation(after, this.#slots(write));
    if (call.verb === 'delete' && before !== undefined) this.#lookAtDeletion(before as Pod, this.#slots(write));
  }

  #isGood(pod: Pod | undefined): boolean {
    return pod !== undefined && !isTerminating(pod) && isAvailable(this.#cluster.set, pod, this.#cluster.clock.now());
  }

  #lookAtCreation(pod: KubeObject, slots: ReadonlyMap<number, Pod | undefined>): void {
    const ordinal = ordinalOf(pod);
    if (!slots.has(ordinal)) this.broken.push(`${pod.metadata.name} was created without a slot`);
    if (this.#cluster.set.spec.podManagementPolicy === 'Parallel') return;
    for (const [below, held] of slots)
      if (below < ordinal && !this.#isGood(held)) this.broken.push(`${pod.metadata.name} was created before ${below} was available`);
  }

  /** An update, or a mark, takes an available Pod away only while fewer are unavailable than may be. */
  #lookAtDeletion(pod: Pod, slots: ReadonlyMap<number, Pod | undefined>): void {
    if (!slots.has(ordinalOf(pod)) || !this.#isGood(pod)) return;
    const unavailable = [...slots.values()].filter((held) => !this.#isGood(held)).length;
    if (unavailable >= maxUnavailableOf(this.#cluster.set))
      this.broken.push(`${pod.metadata.name} was deleted while ${unavailable} were unavailable`);
  }
}

const template = aStatefulSet().spec.template;

function shapeOf({ replicas, parallel, policy, maxUnavailable, hooks, unordered, scaleLimit }: Run): SetShape {
  const hook = { labelsHandler: { [hold]: 'yes' }, markPodNotReady: hooks === 'HeldNotReady' };
  const held = {
    lifecycle: { preDelete: hook, inPlaceUpdate: hook },
    template: { ...template, metadata: { labels: { ...template.metadata?.labels, [hold]: 'yes' } } },
  };
  return {
    replicas,
    parallel,
    claims: [aClaimTemplate('data')],
    rollingUpdate: {
      podUpdatePolicy: policy,
      maxUnavailable: parallel ? maxUnavailable : 1,
      ...(parallel && unordered ? { unorderedUpdate: {} } : {}),
    },
    spec: {
      ...(hooks === 'None' ? {} : held),
      ...(parallel && scaleLimit !== undefined ? { scaleStrategy: { maxUnavailable: scaleLimit } } : {}),
    },
  };
}

async function live(run: Run, sees: boolean): Promise<void> {
  const { steps } = run;
  await using cluster = new StatefulSetCluster(shapeOf(run));
  const watcher = new Watcher(cluster, sees);
  for (const { disturbance: next, ticks } of steps) {
    await disturb(cluster, next);
    for (let i = 0; i < ticks; i++) await cluster.tick();
  }
  const claimsBefore = cluster.claims.map(({ metadata }) => metadata.name);
  cluster.stuck.clear();
  await cluster.clear();
  roll(cluster, { paused: false });
  cluster.onTick = () => {
    letGo(cluster);
    holdAgain(cluster);
  };
  await cluster.settle(300);
  const atRest: unknown = expect.stringMatching(/^web-\d+ app:\d$/);
  expect(cluster.shown).toEqual(cluster.shown.map(() => atRest));
  roll(cluster, { partition: 0 });
  await cluster.settle(300);
  expect(watcher.broken).toEqual([]);
  expect(cluster.shown).toEqual(wanted(cluster.set));
  expect(cluster.conditions).toEqual([]);
  const claims = cluster.api.peekAll(persistentVolumeClaims, 'default').map(({ metadata }) => metadata.name);
  expect(claims).toEqual(expect.arrayContaining(claimsBefore));
  expect(cluster.api.peekAll(pods, 'default').flatMap(({ metadata }) => metadata.deletionTimestamp ?? [])).toEqual([]);
}

const wanted = (set: StatefulSet): readonly string[] =>
  [...slotsOf(set, gates)].map((ordinal) => `web-${ordinal} ${set.spec.template.spec?.containers[0]?.image ?? ''}`);

describe('a StatefulSet that is disturbed', () => {
  it('keeps its promises at every write, and gets to where its spec says', async () => {
    const run = fc.asyncProperty(lifeWith(disturbance), (shape) => live(shape, true));
    await fc.assert(run, { numRuns });
  }, 600_000);

  it('loses nothing to managers that see what was, two at a time', async () => {
    const run = fc.asyncProperty(lifeWith(blurred), (shape) => live(shape, false));
    await fc.assert(run, { numRuns });
  }, 600_000);
});
