/**
 * Runs in which users, autoscalers, nodes and kills interfere at any moment: the whole controller on an in-memory API server. The test checks
 * the promises at every single write, and expects the result that the spec requires.
 */
import { describe, expect, it } from '@jest/globals';
import { unitedDeploymentLabels as labels, type UnitedDeployment, type UnitedDeploymentSubset } from '@kruise/api';
import type { DeleteOptions } from '@kruise/kube';
import type { FakeCall, FakeWrite } from '@kruise/kube/testing';
import { controllerRevisions, isControlledBy, isPodReady, pods, type KubeObject, type Pod } from '@kruise/objects';
import { casesOf, Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { blurs, carelessness, isOfManager, type ManagerDisturbance } from '../../../module/controller-cluster.testing.ts';
import {
  allocate,
  limitsOfAll,
  type Limits,
  childKinds,
  type ChildKind,
  type ChildObject,
  subsetOf,
  modeOf,
  revisionOf,
  storedTemplateBytes,
  templateBytes,
} from '@kruise/kinds/uniteddeployment';
import { adaptive, templateOf, type Topology } from '@kruise/kinds/uniteddeployment/testing';
import { UnitedDeploymentCluster } from '../cluster.testing.ts';

/** More with FC_RUNS=10000; each run simulates about a minute. */
const numRuns = casesOf(20);
const least = numRuns / 10;

const namespace = 'default';
type KindName = ChildKind['name'];

/** What a subset may say of its number. */
interface Share {
  readonly min: number;
  /** Replicas beyond `minReplicas`; undefined without `maxReplicas`. */
  readonly room: number | undefined;
}

type Disturbance =
  | { readonly kind: 'Image'; readonly image: number }
  /** An autoscaler writes any number, past admission. */
  | { readonly kind: 'Replicas'; readonly replicas: number }
  | { readonly kind: 'Partition'; readonly partition: number }
  | { readonly kind: 'Subsets'; readonly names: readonly string[]; readonly shares: readonly Share[] }
  /** The template becomes one of another kind. */
  | { readonly kind: 'Turn'; readonly to: KindName }
  /** There is no node for a subset any more, or there is. */
  | { readonly kind: 'Close' | 'Open'; readonly subset: string }
  /** By hand; `which` counts round the children, or the Pods. */
  | { readonly kind: 'ScaleChild'; readonly which: number; readonly replicas: number }
  | { readonly kind: 'DeleteChild' | 'DoubleChild' | 'DeletePod'; readonly which: number }
  /** Pods of an image do not become ready. */
  | { readonly kind: 'Break' | 'Mend'; readonly image: number }
  | ManagerDisturbance;

interface Run {
  readonly kind: KindName;
  readonly replicas: number;
  readonly mode: 'Fixed' | 'Adaptive' | 'Reservation';
  readonly shares: 'Even' | 'Specified' | 'Limited';
  /** There is no node for the first subset from the start. */
  readonly closed: boolean;
  readonly steps: readonly { readonly disturbance: Disturbance; readonly ticks: number }[];
}

const names = ['a', 'b', 'c', 'd'] as const;
const reservable = ['CloneSet', 'Deployment'] as const;
const image = fc.integer({ min: 1, max: 3 });
const which = fc.nat({ max: 5 });
const share = fc.record({ min: fc.nat({ max: 2 }), room: fc.option(fc.nat({ max: 3 }), { nil: undefined }) });

const often = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary });
const disturbance: fc.Arbitrary<Disturbance> = fc.oneof(
  often(2, fc.record({ kind: fc.constant('Image' as const), image })),
  often(4, fc.record({ kind: fc.constant('Replicas' as const), replicas: fc.nat({ max: 8 }) })),
  often(1, fc.record({ kind: fc.constant('Partition' as const), partition: fc.nat({ max: 3 }) })),
  often(
    4,
    fc.record({
      kind: fc.constant('Subsets' as const),
      names: fc.oneof(fc.constant([...names]), fc.shuffledSubarray([...names])),
      shares: fc.array(share, { minLength: names.length, maxLength: names.length }),
    }),
  ),
  often(1, fc.record({ kind: fc.constant('Turn' as const), to: fc.constantFrom(...childKinds.map(({ name }) => name)) })),
  often(
    5,
    fc.record({
      kind: fc.constantFrom('Close' as const, 'Close' as const, 'Open' as const),
      subset: fc.constantFrom('a', 'a', 'b', 'c', 'd'),
    }),
  ),
  often(1, fc.record({ kind: fc.constant('ScaleChild' as const), which, replicas: fc.nat({ max: 6 }) })),
  often(2, fc.record({ kind: fc.constantFrom('DeleteChild' as const, 'DoubleChild' as const, 'DeletePod' as const), which })),
  often(1, fc.record({ kind: fc.constantFrom('Break' as const, 'Mend' as const), image })),
  often(1, fc.constant<Disturbance>({ kind: 'Kill' })),
);
const blurred = fc.oneof(often(3, disturbance), often(1, blurs));

