/** A SidecarSet whose Pods belong to several teams, each with a namespace of its own, and one manager at a time, on an API server in memory. */
import { sidecarSets, type SidecarSet } from '@kruise/api';
import { controllerRevisions, formatTime, isPodReady, namespaces, pods, type Pod } from '@kruise/objects';
import { ControllerCluster, type ClusterOptions } from '../../module/controller-cluster.testing.ts';
import { asNew } from '../../module/controller-process.testing.ts';
import { sidecarSetController } from './controller.ts';
import { kubeletStep, type KubeletOptions } from '@kruise/kinds/sidecarset/kubelet.testing';
import { anInjectedPod, changed } from '@kruise/kinds/sidecarset/testing';

const key = { namespace: '', name: 'set' };

export interface TeamsOptions extends ClusterOptions {
  readonly kubelet?: KubeletOptions;
}

export class TeamsCluster extends ControllerCluster<SidecarSet> {
  readonly teams: readonly string[];
  readonly #kubelet: KubeletOptions;
  #count = 0;

  constructor(sidecarSet: SidecarSet, teams: readonly string[], options: TeamsOptions) {
    super({ type: sidecarSets, key, controller: sidecarSetController }, options);
    this.teams = teams;
    this.#kubelet = options.kubelet ?? {};
    for (const name of teams) this.api.seed(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    this.start(sidecarSet);
  }

  get sidecarSet(): SidecarSet {
    return this.object;
  }

  /** By namespace and name. */
  get pods(): readonly Pod[] {
    return this.teams.flatMap((team) => this.api.peekAll(pods, team));
  }

  /** Each Pod as `namespace/name images`, with what is unusual about it. */
  get shown(): readonly string[] {
    return this.pods.map((pod) => {
      const { metadata, spec } = pod;
      const marks = [isPodReady(pod) ? '' : 'unready', metadata.deletionTimestamp === undefined ? '' : 'terminating'];
      const images = spec.containers.map(({ name, image }) => `${name}=${image}`);
      return [`${metadata.namespace}/${metadata.name}`, ...images, ...marks].filter((part) => part !== '').join(' ');
    });
  }

  override change(spec: Partial<SidecarSet['spec']>): void {
    this.api.seed(sidecarSets, changed(this.sidecarSet, spec));
  }

  /** A Pod is created and injected with the SidecarSet as it is; its containers run at once. @returns its name */
  addPod(team: string): string {
    const name = `${team}-${++this.#count}`;
    this.api.seed(pods, asNew(anInjectedPod(this.sidecarSet, { name, namespace: team })));
    return name;
  }

  setPod(pod: Pod): void {
    this.api.seed(pods, pod);
  }

  /** A user deletes the Pod; its kubelet ends it within a second. */
  beginDeletion(pod: Pod): void {
    this.setPod({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: formatTime(this.clock.now()) } });
  }

  protected get seen(): unknown {
    return [this.pods, this.api.peekAll(controllerRevisions, 'kruise-system').map(({ metadata }) => metadata.name)];
  }

  protected override runKubelets(): Promise<void> {
    return this.runPods(this.pods, (pod) => kubeletStep(pod, this.clock.now(), this.#kubelet));
  }
}
