/** Workloads that are spread, and their Pods, in a namespace of their own, as a user of the API sees them. */
import {
  cloneSets,
  annotations,
  workloadSpreadAnnotations,
  workloadSpreads,
  type WorkloadSpread,
  type WorkloadSpreadStatus,
  type WorkloadSpreadSubset,
} from '@kruise/api';
import type { Client } from '@kruise/kube';
import {
  deepEqual,
  formatTime,
  instant,
  isPodActive,
  memberAt,
  nodes,
  parseJsonText,
  pods,
  type KubeObject,
  type OwnerReference,
  type Pod,
  type ResourceType,
} from '@kruise/objects';
import { expect } from '@jest/globals';
import { patiently } from './patiently.testing.ts';
import { WorkloadWorld } from './workload-world.testing.ts';

export type Subset = WorkloadSpreadSubset;

export interface SpreadSettings {
  readonly client: Client;
  readonly namespace: string;
  /** Of every container; the second is what updates bring. */
  readonly images: { readonly first: string; readonly second: string };
  /** Label of nodes that these tests alone set; the values are `a` and `b`. */
  readonly zoneLabel: string;
}

export class SpreadWorld extends WorkloadWorld<WorkloadSpread> {
  readonly images: SpreadSettings['images'];
  readonly zoneLabel: string;
  #markers = 0;

  constructor({ client, namespace, images, zoneLabel }: SpreadSettings) {
    super(workloadSpreads, client, namespace);
    this.images = images;
    this.zoneLabel = zoneLabel;
  }

  key(name: string): { readonly namespace: string; readonly name: string } {
    return { namespace: this.namespace, name };
  }

  /** The first node that takes Pods is zone a, all others are zone b. */
  async labelNodes(value?: null): Promise<void> {
    const { items } = await this.client.list(nodes);
    const open = items.filter(({ spec }) => (spec?.taints ?? []).length === 0).map(({ metadata }) => metadata.name);
    for (const [index, name] of open.toSorted().entries()) {
      const zone = value === null ? null : index === 0 ? 'a' : 'b';
      await this.client.patch(nodes, { namespace: '', name }, { metadata: { labels: { [this.zoneLabel]: zone } } }, { type: 'merge' });
    }
  }

  zone(name: string): NonNullable<Subset['requiredNodeSelector']> {
    return { matchExpressions: [{ key: this.zoneLabel, operator: 'In', values: [name] }] };
  }

  spread(
    target: ResourceType,
    name: string,
    subsets: readonly Subset[],
    more: Partial<WorkloadSpread['spec']> = {},
  ): Promise<WorkloadSpread> {
    return patiently(() => this.client.create(workloadSpreads, this.spreadOf(target, name, subsets, more)));
  }

  spreadOf(
    { group, version, kind }: ResourceType,
    name: string,
    subsets: readonly Subset[],
    more: Partial<WorkloadSpread['spec']> = {},
  ): WorkloadSpread {
    const targetRef = { apiVersion: `${group}/${version}`, kind, name };
    return { metadata: this.key(name), spec: { targetRef, subsets: [...subsets], ...more } };
  }