const lifeWith = (disturbances: fc.Arbitrary<Disturbance>): fc.Arbitrary<Run> =>
  fc.record({
    kind: fc.constantFrom(...childKinds.map(({ name }) => name)),
    replicas: fc.nat({ max: 6 }),
    mode: fc.constantFrom<Run['mode']>('Fixed', 'Adaptive', 'Reservation'),
    shares: fc.constantFrom<Run['shares']>('Even', 'Specified', 'Limited'),
    closed: fc.boolean(),
    steps: fc.array(fc.record({ disturbance: disturbances, ticks: fc.oneof(fc.nat({ max: 4 }), fc.constant(9)) }), {
      minLength: 1,
      maxLength: 10,
      size: 'max',
    }),
  });

/** One subset has no `maxReplicas`, as admission requires. */
function subsetsOf(run: Run, of: readonly string[], shares: readonly Share[]): readonly UnitedDeploymentSubset[] {
  if (run.shares === 'Limited')
    return of.map((name, at) => {
      const { min = 0, room } = shares[at] ?? {};
      return { name, minReplicas: min, ...(room === undefined || at === of.length - 1 ? {} : { maxReplicas: min + room }) };
    });
  if (run.shares === 'Even' || run.mode !== 'Fixed') return of.map((name) => ({ name }));
  return of.map((name, at) => ({ name, ...(at === 0 ? { replicas: 1 } : at === 1 && of.length > 2 ? { replicas: '25%' } : {}) }));
}

const schedules: Readonly<Record<Run['mode'], Topology['scheduleStrategy']>> = {
  Fixed: undefined,
  Adaptive: adaptive({ rescheduleCriticalSeconds: 3, unschedulableDuration: 5 }),
  Reservation: adaptive({ rescheduleCriticalSeconds: 3, unschedulableDuration: 5, reserveUnschedulablePods: true }),
};

const topologyOf = (run: Run, of: readonly string[], shares: readonly Share[]): Topology => {
  const schedule = schedules[run.mode];
  return { subsets: subsetsOf(run, of, shares), ...(schedule === undefined ? {} : { scheduleStrategy: schedule }) };
};

/** Pods of other kinds cannot be reserved. */
const kindIn = ({ mode }: Run, kind: KindName): KindName =>
  mode === 'Reservation' && !(reservable as readonly string[]).includes(kind) ? 'Deployment' : kind;

const imageOf = ({ spec }: { readonly spec: { readonly containers: readonly { readonly image?: string }[] } }): string =>
  spec.containers[0]?.image ?? '';

const childKindOf = ({ spec }: UnitedDeployment): ChildKind =>
  childKinds.find(({ template }) => spec.template?.[template] !== undefined) as ChildKind;

const wantedImage = (united: UnitedDeployment): string => {
  const template = united.spec.template?.[childKindOf(united).template]?.spec as { readonly template: Pick<Pod, 'spec'> };
  return imageOf(template.template);
};

async function disturbChild(cluster: UnitedDeploymentCluster, next: Extract<Disturbance, { readonly which: number }>): Promise<void> {
  const { children } = cluster.workloads;
  const chosen = children[next.which % Math.max(children.length, 1)];
  if (chosen === undefined) return;
  const { type } = chosen.kind;
  const { name, resourceVersion: _version, uid: _uid, creationTimestamp: _created, ...metadata } = chosen.object.metadata;
  if (next.kind === 'ScaleChild')
    await cluster.api.patch(type, { namespace, name }, { spec: { replicas: next.replicas } }, { type: 'merge' });
  else if (next.kind === 'DeleteChild') await cluster.api.delete(type, { namespace, name });
  else if (next.kind === 'DoubleChild') cluster.api.seed(type, { ...chosen.object, metadata: { ...metadata, name: `${name}-copy` } });
  else {
    const held = cluster.api.peekAll(pods, namespace);
    const pod = held[next.which % Math.max(held.length, 1)];
    if (pod !== undefined) await cluster.api.delete(pods, { namespace, name: pod.metadata.name });
  }
}

