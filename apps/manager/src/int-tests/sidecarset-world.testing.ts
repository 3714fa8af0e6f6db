/** SidecarSets and the Pods that they are injected into, in a namespace of their own, as a user of the API sees them. */
import { sidecarSets, type SidecarSet } from '@kruise/api';
import { events, pods, type Pod } from '@kruise/objects';
import { patiently } from './patiently.testing.ts';
import { isObserved, openNamespace, WorkloadWorld, type EventObject } from './workload-world.testing.ts';

export interface SidecarSetShape {
  readonly name: string;
  /** Of the only sidecar, which is the first container. */
  readonly image: string;
  readonly maxUnavailable: number;
}

const sidecarOf = (image: string) => ({ name: 'sidecar', image, podInjectPolicy: 'BeforeAppContainer' });

export class SidecarSetWorld extends WorkloadWorld<SidecarSet> {
  /** Creates the namespace. */
  static async create(kubeconfigPath: string, namespace: string): Promise<SidecarSetWorld> {
    return new SidecarSetWorld(sidecarSets, await openNamespace(kubeconfigPath, namespace), namespace);
  }

  apply({ name, image, maxUnavailable }: SidecarSetShape): Promise<SidecarSet> {
    const spec = {
      selector: { matchLabels: { app: name } },
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': this.namespace } },
      containers: [sidecarOf(image)],
      updateStrategy: { maxUnavailable },
    };
    const sidecarSet = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'SidecarSet', metadata: { name }, spec } as unknown as SidecarSet;
    return patiently(() => this.create(sidecarSet));
  }

  override get(name: string): Promise<SidecarSet> {
    return this.client.get(sidecarSets, { namespace: '', name });
  }

  /** A Pod without an owner. Tried without effect until the webhook injects the sidecar. */
  async createPod(sidecarSet: string, name: string): Promise<void> {
    const pod = {
      metadata: { namespace: this.namespace, name, labels: { app: sidecarSet } },
      spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image: 'app:1' }] },
    };
    await this.eventually(
      async () => (await this.client.create(pods, pod, { dryRun: true })).spec.containers.length === 2,
      `${sidecarSet} is injected`,
    );
    await this.client.create(pods, pod);
  }

  /** By name. */
  async podsOf(sidecarSet: string): Promise<readonly Pod[]> {
    const { items } = await this.client.list(pods, { namespace: this.namespace, labelSelector: `app=${sidecarSet}` });
    return items.toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name));
  }

  async setSidecarImage(name: string, image: string): Promise<void> {
    const change = [{ op: 'replace', path: '/spec/containers/0/image', value: image }];
    await this.client.patch(sidecarSets, { namespace: '', name }, change, { type: 'json' });
  }

  /** Exactly `count` Pods are updated, and all of these are ready. */
  untilUpdated(name: string, count: number): Promise<SidecarSet> {
    return this.until(name, (seen) => {
      const { updatedPods, updatedReadyPods } = seen.status ?? {};
      return isObserved(seen) && updatedPods === count && updatedReadyPods === count;
    });
  }

  /** Messages of its events. */
  async messages(name: string): Promise<readonly string[]> {
    const { items } = await this.client.list<EventObject>(events, { namespace: 'default' });
    return items.filter(({ involvedObject }) => involvedObject?.name === name).map(({ message = '' }) => message);
  }
}
