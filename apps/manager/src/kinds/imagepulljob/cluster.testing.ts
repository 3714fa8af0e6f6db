/** An ImagePullJob with nodes and their agents, and one manager at a time, on an API server in memory. */
import { imagePullJobs, nodeImages, type ImagePullJob, type NodeImage } from '@kruise/api';
import { instant, secrets, type Secret } from '@kruise/objects';
import { agentStep, type AgentOptions } from '@kruise/kinds/images/agent.testing';
import { aJob, aNodeImage } from '@kruise/kinds/images/builders.testing';
import { ControllerCluster, type ClusterOptions } from '../../module/controller-cluster.testing.ts';
import { imagePullJobController } from './controller.ts';

const namespace = 'default';
const sourceKey = { namespace, name: 's' };
const copiesNamespace = 'kruise-daemon-config';

export interface ImagePullJobClusterOptions extends ClusterOptions {
  readonly agents?: AgentOptions;
}

export class ImagePullJobCluster extends ControllerCluster<ImagePullJob> {
  /** Pulls that have begun end. */
  doPullsEnd = false;
  readonly #agents: AgentOptions;

  /** Nodes are `n0`, `n1`, …; the namespace has the pull secret `s`. */
  constructor(spec: Partial<ImagePullJob['spec']>, nodes: number, options: ImagePullJobClusterOptions) {
    super({ type: imagePullJobs, key: { namespace, name: 'pull' }, controller: imagePullJobController }, options);
    this.#agents = options.agents ?? {};
    for (let i = 0; i < nodes; i++) this.addNode(`n${i}`);
    this.api.seed(secrets, { metadata: sourceKey, type: 'kubernetes.io/dockerconfigjson', data: {} });
    this.start(aJob({ spec }));
  }

  get nodeImages(): readonly NodeImage[] {
    return this.api.peekAll(nodeImages);
  }

  /** Of pull secrets, for the agents. */
  get copies(): readonly Secret[] {
    return this.api.peekAll(secrets, copiesNamespace);
  }

  /** Each NodeImage as `name: tasks`. */
  get shown(): readonly string[] {
    return [
      `status ${JSON.stringify(this.found?.status)}`,
      ...this.nodeImages.map(({ metadata, spec, status }) => `${metadata.name}: ${JSON.stringify([spec.images, status?.imageStatuses])}`),
    ];
  }

  override get conditions(): readonly string[] {
    return [];
  }

  /** A node that is there already stays as it is. */
  addNode(name: string): void {
    if (this.api.peek(nodeImages, { namespace: '', name }) !== undefined) return;
    const { metadata: _metadata, ...rest } = aNodeImage();
    this.api.seed(nodeImages, { ...rest, metadata: { name } });
  }

  async removeNode(name: string): Promise<void> {
    if (this.api.peek(nodeImages, { namespace: '', name }) !== undefined) await this.api.delete(nodeImages, { namespace: '', name });
  }

  /** The pull secret in the namespace of the job. */
  get secret(): Secret {
    return this.api.peek(secrets, sourceKey) as Secret;
  }

  changeSecret(): void {
    this.api.seed(secrets, { ...this.secret, data: { changed: String(this.clock.now()) } });
  }

  /** A user deletes what only the manager writes. */
  async deleteCopies(): Promise<void> {
    for (const { metadata } of this.copies) await this.api.delete(secrets, { namespace: copiesNamespace, name: metadata.name });
  }

  protected get seen(): unknown {
    return [this.nodeImages, this.copies];
  }

  protected override runKubelets(): Promise<void> {
    for (const nodeImage of this.nodeImages) {
      const next = agentStep(nodeImage, instant(this.clock.now()), { ...this.#agents, hangs: () => !this.doPullsEnd });
      if (next !== nodeImage) this.api.seed(nodeImages, next);
    }
    return Promise.resolve();
  }
}
