/**
 * Decides which workers to start and stop, from the requests of the NodeImage, its status and the present workers.
 *
 *   status of this version with completionTime   -> nothing to pull, the status is kept
 *   a worker of this version                     -> it continues, its report counts
 *   neither                                      -> a worker starts; after a restart of the daemon it continues from the startTime in the status
 *
 * A worker that has ended stays until the status contains its result: a result is not lost while it cannot be written, and it takes precedence over
 * what others wrote of a node that seemed silent.
 *
 * @see spec/daemon.md 5.2
 */
import type { ImageTagStatus, NodeImageStatus } from '@kruise/api';
import { parseTime, semanticEqual, type Instant } from '@kruise/objects';
import { taskKey, type ImageTask } from './task/image-task.ts';

/** The state of one worker. */
export interface WorkerState {
  readonly task: ImageTask;
  readonly ended: boolean;
  readonly status: ImageTagStatus;
}

export interface SyncPlan {
  /** Keys of workers to stop, before any start. */
  readonly stop: readonly string[];
  readonly start: readonly { readonly task: ImageTask; readonly startedAt?: Instant }[];
  /** By task key: statuses that are kept unchanged. */
  readonly adopted: ReadonlyMap<string, ImageTagStatus>;
}

type TaskPlan =
  | { readonly kind: 'Adopt'; readonly status: ImageTagStatus }
  | { readonly kind: 'Keep' }
  | { readonly kind: 'Start'; readonly startedAt?: Instant };

/** Plans. @param workers by task key @param stored the status as the API server has it */
export function planSync(
  tasks: readonly ImageTask[],
  stored: NodeImageStatus | undefined,
  workers: ReadonlyMap<string, WorkerState>,
): SyncPlan {
  const plans = new Map(tasks.map((task) => [taskKey(task), planTask(task, entryOf(task, stored), workers.get(taskKey(task)))]));
  const adopted = new Map<string, ImageTagStatus>();
  for (const [key, plan] of plans) if (plan.kind === 'Adopt') adopted.set(key, plan.status);
  return {
    stop: [...workers.keys()].filter((key) => plans.get(key)?.kind !== 'Keep'),
    start: tasks.flatMap((task) => {
      const plan = plans.get(taskKey(task));
      return plan?.kind === 'Start' ? [{ task, ...(plan.startedAt === undefined ? {} : { startedAt: plan.startedAt }) }] : [];
    }),
    adopted,
  };
}

function planTask(task: ImageTask, entry: ImageTagStatus | undefined, worker: WorkerState | undefined): TaskPlan {
  const own = worker?.task.version === task.version ? worker : undefined;
  const isComplete = entry?.completionTime !== undefined;
  if (own?.ended === true) return isComplete && semanticEqual(entry, own.status) ? { kind: 'Adopt', status: entry } : { kind: 'Keep' };
  if (isComplete) return { kind: 'Adopt', status: entry };
  if (own !== undefined) return { kind: 'Keep' };
  const startedAt = parseTime(entry?.startTime);
  return { kind: 'Start', ...(startedAt === undefined ? {} : { startedAt }) };
}

/** Returns the stored status of exactly this task: the same tag and version. */
function entryOf({ image, tag, version }: ImageTask, stored: NodeImageStatus | undefined): ImageTagStatus | undefined {
  const images = stored?.imageStatuses ?? {};
  const entries = Object.hasOwn(images, image) ? images[image]?.tags : undefined;
  if (!Array.isArray(entries)) return undefined;
  return (
    (entries as readonly (ImageTagStatus | null)[]).find((entry) => entry?.tag === tag && (entry.version ?? 0) === version) ?? undefined
  );
}
