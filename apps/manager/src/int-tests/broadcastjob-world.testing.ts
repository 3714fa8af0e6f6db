/** BroadcastJobs and their Pods in a namespace of their own, as a user of the API sees them. */
import { type BroadcastJob, broadcastJobs, type BroadcastJobSpec } from '@kruise/api';
import type { Pod } from '@kruise/objects';
import { openNamespace, WorkloadWorld } from './workload-world.testing.ts';

export interface BroadcastJobShape {
  readonly name: string;
  /** What the container does, as a shell script. */
  readonly script: string;
  readonly spec?: Partial<BroadcastJobSpec>;
  /** Further members of the template's spec. */
  readonly podSpec?: Readonly<Record<string, unknown>>;
}

/** Pods stop at once. */
export const broadcastJobOf = (namespace: string, { name, script, spec = {}, podSpec = {} }: BroadcastJobShape): BroadcastJob => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'BroadcastJob',
  metadata: { namespace, name },
  spec: {
    template: {
      metadata: { labels: { app: name } },
      spec: {
        restartPolicy: 'Never',
        terminationGracePeriodSeconds: 0,
        containers: [{ name: 'main', image: 'busybox:1.35', imagePullPolicy: 'IfNotPresent', command: ['sh', '-c', script] }],
        ...podSpec,
      },
    },
    ...spec,
  },
});

/** A job in a line: `completed: desired 3, active 0, succeeded 3, failed 0`. */
export const summaryOf = ({ status: { phase = '', desired, active, succeeded, failed } = {} }: BroadcastJob): string =>
  `${phase}: desired ${desired ?? 0}, active ${active ?? 0}, succeeded ${succeeded ?? 0}, failed ${failed ?? 0}`;

export class BroadcastJobWorld extends WorkloadWorld<BroadcastJob> {
  /** Makes the namespace. */
  static async create(kubeconfigPath: string, namespace: string): Promise<BroadcastJobWorld> {
    return new BroadcastJobWorld(broadcastJobs, await openNamespace(kubeconfigPath, namespace), namespace);
  }

  apply(shape: BroadcastJobShape): Promise<BroadcastJob> {
    return this.client.create(broadcastJobs, broadcastJobOf(this.namespace, shape));
  }

  /** Waits until the job says so. */
  untilSays(name: string, summary: string): Promise<BroadcastJob> {
    return this.until(name, (job) => summaryOf(job) === summary);
  }

  /** Node and phase of each Pod, by node. */
  async shown(name: string): Promise<readonly string[]> {
    const all: readonly Pod[] = await this.pods(name);
    return all.map(({ spec, status }) => `${spec.nodeName ?? ''} ${status?.phase ?? ''}`).toSorted();
  }
}
