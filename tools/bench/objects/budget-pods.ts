/** Pods of one namespace, bound to no node: only this program writes their status, and a deletion removes them at once. */
import { podUnavailableBudgetAnnotations, podUnavailableBudgets } from '@kruise/api';
import { isFailure, type Client } from '@kruise/kube';
import { pods as podType, type KubeObject, type Pod, type ResourceType } from '@kruise/objects';
import { eventually } from '@kruise/testing';
import { each } from '../each.ts';
import { cloneSet, workload } from './workloads.ts';

const replicaSets: ResourceType<KubeObject> = { group: 'apps', version: 'v1', kind: 'ReplicaSet', plural: 'replicasets', namespaced: true };

const underBudget = (name: string): Readonly<Record<string, string>> => ({
  [podUnavailableBudgetAnnotations.relatedPub]: name,
  [podUnavailableBudgetAnnotations.legacyRelatedPub]: name,
});

export class BudgetPods {
  readonly #client: Client;
  readonly #namespace: string;

  constructor(client: Client, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  /** Creates ready Pods. @returns their names */
  async create(
    app: string,
    count: number,
    more: Pick<Pod['metadata'], 'annotations' | 'ownerReferences'> = {},
  ): Promise<readonly string[]> {
    const spec = { ...cloneSet(1).spec.template.spec, schedulerName: 'nobody' };
    const names = Array.from({ length: count }, (_, at) => `${app}-${at}`);
    await each(count, async (at) => {
      const metadata = { name: names[at] ?? '', namespace: this.#namespace, labels: { app }, ...more };
      await this.#client.create(podType, { metadata, spec } as unknown as Pod);
      await this.setReady(metadata.name, 'True');
    });
    return names;
  }

  /** A workload, its Pods, and the budget for them. @returns the names of the Pods, once the budget counts all of them */
  async createWithBudget(app: string, count: number): Promise<readonly string[]> {
    const key = { namespace: this.#namespace, name: app };
    const { metadata } = await this.#client.create(replicaSets, { ...workload(replicaSets, app, { replicas: count }), metadata: key });
    const budget = { selector: { matchLabels: { app } }, maxUnavailable: '80%' };
    await this.#client.create(podUnavailableBudgets, { metadata: key, spec: budget });
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: app, uid: metadata.uid ?? '', controller: true };
    const names = await this.create(app, count, { annotations: underBudget(app), ownerReferences: [owner] });
    await eventually(async () => {
      const { status } = await this.#client.get(podUnavailableBudgets, key);
      return status?.currentAvailable === count && status.totalReplicas === count;
    });
    return names;
  }

  /** Until the API server calls the webhook for evictions here, which is when one that may not happen is refused. */
  async untilGuarded(): Promise<void> {
    const app = 'guard';
    const budget = { selector: { matchLabels: { app } }, minAvailable: 1, protectTotalReplicas: 1 };
    await this.#client.create(podUnavailableBudgets, { metadata: { namespace: this.#namespace, name: app }, spec: budget });
    const [name = ''] = await this.create(app, 1, { annotations: underBudget(app) });
    await eventually(async () => !(await this.evict(name, { dryRun: true })));
  }

  async setReady(name: string, status: 'True' | 'False'): Promise<void> {
    const readiness = { status: { phase: 'Running', conditions: [{ type: 'Ready', status }] } };
    await this.#client.patch(podType, { namespace: this.#namespace, name }, readiness, { type: 'strategic', subresource: 'status' });
  }

  /** @returns whether it was allowed; it is refused if no replica can charge the budget in time */
  async evict(name: string, options: { readonly dryRun?: boolean } = {}): Promise<boolean> {
    try {
      await this.#client.evict({ namespace: this.#namespace, name }, { gracePeriodSeconds: 0, ...options });
      return true;
    } catch (error) {
      if (isFailure(error, 'TooManyRequests')) return false;
      throw error;
    }
  }
}
