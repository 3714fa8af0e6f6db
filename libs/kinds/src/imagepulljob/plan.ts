/** What a pass over a running job does; reads like the table of contents of its rules. @see spec/image-pulling.md 5.5 */
import type { ImagePullJobStatus, NodeImage } from '@kruise/api';
import { earliest, imageLimits, parseTime, seconds, type Instant, type Milliseconds } from '@kruise/objects';
import { tagAt } from '../images/node-image-tags.ts';
import { dueAt, fits, withoutFormerTasks } from './plan-task.ts';
import type { Context, Snapshot } from './snapshot.ts';
import { computeProgress, computeStatus, untilDeadline, type Progress } from './status.ts';

export type Action =
  /** Write the job's task into the NodeImage, and take back its former ones; what exactly is decided on the NodeImage as it is then. */
  | { readonly kind: 'GiveTask'; readonly nodeImage: NodeImage; readonly because: string }
  /** Take back the tasks for the image that the job had before it was edited, of a node that gets no task in this pass. */
  | { readonly kind: 'DropFormerTasks'; readonly nodeImage: NodeImage; readonly because: string };

export interface Plan {
  /** Before the actions: they change it. */
  readonly status: ImagePullJobStatus;
  readonly actions: readonly Action[];
  readonly requeueAfter?: Milliseconds;
  /** Which nodes have no room, and who holds them; for the message of the status. */
  readonly note?: string;
}

/** A node that is full or refused the last write is looked at again after this time; a full one also when an image leaves it. */
const unwillingNodeWait = seconds(60);

/** @param given names of nodes that lose their former tasks with the write of the new one */
const dropFormer = (seen: Snapshot, given: ReadonlySet<string>): readonly Action[] =>
  seen.owned
    .filter((nodeImage) => !given.has(nodeImage.metadata.name) && withoutFormerTasks(nodeImage, seen) !== nodeImage)
    .map((nodeImage) => ({ kind: 'DropFormerTasks', nodeImage, because: 'the image of the job was changed' }));

const mostTasks = imageLimits.tasksOfPass.value;
const silence = imageLimits.silenceOfNode.value;

/** For how long each of the nodes that have reported nothing still counts as one that pulls; 0 or less for one without an agent, as it seems. */
const patienceWith = ({ terms }: Snapshot, unanswered: readonly NodeImage[], now: Instant): readonly number[] =>
  unanswered.map((nodeImage) => Math.min((parseTime(tagAt(nodeImage, terms.task)?.createdAt) ?? now) + silence - now, silence));

interface Given {
  readonly actions: readonly Action[];
  readonly waits: readonly number[];
  readonly full: readonly NodeImage[];
}

interface Chosen {
  readonly withRoom: readonly NodeImage[];
  readonly full: readonly NodeImage[];
  /** Nodes behind them are left to the next pass. */
  readonly isCutShort: boolean;
}

/** NodeImages that one pass counts for the first time: to count one that is full takes part of a millisecond. */
const mostCounted = 250;

/** The first nodes that have room, and the nodes without it that come before them. */
function choose(seen: Snapshot, unasked: readonly NodeImage[], budget: number): Chosen {
  const [withRoom, full]: [NodeImage[], NodeImage[]] = [[], []];
  let counted = 0;
  for (const nodeImage of unasked) {
    if (withRoom.length >= budget) break;
    if (!seen.shares.isCounted(nodeImage) && ++counted > mostCounted) return { withRoom, full, isCutShort: true };
    (fits(nodeImage, seen) ? withRoom : full).push(nodeImage);
  }
  return { withRoom, full, isCutShort: false };
}

/** At least this many nodes are looked at for room in every pass, so that the status names one that is full also while others pull. */
const alwaysChosen = 1;

function noteOn([first, ...more]: readonly NodeImage[], { shares }: Snapshot): string | undefined {
  if (first === undefined) return undefined;
  const which = more.length === 0 ? `${first.metadata.name} is` : `${first.metadata.name} and ${more.length} more are`;
  return `node ${which} full: ${shares.holdersText(first)}`;
}

/**
 * Nodes that were never asked come first, then those of a job that does not end whose last pull is long enough ago, the longest ago first. A node
 * that reports nothing does not pull, and delays no other.
 */
