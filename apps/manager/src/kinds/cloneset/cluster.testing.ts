/** A CloneSet with its Pods, claims and kubelets, and one manager at a time, on an API server in memory. */
import { cloneSets, labels, type CloneSet } from '@kruise/api';
import { isPodReady, nodes, persistentVolumeClaims, pods, type PersistentVolumeClaim, type Pod } from '@kruise/objects';
import { ControllerCluster, type ClusterOptions } from '../../module/controller-cluster.testing.ts';
import { Kubelets } from '../../module/fixtures/kubelet-step.testing.ts';
import { cloneSetController } from './controller.ts';
import { aCloneSet, type CloneSetShape } from '@kruise/kinds/cloneset/testing';

const namespace = 'default';
const key = { namespace, name: 'sample' };

export class CloneSetCluster extends ControllerCluster<CloneSet> {
  readonly #kubelets = new Kubelets();
  constructor(shape: CloneSetShape = {}, options: ClusterOptions = {}) {
    super({ type: cloneSets, key, controller: cloneSetController }, options);
    this.api.seed(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node1' } });
    this.start(aCloneSet(shape));
  }

  get cloneSet(): CloneSet {
    return this.object;
  }

  /** By name. */
  get pods(): readonly Pod[] {
    return this.api.peekAll(pods, namespace);
  }

  get claims(): readonly PersistentVolumeClaim[] {
    return this.api.peekAll(persistentVolumeClaims, namespace);
  }

  /** Each Pod as `name image state`, with what is unusual about it. */
  get shown(): readonly string[] {
    return this.pods.map((pod) => {
      const { metadata, spec } = pod;
      const marks = [isPodReady(pod) ? '' : 'unready', metadata.deletionTimestamp === undefined ? '' : 'terminating'];
      const state = metadata.labels?.[labels.lifecycleState] ?? '';
      return [metadata.name, spec.containers[0]?.image, state, ...marks].filter((part) => part !== '').join(' ');
    });
  }

  changeImage(image: string): void {
    const { template } = this.cloneSet.spec;
    this.change({ template: { ...template, spec: { ...template.spec, containers: [{ name: 'main', image }] } } });
  }

  changePod(name: string, change: (pod: Pod) => Pod): void {
    this.api.seed(pods, change(this.api.peek(pods, { namespace, name }) as Pod));
  }

  protected get seen(): unknown {
    return [this.pods, this.claims];
  }

  protected override runKubelets(): Promise<void> {
    return this.runPods(this.pods, (pod) => this.#kubelets.change(pod, this.clock.now(), this.options));
  }
}
