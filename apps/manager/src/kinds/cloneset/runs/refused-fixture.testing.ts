/** Any write of the CloneSet controller may be refused, and its process may die between two writes. */
import { cloneSets, conditionTypes, labels, podConditions, type CloneSet } from '@kruise/api';
import type { FakeCall, FakeWrite } from '@kruise/kube/testing';
import { isTerminating, isPodReady, pods, type KubeObject, type Pod } from '@kruise/objects';
import fc from 'fast-check';
import type { ClusterOptions } from '../../../module/controller-cluster.testing.ts';
import { answerHooks, heldLabels, lifecycleOf, type HookShape } from '../../../refused-writes/hook-program.testing.ts';
import { isServing } from '../../../refused-writes/is-serving.testing.ts';
import type { Demand } from '../../../refused-writes/outage-oracle.testing.ts';
import { podLeftovers } from '../../../refused-writes/pod-leftovers.testing.ts';
import { anySlot, missing, type RefusedFixture, type RefusedKind } from '../../../refused-writes/refused-run.testing.ts';
import { slotCount } from '../../../refused-writes/refusals.testing.ts';
import { CloneSetCluster } from '../cluster.testing.ts';

const firstImage = 'app:1';

interface Shape extends HookShape {
  readonly replicas: number;
  readonly policy: 'ReCreate' | 'InPlaceIfPossible';
  readonly maxUnavailable: number;
  readonly maxSurge: number;
  readonly claims: 'None' | 'Reused' | 'NotReused';
}
type OneChange =
  | { readonly kind: 'Image'; readonly image: number }
  | { readonly kind: 'Replicas'; readonly replicas: number }
  /** The user changes what hooks there are; Pods carry the label of the hooks that the CloneSet began with. */
  | ({ readonly kind: 'Hook' } & HookShape)
  /** The user marks the Pod of that number for deletion. */
  | { readonly kind: 'Mark'; readonly number: number }
  | { readonly kind: 'LetGo' };
/** Changes that one pass sees together. */
type Change = OneChange | { readonly kind: 'Together'; readonly changes: readonly OneChange[] };

const specOf = (shape: Shape): Partial<CloneSet['spec']> => ({
  ...lifecycleOf(shape),
  template: {
    metadata: { labels: { app: 'sample', ...heldLabels(shape) } },
    // The gate is that of the Pod webhook: without it no hook can take a Pod out of service.
    spec: { containers: [{ name: 'main', image: firstImage }], readinessGates: [{ conditionType: podConditions.kruisePodReady }] },
  },
  ...(shape.claims === 'None'
    ? {}
    : {
        volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: { resources: { requests: { storage: '1Gi' } } } }],
        scaleStrategy: { enablePVCReuse: shape.claims === 'Reused' },
      }),
});

/** Pods and claims of one instance end with the same id. */
function slotOfName(name: string): number {
  const id = name.slice(name.lastIndexOf('-') + 1);
  return [...id].reduce((sum, character) => sum + character.charCodeAt(0), 0) % slotCount;
}

class Fixture implements RefusedFixture<Change> {
  readonly cluster: CloneSetCluster;
  readonly owner = cloneSets;
  readonly isOrdered = false;
  readonly reservesBudget = true;
  readonly #shape: Shape;
  #hook: HookShape;
  /** Pods that the user wants to be replaced. */
  readonly #marked = new Set<string>();

  constructor(shape: Shape, options: ClusterOptions) {
    this.#shape = shape;
    this.#hook = shape;
    const { replicas, policy, maxUnavailable, maxSurge } = shape;
    const rollingUpdate = { podUpdatePolicy: policy, maxUnavailable, maxSurge };
    this.cluster = new CloneSetCluster({ replicas, rollingUpdate, spec: specOf(shape) }, options);
  }

