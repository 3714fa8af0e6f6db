/** A StatefulSet, its Pods and nodes on an API server in memory, and the PersistentPodStates that come of them. */
import { persistentPodStateAnnotations, persistentPodStates, type PersistentPodState } from '@kruise/api';
import { nodes, pods, type KubeObject, type ObjectMeta, type Pod, type ResourceType } from '@kruise/objects';
import { aPod, type PodShape } from '@kruise/testing';
import { asNew, type ControllerProcess } from '../../module/controller-process.testing.ts';
import { InMemoryCluster } from '../../module/in-memory-cluster.testing.ts';
import { builtInStatefulSets } from '@kruise/workloads';
import { persistentPodStateController } from './controller.ts';

export const names = persistentPodStateAnnotations;
export const namespace = 'default';
export const zone = 'topology.kubernetes.io/zone';
export const host = 'kubernetes.io/hostname';
export const asking = { [names.autoGenerate]: 'true', [names.requiredTopology]: zone, [names.preferredTopology]: host };

type Spec = PersistentPodState['spec'];
/** What is undefined is omitted. */
type SpecShape = { readonly [K in keyof Spec]?: Spec[K] | undefined };

const usual: Spec = {
  targetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db' },
  requiredPersistentTopology: { keys: [zone] },
};

/** A PersistentPodState for the StatefulSet `db`, with required topology. */
export const aState = (shape: SpecShape = {}, metadata: Partial<ObjectMeta> = {}): PersistentPodState => ({
  metadata: { name: 'mine', namespace, generation: 1, ...metadata },
  spec: Object.fromEntries(Object.entries({ ...usual, ...shape }).filter(([, value]) => value !== undefined)) as unknown as Spec,
});

export class PersistentPodStateCluster extends InMemoryCluster {
  constructor() {
    super(persistentPodStateController);
    for (const name of ['n0', 'n1', 'n2', 'n3'])
      this.api.seed(nodes, { metadata: { name, labels: { [host]: name, [zone]: `zone-${name}` } } });
  }

  /** Makes the StatefulSet, or changes it. */
  set(replicas: number, annotations: Readonly<Record<string, string>> = {}, spec: object = {}): KubeObject {
    const held = this.api.peek(builtInStatefulSets, { namespace, name: 'db' });
    const metadata = { ...held?.metadata, name: 'db', namespace, annotations };
    return this.api.seed(builtInStatefulSets, {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata,
      spec: { replicas, ...spec },
    } as KubeObject);
  }

  /** A Pod of the StatefulSet, on the node of its ordinal. */
  pod(
    ordinal: number,
    shape: PodShape = {},
    owner: { readonly type: ResourceType; readonly version: string } | undefined = undefined,
  ): Pod {
    const type = owner?.type ?? builtInStatefulSets;
    const set = this.api.peek(type, { namespace, name: 'db' });
    const name = `db-${ordinal}`;
    const held = this.api.peek(pods, { namespace, name });
    const reference = {
      apiVersion: owner?.version ?? 'apps/v1',
      kind: type.kind,
      name: 'db',
      uid: set?.metadata.uid ?? '',
      controller: true,
    };
    const pod = asNew(aPod({ name, node: `n${ordinal}`, owner: reference, ...shape }));
    return this.api.seed(pods, held === undefined ? pod : { ...pod, metadata: { ...pod.metadata, ...identity(held) } });
  }

  /** Becomes ready while the controller looks on: as kubelets do it. */
  async readyPod(manager: ControllerProcess, ordinal: number, shape: PodShape = {}): Promise<void> {
    this.pod(ordinal, { ...shape, ready: false });
    await manager.settle();
    this.pod(ordinal, shape);
    await manager.settle();
  }

  async remove(ordinal: number): Promise<void> {
    await this.api.delete(pods, { namespace, name: `db-${ordinal}` }, { gracePeriodSeconds: 0 });
  }

  state(name = 'mine'): PersistentPodState | undefined {
    return this.api.peek(persistentPodStates, { namespace, name });
  }

  /** Names of the Pods that are remembered, with their nodes. */
  recorded(name = 'mine'): Readonly<Record<string, string>> {
    const entries = Object.entries(this.state(name)?.status?.podStates ?? {});
    return Object.fromEntries(entries.map(([pod, { nodeName = '' }]) => [pod, nodeName]));
  }

  get statusWrites(): number {
    return this.api.calls.filter(
      ({ type, subresource, verb }) => type === persistentPodStates && subresource === 'status' && verb === 'patch',
    ).length;
  }
}

const identity = ({ metadata: { uid, resourceVersion } }: KubeObject): Partial<ObjectMeta> => ({
  ...(uid === undefined ? {} : { uid }),
  ...(resourceVersion === undefined ? {} : { resourceVersion }),
});
