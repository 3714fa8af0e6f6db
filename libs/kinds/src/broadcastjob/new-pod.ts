/** A Pod of a job for one node, as it is created. Pure. @see spec/broadcastjob.md 3 */
import { broadcastJobLabels, broadcastJobs, type BroadcastJob } from '@kruise/api';
import { newControllerRef, type Pod } from '@kruise/objects';
import { boundByScheduler } from '@kruise/pods';
import { freeNames } from '@kruise/workloads';

export interface PodMakerOptions {
  /** Else the Pod is bound as it is created. */
  readonly placedByScheduler: boolean;
  /** Names of Pods in the namespace. */
  readonly takenNames: { readonly has: (name: string) => boolean };
}

export const labelsOf = ({ metadata: { name, uid = '' } }: BroadcastJob): Readonly<Record<string, string>> => ({
  [broadcastJobLabels.name]: name,
  [broadcastJobLabels.controllerUid]: uid,
});

/**
 * Makes the Pods of a pass, each under a name of its own that looks generated. The same node gets the same name again: a Pod that this process
 * does not see yet, of a process before or of another one that leads for a moment, is met by its name and not made twice.
 */
export function podMaker(job: BroadcastJob, { placedByScheduler, takenNames }: PodMakerOptions): (node: string) => Pod {
  const { name, namespace = '', uid = '' } = job.metadata;
  const { metadata, spec = { containers: [] } } = job.spec.template;
  const generateName = `${name}-`;
  const freeName = freeNames(generateName, takenNames);
  const common = {
    generateName,
    namespace,
    labels: { ...metadata?.labels, ...labelsOf(job) },
    ...(metadata?.annotations === undefined ? {} : { annotations: metadata.annotations }),
    ...(metadata?.finalizers === undefined ? {} : { finalizers: metadata.finalizers }),
    ownerReferences: [newControllerRef(job, broadcastJobs)],
  };
  return (node) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: freeName(`${uid}/${node}`), ...common },
    spec: placedByScheduler ? boundByScheduler(spec, node) : { ...spec, nodeName: node },
  });
}
