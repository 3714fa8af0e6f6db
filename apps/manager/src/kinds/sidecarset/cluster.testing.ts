/** The controller on an API server in memory, with kubelets that work in steps. */
import { sidecarSets, type SidecarSet } from '@kruise/api';
import { namespaces, pods, type Pod } from '@kruise/objects';
import { asNew, type ProcessOptions } from '../../module/controller-process.testing.ts';
import { InMemoryCluster } from '../../module/in-memory-cluster.testing.ts';
import { sidecarSetController } from './controller.ts';
import { kubeletStep, type KubeletOptions } from '@kruise/kinds/sidecarset/kubelet.testing';
import { anInjectedPod, changed } from '@kruise/kinds/sidecarset/testing';

export class SidecarSetCluster extends InMemoryCluster {
  readonly kubelet: { -readonly [K in keyof KubeletOptions]: KubeletOptions[K] } = {};
  readonly #name: string;

  /** Pods `pod-1`, `pod-2`, … were injected with the SidecarSet as it is. @param options of the first process */
  constructor(sidecarSet: SidecarSet, members: number, options: ProcessOptions = {}) {
    super(sidecarSetController);
    this.#name = sidecarSet.metadata.name;
    this.api.seed(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } });
    const { metadata } = this.api.seed(sidecarSets, asNew(sidecarSet));
    for (let i = 1; i <= members; i++) this.api.seed(pods, asNew(anInjectedPod({ ...sidecarSet, metadata }, { name: `pod-${i}` })));
    this.record();
    this.begin(options);
  }

  get sidecarSet(): SidecarSet {
    return this.api.peek(sidecarSets, { namespace: '', name: this.#name }) as SidecarSet;
  }

  get pods(): readonly Pod[] {
    return this.api.peekAll(pods, 'default').toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }

  pod(name: string): Pod {
    return this.api.peek(pods, { namespace: 'default', name }) as Pod;
  }

  change(spec: Partial<SidecarSet['spec']>): void {
    this.api.seed(sidecarSets, changed(this.sidecarSet, spec));
  }

  /** Controller and kubelets take turns, a second apart; a controller that died is followed by another. */
  async run(rounds: number): Promise<void> {
    for (let i = 0; i < rounds; i++) {
      await this.manager.settle();
      await this.clock.step(1000);
      await this.runPods(this.pods, (pod) => kubeletStep(pod, this.clock.now(), this.kubelet));
      await this.manager.settle();
      if (!this.manager.dead) continue;
      await this.manager.stop();
      this.begin();
    }
  }
}

export const imagesOf = (pod: Pod): readonly (string | undefined)[] => pod.spec.containers.map(({ image }) => image);
