/** A Pod of a job for one node, as it is created. Pure. @see spec/broadcastjob.md 3 */
import { broadcastJobLabels, broadcastJobs, type BroadcastJob } from '@kruise/api';
import { hashedSuffix, newControllerRef, type Pod } from '@kruise/objects';
import { boundByScheduler } from '@kruise/pods';

/** As the API server cuts `generateName`: five characters are left for what comes after. */
const longestPrefix = 58;

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
  const given = new Set<string>();
  const common = {
    generateName,
    namespace,
    labels: { ...metadata?.labels, ...labelsOf(job) },
    ...(metadata?.annotations === undefined ? {} : { annotations: metadata.annotations }),
    ...(metadata?.finalizers === undefined ? {} : { finalizers: metadata.finalizers }),
    ownerReferences: [newControllerRef(job, broadcastJobs)],
  };
  const freeName = (node: string): string => {
    for (let attempt = 0; ; attempt++) {
      const candidate = `${generateName.slice(0, longestPrefix)}${hashedSuffix(`${uid}/${node}/${attempt}`)}`;
      if (given.has(candidate) || takenNames.has(candidate)) continue;
      given.add(candidate);
      return candidate;
    }
  };
  return (node) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: freeName(node), ...common },
    spec: placedByScheduler ? boundByScheduler(spec, node) : { ...spec, nodeName: node },
  });
}
