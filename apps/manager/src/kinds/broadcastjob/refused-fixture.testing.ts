/** Any write of the BroadcastJob controller may be refused, and its process may die between two writes, while nodes come and go. */
import { broadcastJobs, conditionTypes } from '@kruise/api';
import type { FakeCall, FakeWrite } from '@kruise/kube/testing';
import { isPodActive, nodes, pods, type Pod } from '@kruise/objects';
import { nodeOf } from '@kruise/pods';
import fc from 'fast-check';
import type { ClusterOptions } from '../../module/controller-cluster.testing.ts';
import type { Demand } from '../../refused-writes/outage-oracle.testing.ts';
import type { RefusedFixture, RefusedKind } from '../../refused-writes/refused-run.testing.ts';
import { slotCount } from '../../refused-writes/refusals.testing.ts';
import { isOver, BroadcastJobCluster } from './cluster.testing.ts';

const nodeNames = ['n0', 'n1', 'n2', 'n3', 'n4', 'n5'];
const ttlSeconds = 30;

interface Shape {
  readonly parallelism: number | undefined;
  readonly ending: 'Never' | 'Always' | 'Expires';
  /** Nodes on which the Pod runs until the user ends it. */
  readonly slow: readonly string[];
}
type Change =
  | { readonly kind: 'Close' | 'Open' | 'Leave' | 'Slow' | 'Fast' | 'Break'; readonly node: string }
  | { readonly kind: 'Parallelism'; readonly parallelism: number };

const slotOfNode = (node: string): number => nodeNames.indexOf(node) % slotCount;

class Fixture implements RefusedFixture<Change> {
  readonly cluster: BroadcastJobCluster;
  readonly owner = broadcastJobs;
  readonly isOrdered = false;
  readonly reservesBudget = false;
  readonly #shape: Shape;
  readonly #closed = new Set<string>();
  readonly #closedAt = new Map<string, number>();

  constructor(shape: Shape, options: ClusterOptions) {
    this.#shape = shape;
    const { parallelism, ending, slow } = shape;
    const ttl = ending === 'Expires' ? { ttlSecondsAfterFinished: ttlSeconds } : {};
    this.cluster = new BroadcastJobCluster(
      {
        completionPolicy: { type: ending === 'Never' ? 'Never' : 'Always', ...ttl },
        failurePolicy: { type: 'Continue' },
        ...(parallelism === undefined ? {} : { parallelism }),
        paused: true,
      },
      { ...options, nodes: nodeNames },
    );
    for (const node of slow) this.cluster.slow.add(node);
  }

