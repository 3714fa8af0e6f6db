/** ResourceDistributions on a real API server: what tests write, and what they wait for. */
import {
  resourceDistributions,
  type ResourceDistribution,
  type ResourceDistributionCondition,
  type ResourceDistributionTargets,
} from '@kruise/api';
import type { Client } from '@kruise/kube';
import { configMaps, namespaces, type KubeObject, type ObjectKey, type ResourceType } from '@kruise/objects';
import { eventually } from '@kruise/testing';
import { configMap, list } from '@kruise/kinds/resourcedistribution/testing';

/** A wait ends as soon as its condition holds, so only a fault takes this long, however slow the machine. */
const waitMs = 180_000;

export const key = (name: string): ObjectKey => ({ namespace: '', name });
export const named = (...names: readonly string[]): ResourceDistributionTargets => ({ includedNamespaces: list(...names) });
export const renamed = (base: { readonly metadata: object }, name: string): object => ({ ...base, metadata: { ...base.metadata, name } });

/** What the API server had against it; 'none' for what it has done. */
export const refusal = (made: Promise<unknown>): Promise<string> =>
  made.then(
    () => 'none',
    (error: Error) => error.message,
  );

export class RealDistributions {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  namespace(name: string, labels: Record<string, string> = {}): Promise<KubeObject> {
    return this.#client.create(namespaces, { metadata: { name, labels } });
  }

  make(name: string, targets: ResourceDistributionTargets, resource: object): Promise<ResourceDistribution> {
    return this.#client.create(resourceDistributions, { metadata: { name }, spec: { resource: resource as never, targets } });
  }

  /** Until the manager is asked, of whose address the API server learns a moment after its start: it refuses one whose targets are ambiguous. */
  untilRefusals(): Promise<void> {
    const ambiguous = { ...named('a'), excludedNamespaces: list('a') };
    return eventually(async () => (await refusal(this.make('probe', ambiguous, configMap))).includes('ambiguous targets'), waitMs);
  }

  change(name: string, spec: object): Promise<ResourceDistribution> {
    return this.#client.patch(resourceDistributions, key(name), { spec }, { type: 'merge' });
  }

  read(name: string): Promise<ResourceDistribution> {
    return this.#client.get(resourceDistributions, key(name));
  }

  /** Namespaces that have an object of the name. */
  async placesOf(name: string, type: ResourceType = configMaps): Promise<readonly string[]> {
    return (await this.#client.list(type, { fieldSelector: `metadata.name=${name}` })).items
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => metadata.namespace ?? '')
      .toSorted();
  }

  untilPlaces(name: string, places: readonly string[], type?: ResourceType): Promise<void> {
    return eventually(async () => (await this.placesOf(name, type)).join() === places.join(), waitMs);
  }

  /** @param counts desired, succeeded, failed; of what was written last */
  async untilCounts(name: string, ...counts: readonly number[]): Promise<void> {
    let seen = '';
    try {
      await eventually(async () => {
        const { metadata, status } = await this.read(name);
        seen = JSON.stringify(status);
        const now = [status?.desired ?? 0, status?.succeeded ?? 0, status?.failed ?? 0];
        return status?.observedGeneration === metadata.generation && now.join() === counts.join();
      }, waitMs);
    } catch {
      throw new Error(`${name} is not at ${counts.join()} but at ${seen}`);
    }
  }

  /** @param index of the six, in their order */
  async conditionOf(name: string, index: number): Promise<ResourceDistributionCondition | undefined> {
    return (await this.read(name)).status?.conditions?.[index];
  }
}
