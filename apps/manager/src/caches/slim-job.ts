/** Jobs as the controllers of this process hold them: a cluster may have many, most of them without an owner of these kinds. */
import type { Job } from '@kruise/objects';

/** Of the spec, keeps only `parallelism` and `selector`: the template is the largest part of a Job. Such Jobs are never written back. */
export function slimJob({ spec, ...job }: Job): Job {
  const { parallelism, selector } = spec ?? {};
  const kept = { ...(parallelism === undefined ? {} : { parallelism }), ...(selector === undefined ? {} : { selector }) };
  return Object.keys(kept).length === 0 ? job : { ...job, spec: kept };
}
