/** The example of README.md. */
import type { ImageListPullJob } from '@kruise/api';
import type { Instant } from '@kruise/objects';
import { noneRefused } from '@kruise/workloads';
import { plan } from './imagelistpulljob/index.ts';

/** The images that the next pass over a list begins to pull. */
export const imagesToPull = (job: ImageListPullJob, now: Instant): readonly string[] =>
  plan({ job, children: [], refused: noneRefused }, now).actions.flatMap((action) => (action.kind === 'CreateJob' ? [action.image] : []));