function giveTasks(seen: Snapshot, { active, unasked, unanswered }: Progress, now: Instant): Given {
  const { terms, refused } = seen;
  const willing = unasked.filter(({ metadata }) => !refused.has(metadata.name));
  const patience = patienceWith(seen, unanswered, now);
  const pulling = active.length - patience.filter((left) => left <= 0).length;
  const { due, nextDue } = dueNodes(seen, now);
  const budget = Math.min(Math.max(terms.parallelism - pulling, 0), mostTasks);
  const { withRoom, full, isCutShort } = choose(seen, willing, Math.max(budget, alwaysChosen));
  const waiting = [...withRoom, ...due];
  const because = `${pulling} nodes are pulling, ${terms.parallelism} may`;
  return {
    actions: waiting.slice(0, budget).map((nodeImage) => ({ kind: 'GiveTask', nodeImage, because })),
    waits: [
      ...(isCutShort || (budget === mostTasks && willing.length + due.length - full.length > budget) ? [0] : []),
      ...(waiting.length > budget ? patience.filter((left) => left > 0) : []),
      ...(nextDue === undefined ? [] : [nextDue - now]),
    ],
    full,
  };
}

/** The nodes of a job that does not end which are to pull again. */
function dueNodes(seen: Snapshot, now: Instant): { readonly due: readonly NodeImage[]; readonly nextDue?: Instant } {
  if (seen.terms.ends) return { due: [] };
  const times = seen.nodeImages.flatMap((nodeImage) => {
    const time = dueAt(nodeImage, seen);
    return time === undefined ? [] : [{ nodeImage, time }];
  });
  times.sort((a, b) => a.time - b.time);
  const next = times.find(({ time }) => time > now);
  const due = times.filter(({ time, nodeImage }) => time <= now && !seen.refused.has(nodeImage.metadata.name));
  return { due: due.map(({ nodeImage }) => nodeImage), ...(next === undefined ? {} : { nextDue: next.time }) };
}

/** A node that pulls needs its secrets now; the write is no further pull, so `parallelism` does not count. */
function giveSecrets(seen: Snapshot, { untold }: Progress): Given {
  const willing = untold.filter(({ metadata }) => !seen.refused.has(metadata.name));
  const { withRoom, full, isCutShort } = choose(seen, willing, mostTasks);
  return {
    actions: withRoom.map((nodeImage) => ({
      kind: 'GiveTask',
      nodeImage,
      because: 'the task of the node does not name a pull secret yet',
    })),
    waits: isCutShort || withRoom.length + full.length < willing.length ? [0] : [],
    full,
  };
}

/** A status that also says which nodes have no room. */
export const withNote = (status: ImagePullJobStatus, note: string | undefined): ImagePullJobStatus =>
  note === undefined ? status : { ...status, message: `${status.message ?? ''}; ${note}` };

export function plan(seen: Snapshot, context: Context): Plan {
  const progress = computeProgress(seen);
  const status = computeStatus(seen, progress, context.now);
  if (status.completionTime !== undefined) return { status, actions: [] };
  const secrets = giveSecrets(seen, progress);
  const tasks = giveTasks(seen, progress, context.now);
  const full = [...secrets.full, ...tasks.full];
  const note = noteOn(full, seen);
  const deadline = untilDeadline(seen, context.now);
  const waits = [
    ...(deadline === undefined ? [] : [Math.max(deadline, 1000)]),
    ...(seen.refused.size > 0 ? [seen.refusedFor ?? unwillingNodeWait] : []),
    ...(full.length > 0 ? [unwillingNodeWait] : []),
    ...secrets.waits,
    ...tasks.waits,
  ];
  const given = [...secrets.actions, ...tasks.actions];
  const actions = [...dropFormer(seen, new Set(given.map(({ nodeImage }) => nodeImage.metadata.name))), ...given];
  return {
    status: withNote(status, note),
    actions: actions.filter(({ nodeImage }) => !seen.refused.has(nodeImage.metadata.name)),
    ...earliest(waits),
    ...(note === undefined ? {} : { note }),
  };
}
