/** Budgets and the Pods under them, as a user of the API sees them. */
import { podUnavailableBudgets, type PodUnavailableBudget, type PodUnavailableBudgetSpec } from '@kruise/api';
import { ApiError, isFailure, unlessDeleted, type Client } from '@kruise/kube';
import {
  customResourceDefinitions,
  isPodActive,
  isPodReady,
  pods,
  type KubeObject,
  type ObjectMeta,
  type OwnerReference,
  type Pod,
  type ResourceType,
} from '@kruise/objects';
import { succeeds } from '@kruise/testing';
import { patiently } from '../../apps/manager/src/int-tests/fixtures/patiently.testing.ts';
import type { WorkloadFixture } from '../../apps/manager/src/int-tests/fixtures/workload-fixture.testing.ts';
import { images } from './fixture.ts';

export const deployments: ResourceType<KubeObject> = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
};

const rolls: ResourceType = { group: 'budget.example.com', version: 'v1', kind: 'Roll', plural: 'rolls', namespaced: true };

const rollCrd = {
  metadata: { name: 'rolls.budget.example.com' },
  spec: {
    group: rolls.group,
    names: { kind: rolls.kind, plural: rolls.plural, singular: 'roll', listKind: 'RollList' },
    scope: 'Namespaced',
    versions: [
      {
        name: rolls.version,
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        subresources: {
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas', labelSelectorPath: '.status.selector' },
        },
      },
    ],
  },
} as KubeObject;

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

/** The namespace of some workload's tests. */
type Surroundings = Pick<WorkloadFixture<KubeObject>, 'client' | 'namespace' | 'eventually'>;

export class BudgetFixture {
  readonly #fixture: Surroundings;

  constructor(fixture: Surroundings) {
    this.#fixture = fixture;
  }

  get client(): Client {
    return this.#fixture.client;
  }

  key(name: string): { readonly namespace: string; readonly name: string } {
    return { namespace: this.#fixture.namespace, name };
  }

  until(what: string, holds: () => Promise<boolean>): Promise<void> {
    return this.#fixture.eventually(holds, what);
  }

  /** For the Pods of this app unless the spec says otherwise. */
  budget(app: string, spec: Partial<PodUnavailableBudgetSpec>, metadata: Partial<ObjectMeta> = {}): Promise<PodUnavailableBudget> {
    const selector = spec.targetRef === undefined ? { selector: { matchLabels: { app } } } : {};
    const budget = { metadata: { ...this.key(app), ...metadata }, spec: { ...selector, ...spec } };
    return patiently(() => this.client.create(podUnavailableBudgets, budget));
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

  /** @param podSpec further members of the Pods' spec */
  deployment(name: string, app: string, replicas: number, podSpec: object = {}): Promise<KubeObject> {
    const labels = { app, of: name };
    const spec = {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image: images.first }], ...podSpec },
      },
    };
    return this.client.create(deployments, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: this.key(name), spec } as KubeObject);
  }

  /** Ready Pods that no controller recreates, numbered; of `owner` where there is one. */
  async lonePods(
    app: string,
    count: number,
    container: object = {},
    { from = 0, owner }: { readonly from?: number; readonly owner?: OwnerReference } = {},
  ): Promise<readonly string[]> {
    const names = Array.from({ length: count }, (_, i) => `${app}-${from + i}`);
    for (const name of names) {
      const spec = { terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image: images.first, ...container }] };
      const owned = owner === undefined ? {} : { ownerReferences: [owner] };
      await this.client.create(pods, { metadata: { ...this.key(name), labels: { app }, ...owned }, spec });
    }
    await this.until(`the Pods of ${app} are ready`, async () => {
      const all = await this.podsOf(app);
      return all.length === from + count && all.every(isPodReady);
    });
    return names;
  }

  /** Has the cluster serve a kind of workload that is known by its Scale alone. */
  async serveRolls(): Promise<void> {
    await this.client.create(customResourceDefinitions, rollCrd).catch((error: unknown) => {
      if (!isFailure(error, 'AlreadyExists')) throw error; // of an earlier try
    });
    const isServed = () => succeeds(this.client.list(rolls));
    await this.until('the kind is served', isServed);
  }

  async removeRolls(): Promise<void> {
    await unlessDeleted(this.client.delete(customResourceDefinitions, { namespace: '', name: rollCrd.metadata.name }));
  }

  /** @param app whose Pods its Scale selects. @returns the reference of Pods that it owns */
  async roll(name: string, replicas: number, app = name): Promise<OwnerReference> {
    const made = await this.client.create(rolls, {
      apiVersion: 'budget.example.com/v1',
      kind: rolls.kind,
      metadata: this.key(name),
      spec: { replicas },
      status: { replicas, selector: `app=${app}` },
    } as KubeObject);
    return { apiVersion: 'budget.example.com/v1', kind: rolls.kind, name, uid: made.metadata.uid ?? '', controller: true };
  }

  async podsOf(app: string): Promise<readonly Pod[]> {
    const { items } = await this.client.list(pods, { namespace: this.#fixture.namespace, labelSelector: `app=${app}` });
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
