/** Budgets and the Pods under them, as a user of the API sees them. */
import { podUnavailableBudgets, type PodUnavailableBudget, type PodUnavailableBudgetSpec } from '@kruise/api';
import { ApiError, type Client } from '@kruise/kube';
import { isPodActive, isPodReady, pods, type KubeObject, type ObjectMeta, type Pod, type ResourceType } from '@kruise/objects';
import type { CloneSetWorld } from '../../apps/manager/src/int-tests/cloneset-world.testing.ts';
import { images } from './world.ts';

export const deployments: ResourceType<KubeObject> = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
};

/** Code and message of a refusal; 200 for what was done. */
export interface Answer {
  readonly code: number;
  readonly message: string;
}

export const answerOf = (work: Promise<unknown>): Promise<Answer> =>
  work.then(
    () => ({ code: 200, message: '' }),
    (error: unknown) => ({ code: error instanceof ApiError ? (error.code ?? 0) : 0, message: String(error) }),
  );

export class BudgetWorld {
  readonly #world: CloneSetWorld;

  constructor(world: CloneSetWorld) {
    this.#world = world;
  }

  get client(): Client {
    return this.#world.client;
  }

  key(name: string): { readonly namespace: string; readonly name: string } {
    return { namespace: this.#world.namespace, name };
  }

  until(what: string, holds: () => Promise<boolean>): Promise<void> {
    return this.#world.eventually(holds, what);
  }

  /** For the Pods of this app unless the spec says otherwise. */
  budget(app: string, spec: Partial<PodUnavailableBudgetSpec>, metadata: Partial<ObjectMeta> = {}): Promise<PodUnavailableBudget> {
    const selector = spec.targetRef === undefined ? { selector: { matchLabels: { app } } } : {};
    return this.client.create(podUnavailableBudgets, { metadata: { ...this.key(app), ...metadata }, spec: { ...selector, ...spec } });
  }

  change(name: string, spec: object): Promise<PodUnavailableBudget> {
    return this.client.patch(podUnavailableBudgets, this.key(name), { spec }, { type: 'merge' });
  }

  get(name: string): Promise<PodUnavailableBudget> {
    return this.client.get(podUnavailableBudgets, this.key(name));
  }

  /** Total, desired, current, allowed. */
  async numbers(name: string): Promise<string> {
    const { status, metadata } = await this.get(name);
    if (status === undefined || status.observedGeneration !== metadata.generation) return 'not yet';
    return [status.totalReplicas, status.desiredAvailable, status.currentAvailable, status.unavailableAllowed].join(' ');
  }

  untilNumbers(name: string, ...wanted: readonly number[]): Promise<void> {
    return this.until(`${name} shows ${wanted.join(' ')}`, async () => (await this.numbers(name)) === wanted.join(' '));
  }

  deployment(name: string, app: string, replicas: number): Promise<KubeObject> {
    const labels = { app, of: name };
    const spec = {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image: images.first }] },
      },
    };
    return this.client.create(deployments, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: this.key(name), spec } as KubeObject);
  }

  /** Ready Pods without a controller, which stay as they are. */
  async lonePods(app: string, count: number, container: object = {}): Promise<readonly string[]> {
    const names = Array.from({ length: count }, (_, i) => `${app}-${i}`);
    for (const name of names) {
      const spec = { terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image: images.first, ...container }] };
      await this.client.create(pods, { metadata: { ...this.key(name), labels: { app } }, spec });
    }
    await this.until(`the Pods of ${app} are ready and named`, async () => {
      const all = await this.podsOf(app);
      return all.length === count && all.every(isPodReady);
    });
    return names;
  }

  async podsOf(app: string): Promise<readonly Pod[]> {
    const { items } = await this.client.list(pods, { namespace: this.#world.namespace, labelSelector: `app=${app}` });
    return items.filter(isPodActive);
  }

  untilNamed(app: string): Promise<void> {
    return this.until(`the Pods of ${app} name their budget`, async () =>
      (await this.podsOf(app)).every(({ metadata }) => metadata.annotations?.['pub.kruise.io/related-pub'] !== undefined),
    );
  }

  evict(name: string): Promise<Answer> {
    return answerOf(this.client.evict(this.key(name)));
  }

  delete(name: string, dryRun = false): Promise<Answer> {
    return answerOf(this.client.delete(pods, this.key(name), { dryRun }));
  }

  patch(name: string, change: object, subresource?: string): Promise<Answer> {
    return answerOf(
      this.client.patch(pods, this.key(name), change, { type: 'strategic', ...(subresource === undefined ? {} : { subresource }) }),
    );
  }

  setImage(name: string, image: string): Promise<Answer> {
    return this.patch(name, { spec: { containers: [{ name: 'main', image }] } });
  }
}
