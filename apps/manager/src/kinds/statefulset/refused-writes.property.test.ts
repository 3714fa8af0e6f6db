/** Any write of the StatefulSet controller may be refused, and its process may die between two writes. */
import { conditionTypes, statefulSets, type StatefulSet } from '@kruise/api';
import type { FakeCall } from '@kruise/kube/testing';
import { isPodReady, type Pod } from '@kruise/objects';
import fc from 'fast-check';
import type { WorldOptions } from '../../module/controller-world.testing.ts';
import { describeRefusedWrites } from '../../refused-writes/describe-refused-writes.testing.ts';
import { answerHooks, heldLabels, lifecycleOf, type HookShape } from '../../refused-writes/hook-program.testing.ts';
import { isServing } from '../../refused-writes/is-serving.testing.ts';
import type { Demand } from '../../refused-writes/outage-oracle.testing.ts';
import { podLeftovers } from '../../refused-writes/pod-leftovers.testing.ts';
import type { RefusedFixture, RefusedKind } from '../../refused-writes/refused-run.testing.ts';
import { slotCount } from '../../refused-writes/refusals.testing.ts';
import { aClaimTemplate } from './testing.ts';
import { World } from './world.testing.ts';

const firstImage = 'app:1';

interface Shape extends HookShape {
  readonly parallel: boolean;
  readonly replicas: number;
  readonly policy: 'ReCreate' | 'InPlaceIfPossible';
  readonly maxUnavailable: number;
  readonly whenScaled: 'Retain' | 'Delete' | 'NoClaims';
}
type Change =
  | { readonly kind: 'Image'; readonly image: number }
  | { readonly kind: 'Replicas'; readonly replicas: number }
  | { readonly kind: 'LetGo' };

const specOf = (shape: Shape): Partial<StatefulSet['spec']> => ({
  ...lifecycleOf(shape),
  template: {
    metadata: { labels: { app: 'web', ...heldLabels(shape) } },
    spec: { containers: [{ name: 'main', image: firstImage }], readinessGates: [{ conditionType: 'InPlaceUpdateReady' }] },
  },
  ...(shape.whenScaled === 'NoClaims'
    ? {}
    : {
        volumeClaimTemplates: [aClaimTemplate('data')],
        persistentVolumeClaimRetentionPolicy: { whenScaled: shape.whenScaled, whenDeleted: 'Retain' },
      }),
});
const ordinalOf = (name: string): number => Number(name.slice(name.lastIndexOf('-') + 1));

class Fixture implements RefusedFixture<Change> {
  readonly world: World;
  readonly owner = statefulSets;
  readonly isOrdered: boolean;
  readonly reservesBudget = true;
  readonly #shape: Shape;
  /** The claim of each wanted ordinal, by name. */
  readonly #claims = new Map<string, string | undefined>();

  constructor(shape: Shape, options: WorldOptions) {
    this.#shape = shape;
    this.isOrdered = !shape.parallel;
    const { parallel, replicas, policy, maxUnavailable } = shape;
    this.world = new World(
      { parallel, replicas, rollingUpdate: { podUpdatePolicy: policy, maxUnavailable }, spec: specOf(shape) },
      { ...options, gates: { StatefulSetAutoDeletePVC: true } },
    );
  }

  get demand(): Demand {
    return { wanted: this.#replicas, budget: this.#shape.maxUnavailable };
  }

  get available(): number {
    return this.#wantedPods.filter(isServing).length;
  }

  get pending(): readonly number[] {
    const done = new Set(
      this.#wantedPods.filter((pod) => isPodReady(pod) && this.#isUpdated(pod)).map(({ metadata }) => ordinalOf(metadata.name)),
    );
    const missing = Array.from({ length: this.#replicas }, (_, ordinal) => ordinal).filter((ordinal) => !done.has(ordinal));
    const surplus = this.world.pods.map(({ metadata }) => ordinalOf(metadata.name)).filter((ordinal) => ordinal >= this.#replicas);
    return [...missing, ...surplus].map((ordinal) => ordinal % slotCount);
  }

  get leftovers(): readonly string[] {
    const names = this.world.pods.map(({ metadata }) => metadata.name).join();
    const wanted = Array.from({ length: this.#replicas }, (_, ordinal) => `web-${ordinal}`).join();
    return [
      ...(names === wanted ? [] : [`the Pods are ${names}, not ${wanted}`]),
      ...this.world.pods.flatMap((pod) => podLeftovers(pod, firstImage)),
      ...this.world.conditions.filter((condition) => condition.startsWith(conditionTypes.blocked)),
      ...this.world.claims
        .filter(({ metadata }) => metadata.ownerReferences?.some(({ kind }) => kind === 'Pod'))
        .map(({ metadata }) => `${metadata.name} is owned by a Pod`),
    ];
  }

  look(): readonly string[] {
    const uids = new Map(this.world.claims.map(({ metadata }) => [metadata.name, metadata.uid]));
    const lost = [...this.#claims].filter(([name, uid]) => ordinalOf(name) < this.#replicas && uids.get(name) !== uid);
    this.#claims.clear();
    for (const [name, uid] of uids) if (ordinalOf(name) < this.#replicas) this.#claims.set(name, uid);
    return lost.map(([name]) => `the claim ${name} of a wanted ordinal was deleted`);
  }

  slotOf({ type, key, body }: FakeCall): number | undefined {
    const name = key.name === '' ? (body as Pod).metadata.name : key.name;
    return type?.plural === 'controllerrevisions' ? undefined : ordinalOf(name) % slotCount;
  }

  apply(change: Change): void {
    if (change.kind === 'Image') this.world.changeImage(`app:${change.image}`);
    else if (change.kind === 'Replicas') this.world.change({ replicas: change.replicas });
    else this.letGo();
  }

  letGo(): void {
    answerHooks(this.world.pods, (pod) => this.world.changePod(pod.metadata.name, () => pod));
  }

  answerHooks(): void {
    this.world.onTick = () => this.letGo();
  }

  undo(): void {
    this.world.changeImage(firstImage);
    this.world.change({ replicas: this.#shape.replicas });
  }

  get #replicas(): number {
    return this.world.set.spec.replicas ?? 1;
  }

  get #wantedPods(): readonly Pod[] {
    return this.world.pods.filter(({ metadata }) => ordinalOf(metadata.name) < this.#replicas);
  }

  #isUpdated(pod: Pod): boolean {
    return pod.spec.containers[0]?.image === this.world.set.spec.template.spec?.containers[0]?.image;
  }
}

const kind: RefusedKind<Shape, Change> = {
  shapes: fc.record({
    parallel: fc.boolean(),
    replicas: fc.integer({ min: 3, max: 6 }),
    policy: fc.constantFrom<Shape['policy']>('ReCreate', 'InPlaceIfPossible'),
    maxUnavailable: fc.integer({ min: 1, max: 3 }),
    hook: fc.constantFrom<Shape['hook']>('None', 'None', 'preDelete', 'inPlaceUpdate'),
    markPodNotReady: fc.boolean(),
    whenScaled: fc.constantFrom<Shape['whenScaled']>('Retain', 'Delete', 'NoClaims'),
  }),
  changes: fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('Image' as const), image: fc.integer({ min: 1, max: 4 }) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('Replicas' as const), replicas: fc.integer({ min: 1, max: 6 }) }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'LetGo' as const }) },
  ),
  resources: ['persistentvolumeclaims', 'controllerrevisions', 'statefulsets'],
  begin: (shape, options) => new Fixture(shape, options),
};

describeRefusedWrites(kind);
