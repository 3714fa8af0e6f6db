/** An ImagePullJob for generated runs in which writes are refused. */
import { imagePullJobs, nodeImages, type ImagePullJob, type ImageTagSpec, type NodeImage } from '@kruise/api';
import type { FakeCall, FakeWrite } from '@kruise/kube/testing';
import { deepEqual, imageLimits, parseTime } from '@kruise/objects';
import fc from 'fast-check';
import { imagesOf, tagAt, tagsOf, tagStatusAt, versionOf } from '@kruise/kinds/images';
import type { ClusterOptions } from '../../module/controller-cluster.testing.ts';
import type { Demand } from '../../refused-writes/outage-oracle.testing.ts';
import type { RefusedFixture, RefusedKind } from '../../refused-writes/refused-run.testing.ts';
import { refusalOf, slotCount, type Refusal } from '../../refused-writes/refusals.testing.ts';
import { ImagePullJobCluster } from './cluster.testing.ts';
import { usersOf } from '@kruise/kinds/imagepulljob';

const firstTag = '1';
/** Cannot be pulled by nodes of the first slot. */
const brokenTag = '4';
const key = 'default/pull';
const silenceMs = imageLimits.silenceOfNode.value;

interface Shape {
  readonly nodes: number;
  readonly parallelism: number;
  readonly type: 'Never' | 'Always';
  readonly hasSecret: boolean;
  readonly activeDeadlineSeconds: number | undefined;
  readonly ttlSecondsAfterFinished: number | undefined;
}

type Change =
  | { readonly kind: 'Image'; readonly tag: number }
  | { readonly kind: 'Parallelism'; readonly parallelism: number }
  | { readonly kind: 'Secret'; readonly what: 'Change' | 'DeleteCopy' }
  | { readonly kind: 'Node'; readonly what: 'Add' | 'Remove'; readonly node: number };

const slotOfNode = (name: string): number => Number(name.slice(1)) % slotCount;
const slotOf = ({ metadata }: NodeImage): number => slotOfNode(metadata.name);

const resources = ['secrets', 'imagepulljobs'];

/** Most of what a job writes are its tasks. */
const refusals: fc.Arbitrary<Refusal> = refusalOf({
  mostly: ['nodeimages'],
  often: [{ verb: 'change', subresource: '', resource: 'nodeimages' }],
  resources,
});

class Fixture implements RefusedFixture<Change> {
  readonly cluster: ImagePullJobCluster;
  readonly owner = imagePullJobs;
  readonly isOrdered = false;
  readonly reservesBudget = false;
  /** No node is out of service because of a job. */
  readonly demand: Demand = { wanted: 0, budget: Infinity };
  readonly available = 0;
  readonly #shape: Shape;
  readonly #uid: string;
  #warned = new Map<object, number>();

  constructor(shape: Shape, options: ClusterOptions) {
    this.#shape = shape;
    const { type, parallelism, hasSecret, activeDeadlineSeconds, ttlSecondsAfterFinished } = shape;
    const ends = {
      ...(activeDeadlineSeconds === undefined ? {} : { activeDeadlineSeconds }),
      ...(ttlSecondsAfterFinished === undefined ? {} : { ttlSecondsAfterFinished }),
    };
    const spec = {
      image: `nginx:${firstTag}`,
      parallelism,
      completionPolicy: { type, ...(type === 'Always' ? ends : {}) },
      ...(hasSecret ? { pullSecrets: ['s'] } : {}),
    };
    const fails = (image: string, node: string): boolean => image === `nginx:${brokenTag}` && slotOfNode(node) === 0;
    this.cluster = new ImagePullJobCluster(spec, shape.nodes, { ...options, agents: { fails } });
    this.#uid = this.cluster.found?.metadata.uid ?? '';
  }