async function disturb(cluster: UnitedDeploymentCluster, run: Run, next: Disturbance): Promise<void> {
  if (isOfManager(next)) return cluster.disturbManager(next);
  if ('which' in next) return disturbChild(cluster, next);
  const { united } = cluster;
  switch (next.kind) {
    case 'Image':
      return cluster.changeImage(`app:${next.image}`, childKindOf(united).name);
    case 'Replicas':
      return cluster.change({ replicas: next.replicas });
    case 'Partition': {
      const subsets = united.spec.topology?.subsets ?? [];
      const partitions = Object.fromEntries(subsets.map(({ name }) => [name, next.partition]));
      return cluster.change({ updateStrategy: { type: 'Manual', manualUpdate: { partitions } } });
    }
    case 'Subsets':
      return cluster.change({ topology: topologyOf(run, next.names, next.shares) });
    case 'Turn':
      return cluster.change({ template: templateOf(kindIn(run, next.to), wantedImage(united)) });
    case 'Close':
      return void cluster.workloads.closed.add(next.subset);
    case 'Open':
      return void cluster.workloads.closed.delete(next.subset);
    case 'Break':
      return void cluster.workloads.broken.add(`app:${next.image}`);
    default:
      return void cluster.workloads.broken.delete(`app:${next.image}`);
  }
}

const limitsIn = (united: UnitedDeployment): ReadonlyMap<string, Limits> => {
  const subsets = united.spec.topology?.subsets ?? [];
  const seen = subsets.map((subset) => ({ ...subset, isUnschedulable: false, isMarked: false }) as never);
  const read = limitsOfAll(seen, united.spec.replicas ?? 1);
  return new Map(subsets.map(({ name }, at) => [name, read.kind === 'Limits' ? (read.limits[at] as Limits) : { min: 0, max: Infinity }]));
};
const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
const conditionOf = ({ status }: UnitedDeployment, type: string) => status?.conditions?.find((one) => one.type === type);

/**
 * What a UnitedDeployment may never do, looked at when the server gets each write of the manager. One that is not alone, or sees what was, may
 * follow a spec that has changed; it never doubles a child, and never harms what it has not seen.
 */
class Watcher {
  readonly broken: string[] = [];
  readonly #cluster: UnitedDeploymentCluster;
  readonly #sees: boolean;

  constructor(cluster: UnitedDeploymentCluster, sees: boolean) {
    this.#cluster = cluster;
    this.#sees = sees;
    cluster.api.onWrite((write) => {
      if (write.call.from === 'manager' && write.refused === undefined) this.#look(write);
    });
  }

  #look({ call, before, after }: FakeWrite): void {
    if (call.verb === 'delete') this.#lookAtCare(call);
    const kind = childKinds.find(({ type }) => type === call.type || (type.kind === call.type?.kind && type.group === call.type.group));
    if (kind !== undefined && call.verb === 'create') this.#lookAtCreation(kind, after as ChildObject);
    if (kind !== undefined && call.verb === 'patch') this.#lookAtPatch(call, after as ChildObject);
    if (!this.#sees) return;
    if (kind !== undefined && call.verb === 'delete') this.#lookAtDeletion(kind, before as ChildObject);
    if (call.type?.kind === 'Pod' && call.verb === 'delete') this.#lookAtPod(before as Pod);
    if (call.type?.kind === 'UnitedDeployment') this.#lookAtStatus(after as UnitedDeployment);
  }

