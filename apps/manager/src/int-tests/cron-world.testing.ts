/** AdvancedCronJobs and their jobs in a namespace of their own, as a user of the API sees them. */
import { type AdvancedCronJob, advancedCronJobs, type AdvancedCronJobSpec, broadcastJobs, imageListPullJobs } from '@kruise/api';
import { jobs, type KubeObject } from '@kruise/objects';
import { openNamespace, WorkloadWorld } from './workload-world.testing.ts';

/** A Job whose Pod runs a shell script. */
export const jobTemplate = (script: string): AdvancedCronJobSpec['template'] => ({
  jobTemplate: {
    spec: {
      template: {
        spec: {
          restartPolicy: 'Never',
          terminationGracePeriodSeconds: 0,
          containers: [{ name: 'main', image: 'busybox:1.35', imagePullPolicy: 'IfNotPresent', command: ['sh', '-c', script] }],
        },
      },
    },
  },
});

export class CronWorld extends WorkloadWorld<AdvancedCronJob> {
  /** Makes the namespace. */
  static async create(kubeconfigPath: string, namespace: string): Promise<CronWorld> {
    return new CronWorld(advancedCronJobs, await openNamespace(kubeconfigPath, namespace), namespace);
  }

  apply(name: string, spec: Partial<AdvancedCronJobSpec> & Pick<AdvancedCronJobSpec, 'schedule' | 'template'>): Promise<AdvancedCronJob> {
    return this.client.create(advancedCronJobs, { metadata: { namespace: this.namespace, name }, spec });
  }

  /** Jobs of all kinds that it has made and that are there, by name: in the order of their times. */
  async children(name: string): Promise<readonly KubeObject[]> {
    const lists = await Promise.all(
      [jobs, broadcastJobs, imageListPullJobs].map((type) => this.client.list(type, { namespace: this.namespace })),
    );
    return lists
      .flatMap(({ items }): readonly KubeObject[] => items)
      .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.name === name) === true)
      .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }

  async untilChildren(name: string, holds: (children: readonly KubeObject[]) => boolean, what: string): Promise<readonly KubeObject[]> {
    let seen: readonly KubeObject[] = [];
    await this.eventually(async () => holds((seen = await this.children(name))), `${name}: ${what}`);
    return seen;
  }
}