  /** Room for Pods: those that run use it up, and so does one without a place whose node opens again. */
  get demand(): Demand {
    return { wanted: this.#parallelism, budget: this.#parallelism, of: [...this.#closed].sort().join() };
  }

  get available(): number {
    return this.#parallelism - this.#running.length;
  }

  /** Nodes on which the work is not done and could be, and those on which a Pod has no place any more. */
  get pending(): readonly number[] {
    if (this.#isOver) return this.#misplaced.map((pod) => slotOfNode(nodeOf(pod) ?? ''));
    const missing = this.#desired.filter((node) => this.#podsOn(node).length === 0);
    return [...missing, ...this.#misplaced.map((pod) => nodeOf(pod) ?? '')].map(slotOfNode);
  }

  get miscounted(): readonly string[] {
    const { cluster } = this;
    if (cluster.found === undefined || this.#isOver) return [];
    const of = (phase: string): number => cluster.pods.filter(({ status }) => status?.phase === phase).length;
    const active = cluster.pods.filter((pod) => !isOver(pod) && isPodActive(pod)).length;
    const expected = `running: desired ${this.#counted.length}, active ${active}, succeeded ${of('Succeeded')}, failed ${of('Failed')}`;
    return cluster.summary === expected ? [] : [`the status is ${cluster.summary}, not ${expected}`];
  }

  get leftovers(): readonly string[] {
    const { cluster } = this;
    if (this.#shape.ending === 'Expires')
      return cluster.found === undefined && cluster.pods.length === 0 ? [] : ['the job has not expired'];
    const undone = this.#isOver ? [] : this.#desired.filter((node) => !this.#podsOn(node).some(isOver));
    return [
      ...undone.map((node) => `the work on ${node} is not done`),
      ...this.#misplaced.map(({ metadata }) => `${metadata.name} has no place any more`),
      ...(this.#shape.ending === 'Never' || this.#isOver ? [] : ['the job is not complete']),
      ...this.miscounted,
      ...cluster.conditions.filter((condition) => condition.startsWith(conditionTypes.blocked)),
    ];
  }

  look(write?: FakeWrite): readonly string[] {
    if (write?.call.verb !== 'create' || write.call.type !== pods || write.refused !== undefined) return [];
    const node = nodeOf(write.after as Pod) ?? '';
    return [
      ...(this.#podsOn(node).length > 1 ? [`${node} has two Pods`] : []),
      ...(this.#running.length > this.#parallelism ? [`${this.#running.length} Pods run with a parallelism of ${this.#parallelism}`] : []),
      ...(this.#isKnownClosed(node) ? [`${write.after?.metadata.name} was created on ${node}, which is closed`] : []),
    ];
  }

  slotOf({ type, key, body }: FakeCall): number | undefined {
    if (type !== pods) return undefined;
    const pod = this.cluster.api.peek(pods, key) ?? (body as Pod | undefined);
    const node = pod?.metadata === undefined ? undefined : nodeOf(pod);
    return node === undefined ? undefined : slotOfNode(node);
  }

  async apply(change: Change): Promise<void> {
    const { cluster } = this;
    if (cluster.found === undefined) return;
    if (change.kind === 'Parallelism') cluster.change({ parallelism: change.parallelism });
    else await this.#changeNode(change);
    // The job begins with the first change, so that refusals meet its first Pods.
    if (cluster.job.spec.paused === true) cluster.change({ paused: false });
  }

  /** Pods that have a place run to their end. */
  answerHooks(): void {
    for (const node of nodeNames) if (!this.#closed.has(node)) this.cluster.slow.delete(node);
    if (this.cluster.found !== undefined && this.cluster.job.spec.paused === true) this.cluster.change({ paused: false });
  }

  undo(): void {
    for (const node of nodeNames) this.#open(node);
    this.cluster.slow.clear();
    this.cluster.broken.clear();
  }

  async #changeNode({ kind, node }: Exclude<Change, { readonly kind: 'Parallelism' }>): Promise<void> {
    const { cluster } = this;
    if (kind === 'Open') this.#open(node);
    else if (kind === 'Slow') cluster.slow.add(node);
    else if (kind === 'Fast') cluster.slow.delete(node);
    else if (kind === 'Break') cluster.broken.add(node);
    else await this.#close(this.#busyNode(node), kind);
  }

  #open(node: string): void {
    this.#closed.delete(node);
    this.cluster.node(node);
  }

  /** A node with a Pod that runs, if there is one: only such a Pod has no place any more when its node closes. */
  #busyNode(node: string): string {
    const busy = this.#running.map((pod) => nodeOf(pod) ?? '');
    return busy[nodeNames.indexOf(node) % busy.length] ?? node;
  }

  /** The Pod of the node keeps running, unless the controller deletes it. A deleted node cannot be closed. */
  async #close(node: string, kind: 'Close' | 'Leave'): Promise<void> {
    if (this.cluster.api.peek(nodes, { namespace: '', name: node }) === undefined) return;
    this.#closed.add(node);
    this.#closedAt.set(node, this.cluster.clock.now());
    this.cluster.slow.add(node);
    if (kind === 'Close') this.cluster.node(node, { spec: { unschedulable: true } });
    else await this.cluster.removeNode(node);
  }

  /** News of different kinds come in any order: of a node that closes in the same moment as something else changes the controller may hear later. */
  #isKnownClosed(node: string): boolean {
    return this.#closed.has(node) && (this.#closedAt.get(node) ?? 0) < this.cluster.clock.now();
  }

  get #parallelism(): number {
    return Number(this.cluster.found?.spec.parallelism ?? nodeNames.length);
  }

  get #isOver(): boolean {
    return this.cluster.found?.status?.completionTime !== undefined || this.cluster.found === undefined;
  }

  #podsOn(node: string): readonly Pod[] {
    return this.cluster.pods.filter((pod) => nodeOf(pod) === node);
  }

  get #desired(): readonly string[] {
    return nodeNames.filter((node) => !this.#closed.has(node));
  }

  /** Of a node that closed after its Pod had ended the work is done. */
  get #counted(): readonly string[] {
    const isThere = (node: string): boolean => this.cluster.api.peek(nodes, { namespace: '', name: node }) !== undefined;
    return nodeNames.filter((node) => isThere(node) && (!this.#closed.has(node) || this.#podsOn(node).some((pod) => !isPodActive(pod))));
  }

  get #misplaced(): readonly Pod[] {
    return this.cluster.pods.filter((pod) => isPodActive(pod) && this.#closed.has(nodeOf(pod) ?? ''));
  }

  /** Pods that have a place. */
  get #running(): readonly Pod[] {
    return this.cluster.pods.filter((pod) => isPodActive(pod) && !this.#closed.has(nodeOf(pod) ?? ''));
  }
}

const node = fc.constantFrom(...nodeNames);

export const refusedBroadcastJobs: RefusedKind<Shape, Change> = {
  shapes: fc.record({
    parallelism: fc.constantFrom(undefined, 1, 2),
    ending: fc.constantFrom<Shape['ending']>('Never', 'Always', 'Expires'),
    slow: fc.uniqueArray(node, { maxLength: 6 }),
  }),
  changes: fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('Close' as const, 'Leave' as const), node }) },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constantFrom('Open' as const, 'Slow' as const, 'Fast' as const, 'Break' as const), node }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('Parallelism' as const), parallelism: fc.integer({ min: 1, max: 3 }) }) },
  ),
  // The controller never changes a Pod.
  writes: [
    { verb: 'create', subresource: '' },
    { verb: 'delete', subresource: '' },
    { verb: 'change', subresource: 'status' },
  ],
  resources: ['broadcastjobs'],
  begin: (shape, options) => new Fixture(shape, options),
};