  #lookAtCare(call: FakeCall): void {
    this.broken.push(...carelessness(call));
    const { propagationPolicy } = (call.body ?? {}) as DeleteOptions;
    const isChild = childKinds.some(({ type }) => type.kind === call.type?.kind);
    if (isChild && propagationPolicy !== 'Background') this.broken.push(`${call.key.name} was deleted ${propagationPolicy ?? 'anyhow'}`);
  }

  #others(kind: ChildKind, child: ChildObject): readonly ChildObject[] {
    return this.#cluster.workloads.children
      .filter((one) => one.kind === kind && subsetOf(one.object) === subsetOf(child) && one.object.metadata.uid !== child.metadata.uid)
      .map(({ object }) => object)
      .filter((one) => isControlledBy(one, this.#cluster.united.metadata.uid) && one.metadata.deletionTimestamp === undefined);
  }

  #lookAtCreation(kind: ChildKind, child: ChildObject): void {
    const others = this.#others(kind, child);
    if (others.length > 0) this.broken.push(`${child.metadata.name} was made beside ${others.map(({ metadata }) => metadata.name).join()}`);
    this.#lookAtLimits(child);
  }

  #lookAtPatch({ key, body }: FakeCall, child: ChildObject): void {
    const { metadata, spec } = body as { readonly metadata?: KubeObject['metadata']; readonly spec?: object };
    if (spec !== undefined && metadata?.resourceVersion === undefined) this.broken.push(`${key.name} was changed, whatever it had become`);
    if (spec !== undefined) this.#lookAtLimits(child);
  }

  #lookAtLimits(child: ChildObject): void {
    const { max = Infinity } = limitsIn(this.#cluster.united).get(subsetOf(child)) ?? {};
    const { replicas = 1 } = child.spec ?? {};
    if (this.#sees && replicas > max) this.broken.push(`${child.metadata.name} is to have ${replicas} Pods, more than ${max}`);
  }

  /** Of a subset that is wanted only what is of another kind, or beside another one. */
  #lookAtDeletion(kind: ChildKind, child: ChildObject): void {
    const isWanted = this.#cluster.united.spec.topology?.subsets?.some(({ name }) => name === subsetOf(child)) === true;
    if (isWanted && kind === childKindOf(this.#cluster.united) && this.#others(kind, child).length === 0)
      this.broken.push(`${child.metadata.name} was deleted, the only one of its subset`);
  }

  #lookAtPod(pod: Pod): void {
    if (isPodReady(pod) || revisionOf(pod) === this.#cluster.status.updatedRevision) this.broken.push(`${pod.metadata.name} was deleted`);
  }

  /** The numbers in the status add up to the total, within the limits of the subsets. */
  #lookAtStatus(united: UnitedDeployment): void {
    const { status, spec, metadata } = united;
    if (status?.observedGeneration !== metadata.generation || conditionOf(united, 'SubsetProvisioned')?.status === 'False') return;
    const limits = limitsIn(united);
    const entries = (status?.subsetStatuses ?? []).filter(({ name = '' }) => limits.has(name));
    if (entries.length < limits.size) return;
    const { replicas: total = 1 } = spec;
    const all = sum(entries.map(({ replicas = 0 }) => replicas));
    const wanted = Math.min(total, sum([...limits.values()].map(({ max }) => max)));
    const mode = modeOf(united).kind;
    if (mode === 'Fixed' ? all !== wanted : mode === 'Adaptive' && all > total)
      this.broken.push(`${all} instead of ${wanted} are reported`);
    const isEnough = total >= sum([...limits.values()].map(({ min }) => min));
    for (const { name = '', replicas = 0 } of entries) {
      const { min = 0, max = Infinity } = limits.get(name) ?? {};
      if ((isEnough && replicas < min) || replicas > max) this.broken.push(`${name} gets ${replicas}, not ${min} to ${max}`);
    }
  }
}

/** Each subset with its number, as the spec alone has it; undefined where it depends on what was there. */
function expected(united: UnitedDeployment): readonly number[] | undefined {
  const subsets = united.spec.topology?.subsets ?? [];
  const { kind } = modeOf(united);
  const isElastic = subsets.some(({ minReplicas }) => minReplicas !== undefined);
  if (kind === 'Adaptive' || (kind === 'Fixed' && !isElastic)) return undefined;
  const seen = subsets.map((subset) => ({ ...subset, isUnschedulable: false, isMarked: false }) as never);
  const given = allocate(seen, united.spec.replicas ?? 1, kind);
  return given.kind === 'Allocated' ? given.replicas : undefined;
}

