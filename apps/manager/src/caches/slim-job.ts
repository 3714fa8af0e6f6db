/** Jobs as the controllers of this process hold them: a cluster may have many, and most are nobody's here. */
import type { Job } from '@kruise/objects';

/** Of a Job matter whose it is and how it ends. Such Jobs are never written back. */
export function slimJob({ apiVersion, kind, metadata, status }: Job): Job {
  const { name, namespace, uid, resourceVersion, annotations, ownerReferences, creationTimestamp, deletionTimestamp } = metadata;
  const slim = { name, namespace, uid, resourceVersion, annotations, ownerReferences, creationTimestamp, deletionTimestamp };
  const { startTime, conditions } = status ?? {};
  return defined({ apiVersion, kind, metadata: defined(slim), status: defined({ startTime, conditions }) }) as unknown as Job;
}

const defined = (members: object): object => Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
