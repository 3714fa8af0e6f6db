/** BroadcastJobs with nodes and kubelets, and one manager at a time, on an API server in memory. */
import { broadcastJobs, type BroadcastJob, type BroadcastJobSpec } from '@kruise/api';
import { nodes, pods, type KubeObject, type Node, type Pod } from '@kruise/objects';
import { nodeOf } from '@kruise/pods';
import { ControllerCluster, type ClusterOptions } from '../../module/controller-cluster.testing.ts';
import { broadcastJobController } from './controller.ts';

const namespace = 'default';
const key = { namespace, name: 'job' };

export const aNode = (name: string, over: { readonly labels?: object; readonly spec?: object; readonly allocatable?: object } = {}): Node =>
  ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: over.labels ?? {} },
    spec: over.spec ?? {},
    status: { allocatable: over.allocatable ?? { pods: '110', cpu: '4', memory: '8Gi' } },
  }) as Node;

export const aJob = (spec: Partial<BroadcastJobSpec> = {}, metadata: Partial<KubeObject['metadata']> = {}): BroadcastJob => ({
  apiVersion: broadcastJobs.group + '/' + broadcastJobs.version,
  kind: broadcastJobs.kind,
  metadata: { ...key, uid: 'job-uid', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z', ...metadata },
  spec: {
    template: {
      metadata: { labels: { app: 'job' } },
      spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'app:1' }] },
    },
    ...spec,
  },
});

export const isOver = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** A container that has been restarted so many times. */
export const restarted = (pod: Pod, restartCount: number): Pod =>
  ({
    ...pod,
    status: { ...pod.status, phase: 'Running', containerStatuses: [{ name: 'main', restartCount }] },
  }) as unknown as Pod;

export const ending =
  (phase: 'Succeeded' | 'Failed') =>
  (pod: Pod): Pod => ({ ...pod, status: { ...pod.status, phase } });

export class BroadcastJobCluster extends ControllerCluster<BroadcastJob> {
  /** Nodes whose Pods end with an error. */
  readonly broken = new Set<string>();
  /** Nodes whose Pods run on and on. */
  readonly slow = new Set<string>();
  /** Nodes of every Pod that has ever been created, in order. */
  readonly created: string[] = [];
  /** The greatest number of Pods that were active at a time. */
  mostActive = 0;

  constructor(spec: Partial<BroadcastJobSpec> = {}, options: ClusterOptions & { readonly nodes?: readonly string[] } = {}) {
    super({ type: broadcastJobs, key, controller: broadcastJobController }, options);
    for (const name of options.nodes ?? ['n1', 'n2', 'n3']) this.node(name);
    this.api.onWrite(({ call, after, refused }) => {
      if (call.verb === 'create' && call.type === pods && refused === undefined) this.created.push(nodeOf(after as Pod) ?? '');
      this.mostActive = Math.max(
        this.mostActive,
        this.pods.filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed').length,
      );
    });
    this.start(aJob(spec));
  }

  override get conditions(): readonly string[] {
    return this.found === undefined ? [] : super.conditions;
  }

  get job(): BroadcastJob {
    return this.object;
  }

  get pods(): readonly Pod[] {
    return this.api.peekAll(pods, namespace);
  }

  /** Each Pod as `node phase`, by node. */
  get shown(): readonly string[] {
    return this.pods
      .map((pod) => `${nodeOf(pod)} ${pod.metadata.deletionTimestamp === undefined ? (pod.status?.phase ?? 'new') : 'going'}`)
      .toSorted();
  }

  /** The numbers and the phase. */
  get summary(): string {
    const { phase = '', desired = -1, active = -1, succeeded = -1, failed = -1 } = this.job.status ?? {};
    return `${phase}: desired ${desired}, active ${active}, succeeded ${succeeded}, failed ${failed}`;
  }

  node(name: string, over: Parameters<typeof aNode>[1] = {}): void {
    this.api.seed(nodes, aNode(name, over));
  }

  /** A node leaves; the collector of Pods deletes what ran on it. */
  async removeNode(name: string): Promise<void> {
    const left = { namespace: '', name };
    if (this.api.peek(nodes, left) !== undefined) await this.api.delete(nodes, left);
    for (const pod of this.pods) if (pod.spec.nodeName === name && !isOver(pod)) await this.endPod(pod);
  }

  podOn(node: string): Pod {
    const pod = this.pods.find((held) => nodeOf(held) === node);
    if (pod === undefined) throw new Error(`no Pod on ${node}`);
    return pod;
  }

  setPod(node: string, change: (pod: Pod) => Pod): void {
    this.api.seed(pods, change(this.podOn(node)));
  }

  protected get seen(): unknown {
    return this.pods;
  }

  /** The scheduler binds a Pod; in the next second it runs, and after that it ends. */
  protected override runKubelets(): Promise<void> {
    return this.runPods(this.pods, (pod) => {
      const node = nodeOf(pod) ?? '';
      if (pod.status?.phase === undefined) {
        // No scheduler binds a Pod to a deleted node.
        if (this.api.peek(nodes, { namespace: '', name: node }) === undefined) return undefined;
        return { ...pod, spec: { ...pod.spec, nodeName: node }, status: { phase: 'Running' } };
      }
      if (pod.status.phase !== 'Running' || this.slow.has(node)) return undefined;
      return ending(this.broken.has(node) ? 'Failed' : 'Succeeded')(pod);
    });
  }

  /** @throws Error when it does not come to hold within two minutes */
  async until(holds: () => boolean, what: string): Promise<void> {
    for (let i = 0; i < 120; i++) {
      if (holds()) return;
      await this.tick();
    }
    throw new Error(
      `${what}: not within two minutes; ${this.found === undefined ? 'the job is gone' : this.summary}; ${this.shown.join(', ')}`,
    );
  }
}