/** The children match the spec, and the status matches the children. */
function expectRest(cluster: UnitedDeploymentCluster): void {
  const { united, status, workloads } = cluster;
  const kind = childKindOf(united);
  const subsets = united.spec.topology?.subsets ?? [];
  const { replicas: total = 1 } = united.spec;
  const children = subsets.map(({ name }) => workloads.children.filter(({ object }) => subsetOf(object) === name));
  expect(children.map((own) => own.map((one) => one.kind.name))).toEqual(subsets.map(() => [kind.name]));
  expect(workloads.children).toHaveLength(subsets.length);
  const given = children.map(([child]) => child?.object.spec?.replicas ?? 1);
  const limits = limitsIn(united);
  const most = sum(subsets.map(({ name }) => limits.get(name)?.max ?? 0));
  expect(sum(given)).toBe(Math.min(total, most));
  expect(given).toEqual(expected(united) ?? given);
  const own = children.flatMap(([child]) => (child === undefined ? [] : workloads.podsOf(child.object)));
  expect(own.map((pod) => [imageOf(pod), isPodReady(pod)])).toEqual(own.map(() => [wantedImage(united), true]));
  expect(cluster.api.peekAll(pods, namespace)).toHaveLength(sum(given));
  expect(status.updatedRevision).toBe(status.currentRevision);
  const revision = cluster.api.peek(controllerRevisions, { namespace, name: status.updatedRevision ?? '' });
  expect(storedTemplateBytes(revision ?? {})).toBe(
    storedTemplateBytes({ data: JSON.parse(templateBytes(united.spec.template ?? {})) as never }),
  );
  const count = sum(given);
  expect([
    status.replicas,
    status.readyReplicas ?? 0,
    status.updatedReplicas,
    status.updatedReadyReplicas ?? 0,
    status.reservedPods ?? 0,
  ]).toEqual([count, count, count, count, 0]);
  const reported = new Map(status.subsetStatuses?.map(({ name = '', replicas = 0 }) => [name, replicas]));
  expect(subsets.map(({ name }) => reported.get(name))).toEqual(given);
  expect(reported.size).toBe(subsets.length);
  expect(cluster.conditions.filter((line) => line.includes('False') || line.startsWith('Blocked'))).toEqual([]);
  expect(cluster.subsets.filter((line) => line.includes('Schedulable=False'))).toEqual([]);
  const reserved = own.filter(({ metadata }) => metadata.labels?.[labels.reservedPod] === 'true');
  if (modeOf(united).kind === 'Reservation') expect(reserved).toEqual([]);
}

/** What the manager writes in `seconds` without changes by others. */
async function writtenIn(cluster: UnitedDeploymentCluster, seconds: number): Promise<readonly string[]> {
  const written: string[] = [];
  cluster.api.onWrite(({ call }) => {
    if (call.from === 'manager') written.push(`${call.verb} ${call.type?.kind ?? ''}/${call.subresource} ${call.key.name}`);
  });
  await cluster.ticks(seconds);
  return [...written];
}

async function live(run: Run, sees: boolean, seen: Occurrences): Promise<void> {
  const first = topologyOf(run, ['a', 'b', 'c'], []);
  const { subsets, scheduleStrategy } = first;
  const shape = { kind: kindIn(run, run.kind), replicas: Math.max(run.replicas, 2), subsets: subsets ?? [] };
  await using cluster = new UnitedDeploymentCluster(scheduleStrategy === undefined ? shape : { ...shape, schedule: scheduleStrategy });
  const watcher = new Watcher(cluster, sees);
  if (run.closed) cluster.workloads.closed.add('a');
  for (const { disturbance: next, ticks } of run.steps) {
    await disturb(cluster, run, next);
    await cluster.ticks(ticks);
    seen.note(next.kind);
    seen.note('by hand', 'which' in next);
    seen.note('short of nodes', cluster.subsets.join().includes('Schedulable=False'));
  }
  seen.note(run.mode);
  await cluster.clear();
  cluster.workloads.closed.clear();
  cluster.workloads.broken.clear();
  cluster.change({ replicas: Math.max(cluster.united.spec.replicas ?? 1, 4), updateStrategy: { type: 'Manual', manualUpdate: {} } });
  if ((cluster.united.spec.topology?.subsets ?? []).every(({ replicas }) => replicas !== undefined))
    cluster.change({ topology: topologyOf(run, ['a', 'b', 'c'], []) });
  await cluster.settle(400, 20);
  expect(watcher.broken).toEqual([]);
  expectRest(cluster);
  expect(await writtenIn(cluster, 20)).toEqual([]);
}

describe('a UnitedDeployment that is disturbed', () => {
  it('keeps its promises at every write, and gets to where its spec says', async () => {
    const seen = new Occurrences();
    const run = fc.asyncProperty(lifeWith(disturbance), (shape) => live(shape, true, seen));
    await fc.assert(run, { numRuns });
    seen.expectAtLeast({ Fixed: least, Adaptive: least, Reservation: least, 'short of nodes': least, 'by hand': least });
  }, 600_000);

  it('doubles no child though managers see what was, two at a time', async () => {
    const seen = new Occurrences();
    const run = fc.asyncProperty(lifeWith(blurred), (shape) => live(shape, false, seen));
    await fc.assert(run, { numRuns });
    seen.expectAtLeast({ Rival: least, Blind: least, Clear: least });
  }, 600_000);
});