  get pending(): readonly number[] {
    if (this.#isOver) return [];
    return this.cluster.nodeImages.filter((nodeImage) => this.#phaseOf(nodeImage) !== 'done').map(slotOf);
  }

  get causes(): readonly string[] {
    return this.cluster.managers
      .flatMap((manager) => manager.events.slice(this.#warned.get(manager) ?? 0).filter(({ type }) => type === 'Warning'))
      .map(({ reason }) => reason);
  }

  /** A job that runs has its tasks on every node, counts them, and shares one secret; one that is over has neither finalizer nor secret. */
  get leftovers(): readonly string[] {
    const job = this.cluster.found;
    if (job === undefined || this.#isOver)
      return [
        ...(this.cluster.copies.length === 0 ? [] : ['a copy of a secret is left']),
        ...(job?.metadata.finalizers ?? []).map((finalizer) => `the finalizer ${finalizer} is left`),
      ];
    const missing = this.cluster.nodeImages
      .filter((nodeImage) => this.#phaseOf(nodeImage) !== 'done')
      .map(({ metadata }) => `${metadata.name} has no image`);
    const users = this.cluster.copies.map((copy) => usersOf(copy).join());
    return [
      ...this.cluster.nodeImages.flatMap((nodeImage) => this.#formerTags(nodeImage)),
      ...missing,
      ...this.#miscounted(job),
      ...(users.join(';') === (this.#shape.hasSecret ? key : '') ? [] : [`copies of secrets are used by [${users.join(';')}]`]),
      ...(this.cluster.copies.every(({ data }) => deepEqual(data, this.cluster.secret.data))
        ? []
        : ['the copy of the secret is out of date']),
      ...(this.#shape.type === 'Always' && this.cluster.nodeImages.length > 0 ? ['the job is not over'] : []),
    ];
  }

  /** No more nodes are asked than may pull at a time. */
  look(write?: FakeWrite): readonly string[] {
    const { call, before, after } = write ?? {};
    if (call?.type !== nodeImages || before === undefined || after === undefined) return [];
    const isAsked = this.#phaseOf(before as NodeImage) === 'unasked' && this.#phaseOf(after as NodeImage) === 'active';
    const active = this.cluster.nodeImages.filter((nodeImage) => this.#phaseOf(nodeImage) === 'active').length;
    const parallelism = Number(this.cluster.found?.spec.parallelism);
    return isAsked && active > parallelism ? [`${active} nodes pull, ${parallelism} may`] : [];
  }

  slotOf({ type, key: { name } }: FakeCall): number | undefined {
    return type?.plural === 'nodeimages' ? slotOfNode(name) : undefined;
  }

  apply(change: Change): void {
    this.cluster.doPullsEnd = true;
    if (change.kind === 'Secret') {
      if (change.what === 'Change') this.cluster.changeSecret();
      else void this.cluster.deleteCopies();
    } else if (change.kind === 'Node') {
      if (change.what === 'Add') this.cluster.addNode(`n${change.node}`);
      else void this.cluster.removeNode(`n${change.node}`);
    } else if (this.cluster.found !== undefined) {
      this.#change(change.kind === 'Image' ? { image: `nginx:${change.tag}` } : { parallelism: change.parallelism });
    }
  }

  answerHooks(): void {
    this.cluster.doPullsEnd = true;
  }

  undo(): void {
    if (this.cluster.found !== undefined) this.#change({ image: `nginx:${firstTag}`, parallelism: this.#shape.parallelism });
  }

  get #isOver(): boolean {
    const { found } = this.cluster;
    return found === undefined || found.status?.completionTime !== undefined;
  }

  get #tag(): string {
    return this.cluster.found?.spec.image.split(':')[1] ?? '';
  }

  #change(spec: Partial<ImagePullJob['spec']>): void {
    this.cluster.change(spec);
    if (spec.image !== undefined) this.#warned = new Map(this.cluster.managers.map((manager) => [manager, manager.events.length]));
  }

  /** A node that has not answered for a minute, such as while no process runs, does not count as one that pulls. */
  #isSilent({ createdAt }: ImageTagSpec): boolean {
    return this.cluster.clock.now() - (parseTime(createdAt) ?? 0) >= silenceMs;
  }

  #phaseOf(nodeImage: NodeImage): 'unasked' | 'silent' | 'active' | 'done' {
    const task = { name: 'nginx', tag: this.#tag };
    const tag = tagAt(nodeImage, task);
    if (tag?.ownerReferences?.some(({ uid }) => uid === this.#uid) !== true) return 'unasked';
    const status = tagStatusAt(nodeImage, task);
    if (status === undefined || versionOf(status) !== versionOf(tag)) return this.#isSilent(tag) ? 'silent' : 'active';
    return status.completionTime === undefined ? 'active' : 'done';
  }

  #formerTags(nodeImage: NodeImage): readonly string[] {
    return Object.entries(imagesOf(nodeImage)).flatMap(([name, image]) =>
      tagsOf(image)
        .filter(({ tag, ownerReferences = [] }) => tag !== this.#tag && ownerReferences.some(({ uid }) => uid === this.#uid))
        .map(({ tag }) => `${nodeImage.metadata.name} has the former task ${name}:${tag}`),
    );
  }

  #miscounted({ status }: ImagePullJob): readonly string[] {
    const statuses = this.cluster.nodeImages.map((nodeImage) => tagStatusAt(nodeImage, { name: 'nginx', tag: this.#tag })?.phase);
    const count = (phase: string): number => statuses.filter((one) => one === phase).length;
    const counted = { desired: statuses.length, succeeded: count('Succeeded'), failed: count('Failed'), active: 0 };
    return Object.entries(counted).flatMap(([name, value]) => {
      const held = (status as Readonly<Record<string, unknown>> | undefined)?.[name];
      return held === value ? [] : [`${name} is ${String(held)} instead of ${value}`];
    });
  }
}

export const refusedImagePullJobs: RefusedKind<Shape, Change> = {
  shapes: fc.record({
    nodes: fc.integer({ min: 3, max: 8 }),
    parallelism: fc.integer({ min: 1, max: 4 }),
    type: fc.constantFrom<Shape['type']>('Never', 'Never', 'Always'),
    hasSecret: fc.boolean(),
    activeDeadlineSeconds: fc.constantFrom(undefined, undefined, 700, 900),
    ttlSecondsAfterFinished: fc.constantFrom(undefined, 10, 60),
  }),
  changes: fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('Image' as const), tag: fc.integer({ min: 1, max: 4 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('Parallelism' as const), parallelism: fc.integer({ min: 1, max: 5 }) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('Secret' as const),
        what: fc.constantFrom<('Change' | 'DeleteCopy')[]>('Change', 'DeleteCopy'),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('Node' as const),
        what: fc.constantFrom<('Add' | 'Remove')[]>('Add', 'Remove'),
        node: fc.nat({ max: 9 }),
      }),
    },
  ),
  resources,
  refusals,
  begin: (shape, options) => new Fixture(shape, options),
};
