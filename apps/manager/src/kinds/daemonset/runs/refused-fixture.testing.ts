/** Any write of the DaemonSet controller may be refused, and its process may die between two writes. */
import { conditionTypes, daemonSets } from '@kruise/api';
import type { FakeCall } from '@kruise/kube/testing';
import { isPodReady, pods, type Pod } from '@kruise/objects';
import { nodeOf } from '@kruise/pods';
import fc from 'fast-check';
import type { ClusterOptions } from '../../../module/controller-cluster.testing.ts';
import { answerHooks, heldLabels, lifecycleOf, type HookShape } from '../../../refused-writes/hook-program.testing.ts';
import { isServing } from '../../../refused-writes/is-serving.testing.ts';
import type { Demand } from '../../../refused-writes/outage-oracle.testing.ts';
import { podLeftovers } from '../../../refused-writes/pod-leftovers.testing.ts';
import type { RefusedFixture, RefusedKind } from '../../../refused-writes/refused-run.testing.ts';
import { slotCount } from '../../../refused-writes/refusals.testing.ts';
import { DaemonSetCluster } from '../cluster.testing.ts';

const nodeNames = ['n0', 'n1', 'n2', 'n3', 'n4', 'n5'];
const firstImage = 'app:1';

interface Shape extends HookShape {
  readonly inPlace: boolean;
  readonly maxUnavailable: number;
}
type Change =
  | { readonly kind: 'Image'; readonly image: number }
  | { readonly kind: 'Limit'; readonly maxUnavailable: number }
  | { readonly kind: 'LetGo' };

class Fixture implements RefusedFixture<Change> {
  readonly cluster: DaemonSetCluster;
  readonly isOrdered = false;
  readonly reservesBudget = false;
  readonly owner = daemonSets;
  /** Nodes whose Pod was not available when the template changed: such a Pod is replaced beside the budget (spec/daemonset.md 5.6). */
  readonly #exempt = new Set<string>();
  #maxUnavailable: number;

  constructor(shape: Shape, options: ClusterOptions) {
    const { inPlace, maxUnavailable } = shape;
    this.#maxUnavailable = maxUnavailable;
    const rollingUpdateType = inPlace ? 'InPlaceIfPossible' : 'Standard';
    const template = {
      metadata: { labels: { app: 'agent', ...heldLabels(shape) } },
      spec: { containers: [{ name: 'main', image: firstImage }] },
    };
    const spec = { ...lifecycleOf(shape), template };
    this.cluster = new DaemonSetCluster({ rollingUpdate: { rollingUpdateType, maxUnavailable }, spec }, { ...options, nodes: nodeNames });
  }

  get demand(): Demand {
    return { wanted: nodeNames.length, budget: this.#maxUnavailable };
  }

  get available(): number {
    for (const node of this.#exempt) if (this.#serves(node)) this.#exempt.delete(node);
    return nodeNames.filter((node) => this.#exempt.has(node) || this.#serves(node)).length;
  }

  get serving(): number {
    return nodeNames.filter((node) => this.#serves(node)).length;
  }

  get pending(): readonly number[] {
    const isDone = (node: string): boolean => {
      const [pod, ...others] = this.cluster.podsOn(node);
      return pod !== undefined && others.length === 0 && isPodReady(pod) && pod.spec.containers[0]?.image === this.#image;
    };
    return nodeNames.flatMap((node, index) => (isDone(node) ? [] : [index % slotCount]));
  }

  get leftovers(): readonly string[] {
    return [
      ...nodeNames.filter((node) => this.cluster.podsOn(node).length !== 1).map((node) => `${node} does not have one Pod`),
      ...this.cluster.pods.flatMap((pod) => podLeftovers(pod, firstImage)),
      ...this.cluster.conditions.filter((condition) => condition.startsWith(conditionTypes.blocked)),
    ];
  }

  slotOf({ type, key, body }: FakeCall): number | undefined {
    const pod = key.name === '' ? (body as Pod) : this.cluster.api.peek(pods, key);
    const index = type !== pods || pod === undefined ? -1 : nodeNames.indexOf(nodeOf(pod) ?? '');
    return index < 0 ? undefined : index % slotCount;
  }

  apply(change: Change): void {
    if (change.kind === 'Image') return this.#changeImage(`app:${change.image}`);
    if (change.kind === 'LetGo') return this.#letGo();
    this.#maxUnavailable = change.maxUnavailable;
    this.cluster.roll({ maxUnavailable: change.maxUnavailable });
  }

  answerHooks(): void {
    this.cluster.onTick = () => this.#letGo();
  }

  undo(): void {
    this.#changeImage(firstImage);
  }

  #letGo(): void {
    answerHooks(this.cluster.pods, (pod) => this.cluster.setPod(pod, () => pod));
  }

  #changeImage(image: string): void {
    for (const node of nodeNames) if (!this.#serves(node)) this.#exempt.add(node);
    this.cluster.changeImage(image);
  }

  #serves(node: string): boolean {
    return this.cluster.podsOn(node).some(isServing);
  }

  get #image(): string | undefined {
    return this.cluster.set.spec.template.spec?.containers[0]?.image;
  }
}

export const refusedDaemonSets: RefusedKind<Shape, Change> = {
  shapes: fc.record({
    inPlace: fc.boolean(),
    maxUnavailable: fc.integer({ min: 1, max: 3 }),
    hook: fc.constantFrom<Shape['hook']>('None', 'preDelete'),
    markPodNotReady: fc.boolean(),
  }),
  changes: fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('Image' as const), image: fc.integer({ min: 1, max: 4 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('Limit' as const), maxUnavailable: fc.integer({ min: 1, max: 3 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('LetGo' as const) }) },
  ),
  resources: ['controllerrevisions', 'daemonsets'],
  losesNews: true,
  begin: (shape, options) => new Fixture(shape, options),
};