  template(name: string, more: object = {}): object {
    return {
      metadata: { labels: { app: name } },
      spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image: this.images.first }], ...more },
    };
  }

  /** A workload with a selector of labels. */
  workload(type: ResourceType, name: string, replicas: number, more: object = {}): Promise<KubeObject> {
    const spec = { replicas, selector: { matchLabels: { app: name } }, template: this.template(name), ...more };
    return this.client.create(type, { metadata: this.key(name), spec } as KubeObject);
  }

  change(type: ResourceType, name: string, change: object): Promise<KubeObject> {
    return this.client.patch(type, this.key(name), change, { type: 'merge' });
  }

  /** Waits until the workload counts so many ready Pods: those that are not ready would be deleted first, whatever they cost. */
  async untilReady(
    type: ResourceType<KubeObject & { readonly status?: { readonly readyReplicas?: number } }>,
    name: string,
    count: number,
  ): Promise<void> {
    const ready = async (): Promise<number> => (await this.client.get(type, this.key(name))).status?.readyReplicas ?? 0;
    await this.settles(`ready Pods of ${name}`, ready, count);
  }

  /**
   * Waits until the manager has seen the Pods as they are now: what happens to a Pod that is made afterwards reaches it later, by the same watch. That takes
   * so long that every replica knows by then of a WorkloadSpread that was made just before.
   */
  async untilPodsAreSeen(): Promise<void> {
    this.#markers += 1;
    const name = `marker-${this.#markers}`;
    await this.workload(cloneSets, name, 1);
    await this.untilReady(cloneSets, name, 1);
    await this.client.delete(cloneSets, this.key(name));
  }

  scale(type: ResourceType, name: string, replicas: number): Promise<KubeObject> {
    return this.change(type, name, { spec: { replicas } });
  }

  ownerOf({ group, version, kind }: ResourceType, { metadata }: KubeObject): OwnerReference {
    return { apiVersion: `${group}/${version}`, kind, name: metadata.name, uid: metadata.uid ?? '', controller: true };
  }

  podOf(name: string, app: string, owner?: OwnerReference, spec: object = {}): Pod {
    const named = name.endsWith('-') ? { generateName: name } : { name };
    const ownerReferences = owner === undefined ? {} : { ownerReferences: [owner] };
    return {
      metadata: { namespace: this.namespace, labels: { app }, ...named, ...ownerReferences },
      spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image: this.images.first }], ...spec },
    } as unknown as Pod;
  }

  /** Pods that are neither finished nor terminating, of any owner. */
  async active(app: string): Promise<readonly Pod[]> {
    return (await this.client.list(pods, { namespace: this.namespace, labelSelector: `app=${app}` })).items.filter(isPodActive);
  }

  subsetOf({ metadata }: Pod): string {
    const text = metadata.annotations?.[workloadSpreadAnnotations.matched];
    return text === undefined ? 'none' : String(memberAt(parseJsonText(text), 'subset'));
  }

  costOf({ metadata }: Pod): string {
    return metadata.annotations?.[annotations.podDeletionCost] ?? '';
  }

  /** Active Pods with subset and deletion cost, such as `a 200`, each with its number. */
  async shown(app: string): Promise<Readonly<Record<string, number>>> {
    const counts: Record<string, number> = {};
    for (const pod of await this.active(app)) {
      const text = `${this.subsetOf(pod)} ${this.costOf(pod)}`.trim();
      counts[text] = (counts[text] ?? 0) + 1;
    }
    return counts;
  }

  async status(name: string): Promise<WorkloadSpreadStatus> {
    return (await this.get(name)).status ?? {};
  }

  /** Writes a time of the status as if it were so many seconds ago. @param path from the status, as in a JSON patch */
  async setBack(name: string, path: string, seconds: number): Promise<void> {
    const change = [{ op: 'replace', path: `/status/${path}`, value: formatTime(instant(Date.now() - seconds * 1000)) }];
    await this.client.patch(workloadSpreads, this.key(name), change, { type: 'json', subresource: 'status' });
  }

  /** Of every subset over all versions: its Pods, and what it misses. */
  async counted(name: string): Promise<readonly string[]> {
    return ((await this.status(name)).subsetStatuses ?? []).map((state) => `${state.name} ${state.replicas}/${state.missingReplicas}`);
  }

  /** Waits for what is read to be so; fails with what was read last. */
  async settles<T>(what: string, read: () => Promise<T>, then: T): Promise<void> {
    let last: T | undefined;
    await this.eventually(async () => deepEqual((last = await read()), then), what).catch(() => undefined);
    expect({ what, is: last }).toEqual({ what, is: then });
  }

  untilCounted(name: string, ...then: readonly string[]): Promise<void> {
    return this.settles(`the counters of ${name}`, () => this.counted(name), then);
  }

  untilShown(app: string, then: Readonly<Record<string, number>>): Promise<void> {
    return this.settles(`the Pods of ${app}`, () => this.shown(app), then);
  }

  /** The message of a refusal; 'none' when the object is let in, or would be. */
  refusal(object: WorkloadSpread): Promise<string> {
    return this.client.create(workloadSpreads, object, { dryRun: true }).then(
      () => 'none',
      (error: Error) => error.message,
    );
  }

  /** Records every status after the present one. `stop` waits until the watch has delivered the latest one, and returns all. */
  async watchStatuses(name: string): Promise<{ stop(): Promise<readonly WorkloadSpreadStatus[]> }> {
    const { resourceVersion = '' } = (await this.get(name)).metadata;
    const abort = new AbortController();
    const seen: WorkloadSpreadStatus[] = [];
    let seenVersion = Number(resourceVersion);
    const watching = (async () => {
      const fieldSelector = `metadata.name=${name}`;
      const watch = this.client.watch(workloadSpreads, { namespace: this.namespace, fieldSelector, resourceVersion, signal: abort.signal });
      for await (const event of watch) {
        if (event.type === 'BOOKMARK') continue;
        seen.push(event.object.status ?? {});
        seenVersion = Number(event.object.metadata.resourceVersion);
      }
    })().catch(() => undefined);
    return {
      stop: async () => {
        const latest = Number((await this.get(name)).metadata.resourceVersion);
        await this.eventually(() => Promise.resolve(seenVersion >= latest), 'the watch has delivered the latest status');
        abort.abort();
        await watching;
        return seen;
      },
    };
  }
}
