/** A cluster in memory with namespaces, and a manager that distributes in it. */
import {
  resourceDistributions,
  type ResourceDistribution,
  type ResourceDistributionStatus,
  type ResourceDistributionTargets,
} from '@kruise/api';
import { configMaps, namespaces, type ConfigMap, type ResourceType } from '@kruise/objects';
import { InMemoryCluster } from '../../module/in-memory-cluster.testing.ts';
import { resourceDistributionController } from './controller.ts';
import { aDistribution, aNamespace, configMap } from '@kruise/kinds/resourcedistribution/testing';

const gates = { ResourceDistributionGate: true };
export const distributionKey = (name = 'dist') => ({ namespace: '', name });

export class DistributionCluster extends InMemoryCluster {
  constructor(names: readonly string[] = []) {
    super(resourceDistributionController, { gates });
    for (const name of names) this.namespace(name);
  }

  namespace(name: string, labels: Record<string, string> = {}): void {
    this.api.seed(namespaces, aNamespace(name, labels));
  }

  /** With everything in it, as its controller would leave it. */
  async removeNamespace(name: string): Promise<void> {
    for (const { metadata } of this.api.peekAll(configMaps, name))
      await this.api.delete(configMaps, { namespace: name, name: metadata.name });
    await this.api.delete(namespaces, { namespace: '', name });
  }

  distribute(targets: ResourceDistributionTargets, resource: object = configMap, name = 'dist'): void {
    const { uid: _uid, generation: _generation, ...metadata } = aDistribution(targets, resource, { name }).metadata;
    this.api.seed(resourceDistributions, { ...aDistribution(targets, resource), metadata });
  }

  async change(spec: object, name = 'dist'): Promise<void> {
    await this.api.patch(resourceDistributions, distributionKey(name), { spec }, { type: 'merge' });
  }

  get distribution(): ResourceDistribution | undefined {
    return this.api.peek(resourceDistributions, distributionKey());
  }

  status(name = 'dist'): ResourceDistributionStatus | undefined {
    return this.api.peek(resourceDistributions, distributionKey(name))?.status;
  }

  /** desired, succeeded, failed. */
  counts(name = 'dist'): readonly number[] {
    const { desired = 0, succeeded = 0, failed = 0 } = this.status(name) ?? {};
    return [desired, succeeded, failed];
  }

  /** Conditions that say something is wrong, as `Type: namespaces`. */
  wrong(name = 'dist'): readonly string[] {
    return (this.status(name)?.conditions ?? [])
      .filter(({ status }) => status === 'True')
      .map(({ type, failedNamespaces = [] }) => `${type}: ${failedNamespaces.join()}`);
  }

  copy(namespace: string, name = 'settings'): ConfigMap | undefined {
    return this.api.peek(configMaps, { namespace, name });
  }

  /** Namespaces that have an object of the name. */
  places(type: ResourceType = configMaps, name = 'settings'): readonly string[] {
    return this.api
      .peekAll(type)
      .filter(({ metadata }) => metadata.name === name)
      .map(({ metadata }) => metadata.namespace ?? '');
  }

  /** Writes so far, statuses included. */
  get writes(): number {
    return this.api.calls.filter(({ verb }) => ['create', 'update', 'patch', 'delete'].includes(verb)).length;
  }
}
