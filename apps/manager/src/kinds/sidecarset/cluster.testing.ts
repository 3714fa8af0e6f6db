/** The controller on an API server in memory, with kubelets that work in steps. */
import { sidecarSets, type SidecarSet } from '@kruise/api';
import { Timeline, type FakeApi, type FakeClock } from '@kruise/kube/testing';
import { namespaces, pods, type Pod } from '@kruise/objects';
import { asNew, ControllerProcess, newClock, newFakeApi, type ProcessOptions } from '../../module/controller-process.testing.ts';
import { sidecarSetController } from './controller.ts';
import { kubeletStep, type KubeletOptions } from '@kruise/kinds/sidecarset/kubelet.testing';
import { anInjectedPod, changed } from '@kruise/kinds/sidecarset/testing';

export class SidecarSetCluster {
  readonly clock: FakeClock = newClock();
  readonly api: FakeApi = newFakeApi(this.clock);
  readonly timeline = new Timeline(this.clock);
  readonly kubelet: { -readonly [K in keyof KubeletOptions]: KubeletOptions[K] } = {};
  manager: ControllerProcess;
  readonly #name: string;

  /** Pods `pod-1`, `pod-2`, … were injected with the SidecarSet as it is. */
  constructor(sidecarSet: SidecarSet, members: number, options: ProcessOptions = {}) {
    this.#name = sidecarSet.metadata.name;
    this.api.seed(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } });
    const { metadata } = this.api.seed(sidecarSets, asNew(sidecarSet));
    for (let i = 1; i <= members; i++) this.api.seed(pods, asNew(anInjectedPod({ ...sidecarSet, metadata }, { name: `pod-${i}` })));
    this.timeline.recordWrites(this.api);
    this.manager = new ControllerProcess(this.api, this.clock, sidecarSetController, { timeline: this.timeline, ...options });
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
      for (const pod of this.pods) {
        const next = kubeletStep(pod, this.clock.now(), this.kubelet);
        if (next !== pod) this.api.seed(pods, next);
      }
      await this.manager.settle();
      if (this.manager.dead) {
        await this.manager.stop();
        this.manager = new ControllerProcess(this.api, this.clock, sidecarSetController);
      }
    }
  }
}

export const imagesOf = (pod: Pod): readonly (string | undefined)[] => pod.spec.containers.map(({ image }) => image);
