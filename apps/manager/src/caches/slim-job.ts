/** Jobs as the controllers of this process hold them: a cluster may have many, and most are nobody's here. */
import type { Job } from '@kruise/objects';

/** Whose a Job is, how it ends, which Pods it has and how many at a time matters; its template, the most of it, does not. Such Jobs are never written back. */
export function slimJob({ spec, ...job }: Job): Job {
  const { parallelism, selector } = spec ?? {};
  const kept = { ...(parallelism === undefined ? {} : { parallelism }), ...(selector === undefined ? {} : { selector }) };
  return Object.keys(kept).length === 0 ? job : { ...job, spec: kept };
}