  get demand(): Demand {
    return { wanted: this.#replicas, budget: this.#shape.maxUnavailable };
  }

  get available(): number {
    return this.cluster.pods.filter(isServing).length;
  }

  get pending(): readonly number[] {
    const held = this.cluster.pods;
    const stale = held.filter((pod) => !isPodReady(pod) || pod.spec.containers[0]?.image !== this.#image || this.#isMarked(pod));
    // Any Pod may be deleted of those that are too many; not instead of one that is marked or that a hook has prepared, or of one that an update replaces.
    const isUpdated = held.every((pod) => pod.spec.containers[0]?.image === this.#image);
    const isChoiceFree =
      this.#hook.hook === 'None' && isUpdated && held.length > this.#replicas && !held.some((pod) => this.#isMarked(pod));
    const spare = isChoiceFree ? held.map(({ metadata }) => slotOfName(metadata.name)) : [anySlot];
    if (held.length < this.#replicas) return [...stale.map(({ metadata }) => slotOfName(metadata.name)), missing];
    return [...stale.map(({ metadata }) => slotOfName(metadata.name)), ...(held.length === this.#replicas ? [] : spare)];
  }

  get leftovers(): readonly string[] {
    const { pods: held, conditions } = this.cluster;
    return [
      ...(held.length === this.#replicas ? [] : [`${held.length} Pods instead of ${this.#replicas}`]),
      ...held.flatMap((pod) => podLeftovers(pod, firstImage)),
      ...conditions.filter((condition) => condition.startsWith(conditionTypes.blocked)),
      ...(this.#shape.claims === 'NotReused' && this.cluster.claims.length > this.#replicas ? ['claims that no Pod uses'] : []),
    ];
  }

  look(write?: FakeWrite): readonly string[] {
    return [...this.#lostClaims(), ...(write === undefined ? [] : this.#needless(write))];
  }

  /** A Pod of the wanted template that serves is deleted only when there are too many. */
  #needless({ call, before, refused }: FakeWrite): readonly string[] {
    if (call.verb !== 'delete' || call.type !== pods || refused !== undefined || before === undefined) return [];
    const pod = before as Pod;
    const isWanted = pod.spec.containers[0]?.image === this.#image && isServing(pod) && !this.#isMarked(pod);
    const others = this.cluster.pods.filter((one) => one.metadata.name !== pod.metadata.name && !isTerminating(one));
    return isWanted && others.length < this.#replicas ? [`${pod.metadata.name} was deleted, though it is of the wanted template`] : [];
  }

  #lostClaims(): readonly string[] {
    const names = new Set(this.cluster.claims.map(({ metadata }) => metadata.name));
    return this.cluster.pods
      .filter((pod) => !isTerminating(pod))
      .flatMap(({ metadata, spec }) =>
        (spec.volumes ?? [])
          .flatMap((volume) => (volume.persistentVolumeClaim === undefined ? [] : [volume.persistentVolumeClaim.claimName]))
          .filter((claim) => !names.has(claim))
          .map((claim) => `the claim ${claim} of the running Pod ${metadata.name} was deleted`),
      );
  }

  slotOf({ type, key, body }: FakeCall): number | undefined {
    if (type?.plural === 'controllerrevisions') return undefined;
    return slotOfName(key.name === '' ? (body as KubeObject).metadata.name : key.name);
  }

  apply(change: Change): void {
    for (const one of change.kind === 'Together' ? change.changes : [change]) this.#apply(one);
  }

  #apply(change: OneChange): void {
    if (change.kind === 'Image') this.cluster.changeImage(`app:${change.image}`);
    else if (change.kind === 'Replicas') this.cluster.change({ replicas: change.replicas });
    else if (change.kind === 'Hook') this.#setHook(change);
    else if (change.kind === 'Mark') this.#mark(change.number);
    else this.letGo();
  }

  letGo(): void {
    answerHooks(this.cluster.pods, (pod) => this.cluster.changePod(pod.metadata.name, () => pod));
  }

  answerHooks(): void {
    this.cluster.onTick = () => this.letGo();
  }

  undo(): void {
    this.#setHook(this.#shape);
    this.cluster.changeImage(firstImage);
    this.cluster.change({ replicas: this.#shape.replicas });
  }

  #setHook(hook: HookShape): void {
    this.#hook = hook;
    // A merge: without hooks the member is there and empty.
    this.cluster.change({ lifecycle: {}, ...lifecycleOf(hook) });
  }

  #mark(number: number): void {
    const { pods: held } = this.cluster;
    const pod = held[number % Math.max(held.length, 1)];
    // The mark of an update cannot be distinguished from that of the user who repeats it: it is withdrawn with the update.
    if (pod === undefined || isTerminating(pod) || pod.metadata.labels?.[labels.specifiedDelete] !== undefined) return;
    this.#marked.add(pod.metadata.uid ?? '');
    this.cluster.changePod(pod.metadata.name, ({ metadata, ...rest }) => ({
      ...rest,
      metadata: { ...metadata, labels: { ...metadata.labels, [labels.specifiedDelete]: 'true' } },
    }));
  }

  #isMarked({ metadata }: Pod): boolean {
    return this.#marked.has(metadata.uid ?? '');
  }

  get #replicas(): number {
    return this.cluster.cloneSet.spec.replicas ?? 1;
  }

  get #image(): string | undefined {
    return this.cluster.cloneSet.spec.template.spec?.containers[0]?.image;
  }
}

const hook = fc.constantFrom<Shape['hook']>('None', 'None', 'preDelete', 'inPlaceUpdate', 'both');

const oneChange: fc.Arbitrary<OneChange> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('Image' as const), image: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('Replicas' as const), replicas: fc.integer({ min: 1, max: 8 }) }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'LetGo' as const }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('Hook' as const), hook, markPodNotReady: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('Mark' as const), number: fc.nat({ max: 7 }) }) },
);

export const refusedCloneSets: RefusedKind<Shape, Change> = {
  shapes: fc.record({
    replicas: fc.integer({ min: 4, max: 8 }),
    policy: fc.constantFrom<Shape['policy']>('ReCreate', 'InPlaceIfPossible'),
    maxUnavailable: fc.integer({ min: 1, max: 3 }),
    maxSurge: fc.constantFrom(0, 0, 2),
    hook,
    markPodNotReady: fc.boolean(),
    claims: fc.constantFrom<Shape['claims']>('None', 'Reused', 'NotReused', 'NotReused'),
  }),
  changes: fc.oneof(
    { weight: 3, arbitrary: oneChange },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('Together' as const), changes: fc.tuple(oneChange, oneChange) }) },
  ),
  mostly: ['pods', 'pods', 'persistentvolumeclaims'],
  // Later writes of an action that has written something, and those that a missing Pod needs.
  often: [
    { verb: 'delete', subresource: '', resource: 'persistentvolumeclaims' },
    { verb: 'change', subresource: '', resource: 'pods' },
    { verb: 'change', subresource: 'status', resource: 'pods' },
    { verb: 'create', subresource: '', resource: 'pods' },
  ],
  resources: ['controllerrevisions', 'clonesets'],
  losesNews: true,
  begin: (shape, options) => new Fixture(shape, options),
};
