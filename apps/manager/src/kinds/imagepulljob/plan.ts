/** What a pass over a running job does; reads like the table of contents of its rules. @see spec/image-pulling.md 5.5 */
import type { ImagePullJobStatus, NodeImage } from '@kruise/api';
import { earliest, seconds, type Milliseconds } from '@kruise/objects';
import { isFull, withoutFormerTasks } from './plan-task.ts';
import type { Context, Snapshot } from './snapshot.ts';
import { computeProgress, computeStatus, untilDeadline, type Progress } from './status.ts';

export type Action =
  /** Write the job's task into the NodeImage; what exactly is decided on the NodeImage as it is then. */
  | { readonly kind: 'GiveTask'; readonly nodeImage: NodeImage; readonly because: string }
  /** Take back the tasks for the image that the job had before it was edited. */
  | { readonly kind: 'DropFormerTasks'; readonly nodeImage: NodeImage; readonly because: string };

export interface Plan {
  /** Before the actions: they change it. */
  readonly status: ImagePullJobStatus;
  readonly actions: readonly Action[];
  readonly lookAgainAfter?: Milliseconds;
}

/** A node that takes no further image is looked at again after this time, and one without room when an image of it goes. */
const fullNodeWait = seconds(60);

const dropFormer = (seen: Snapshot): readonly Action[] =>
  seen.owned
    .filter((nodeImage) => withoutFormerTasks(nodeImage, seen) !== nodeImage)
    .map((nodeImage) => ({ kind: 'DropFormerTasks', nodeImage, because: 'the image of the job was changed' }));

function giveTasks(
  { terms, refused }: Snapshot,
  { active, unasked }: Progress,
): { readonly actions: readonly Action[]; readonly isHeldUp: boolean } {
  const withRoom = unasked.filter((nodeImage) => !isFull(nodeImage, terms.task.name) && !refused.has(nodeImage.metadata.name));
  const budget = Math.max(terms.parallelism - active.length, 0);
  const because = `${active.length} nodes pull, ${terms.parallelism} may`;
  return {
    actions: withRoom.slice(0, budget).map((nodeImage) => ({ kind: 'GiveTask', nodeImage, because })),
    isHeldUp: withRoom.length < unasked.length,
  };
}

/** A node that pulls needs its secrets now; telling it of them is no further pull, so the limit does not count. */
const tellSecrets = ({ untold }: Progress): readonly Action[] =>
  untold.map((nodeImage) => ({ kind: 'GiveTask', nodeImage, because: 'the node does not know of a pull secret' }));

export function plan(seen: Snapshot, context: Context): Plan {
  const progress = computeProgress(seen);
  const status = computeStatus(seen, progress, context.now);
  if (status.completionTime !== undefined) return { status, actions: [] };
  const given = giveTasks(seen, progress);
  const deadline = untilDeadline(seen, context.now);
  const waits = [...(deadline === undefined ? [] : [Math.max(deadline, 1000)]), ...(given.isHeldUp ? [fullNodeWait] : [])];
  const actions = [...dropFormer(seen), ...tellSecrets(progress), ...given.actions];
  return {
    status,
    actions: actions.filter(({ nodeImage }) => !seen.refused.has(nodeImage.metadata.name)),
    ...earliest(waits),
  };
}
