/** Jobs as the controllers of this process hold them: a cluster may have many, and most are nobody's here. */
import type { Job } from '@kruise/objects';

/** Whose a Job is and how it ends matters, and its spec, the most of it, does not. Such Jobs are never written back. */
export const slimJob = ({ spec: _spec, ...job }: Job): Job => job;
