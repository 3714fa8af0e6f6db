/** `adopt`: Pods change their owner without a restart. */
import { isFailure } from '@kruise/kube';
import { counted, isTerminating, memberAt, pods as podType, type ResourceType } from '@kruise/objects';
import { replicaSets } from '@kruise/workloads';
import { directionFrom, wordOf } from '../adopt/observed/directions.ts';
import { isActive, isMarked, isMovedAndKept, uidOf, type Observed } from '../adopt/observed/observed.ts';
import { markOf } from '../adopt/plan/plan-adoption.ts';
import { triedPatch, triedReplicaSet } from '../adopt/plan-handover.ts';
import { referenceChanges } from '../adopt/references.ts';
import { summaryLines, summaryOf, summaryOfLeftHold, type AdoptionSummary } from '../adopt/plan/summary.ts';
import { heldTarget } from '../adopt/held-target.ts';
import { finalTarget } from '../adopt/target-spec.ts';
import type { Call, Run } from '../cli/command.ts';
import { UserError } from '../failure.ts';
import { workloadKindOf } from '../objects/workload-kind.ts';
import { findType } from '../objects/served-types.ts';
import { indented, type DryRun } from '../print/print-object.ts';
import { keptSource, move, namesOf, refuseOtherTarget, unfinished, type Start } from '../session/adopt/move.ts';
import { isUntriable } from '../session/adopt/carry-out.ts';
import { leftHoldOf, type LeftHold } from '../session/adopt/left-hold.ts';
import { missingRights, observe, readIfPresent, preferredTypeOf, readReferrers, type Ends } from '../session/adopt/observe.ts';
import { dryRun } from '../session/print-result.ts';
import { selectTargets } from '../session/select-objects.ts';
import type { Session } from '../session.ts';

/** @throws UserError for a kind that has no counterpart, and for another target than its counterpart */
async function endsOf(call: Call, session: Session): Promise<Ends> {
  const [named, more] = await selectTargets(call, session, call.args);
  if (named === undefined || more !== undefined) throw new UserError('name one workload: adopt KIND/NAME');
  const direction = directionFrom(workloadKindOf(named.type));
  if (direction === undefined)
    throw new UserError(`Pods of ${named.type.kind} cannot be moved; adopt takes ${Object.values(wordOf).join(', ')}`);
  // In the preferred version, whichever the user names: what a run records has to mean the same to the next one.
  const source = { ...named, type: await preferredTypeOf(session, direction.from) };
  const type = await preferredTypeOf(session, direction.to);
  const to = call.flags.text('to');
  const asked = to === '' ? type : findType(await session.types(), to);
  if (asked === undefined || workloadKindOf(asked) !== direction.to)
    throw new UserError(`Pods of ${wordOf[direction.from]} can only be moved to ${wordOf[direction.to]}`);
  const name = call.flags.text('name') === '' ? source.name : call.flags.text('name');
  return { direction, source, target: { type: asked, namespace: source.namespace, name } };
}

const isJson = ({ flags }: Call): boolean => flags.text('output') === 'json';

async function summarize(session: Session, ends: Ends, seen: Observed): Promise<AdoptionSummary> {
  const { source, target } = ends;
  const referrers = await readReferrers(session, source.namespace);
  return summaryOf(seen, referenceChanges(referrers, source, target));
}

const dryRunTexts = { none: '', client: ' (dry run)', server: ' (server dry run)' } as const;

function print(
  call: Call,
  session: Session,
  ends: Ends,
  { summary, how }: { readonly summary: AdoptionSummary; readonly how: DryRun },
): void {
  const [first = '', ...rest] = summaryLines(summary, namesOf(ends));
  const lines = [`${first}${dryRunTexts[how]}`, ...rest].map((line) => `${line}\n`);
  session.out(isJson(call) ? `${indented(summary)}\n` : lines.join(''));
  session.signal.throwIfAborted();
}

/** Lets the API server check the target, its ReplicaSet and the new owner of a Pod, without writing them. */
async function tryTarget(session: Session, { direction, target }: Ends, seen: Observed): Promise<void> {
  const final = finalTarget(seen);
  const options = { dryRun: true, fieldManager: 'kubectl-adopt', signal: session.signal };
  await session.client().create(target.type, final, options);
  await session.client().create(target.type, heldTarget(final, direction.to, seen.source), options);
  const setType: ResourceType = replicaSets;
  if (direction.to === 'Deployment') await session.client().create(setType, triedReplicaSet(seen, final), options);
  const tried = triedPatch(seen, final);
  if (tried === undefined) return;
  const key = { namespace: target.namespace, name: tried.object.metadata.name };
  try {
    await session.client().patch(podType, key, tried.patch, { ...options, type: 'merge' });
  } catch (error) {
    // A Pod that has just ended.
    if (!isFailure(error, 'NotFound')) throw error;
  }
}

/**
 * What the API server refuses of the target is refused before the source is deleted, which cannot be taken back. A webhook without support for dry
 * runs answers with the reason BadRequest (a denial has none), and says nothing about the target.
 */
async function checkTarget(session: Session, ends: Ends, seen: Observed): Promise<void> {
  if (seen.target !== undefined || isTerminating(seen.source)) return;
  try {
    await tryTarget(session, ends, seen);
  } catch (error) {
    if (!isUntriable(error)) throw error;
    session.warn(`Warning: the server cannot check ${namesOf(ends).target} before the move: ${error.said}`);
  }
}

/** Restarts of the containers of each Pod, by the UID of the Pod. */
function restartsOf({ pods }: Observed): ReadonlyMap<string, number> {
  const restarts = (pod: Observed['pods'][number]): number => {
    const statuses = memberAt(pod, 'status', 'containerStatuses');
    return Array.isArray(statuses) ? statuses.reduce((sum: number, status) => sum + Number(memberAt(status, 'restartCount') ?? 0), 0) : 0;
  };
  return new Map(pods.filter(isActive).map((pod) => [pod.metadata.uid ?? '', restarts(pod)]));
}

/** Warns of Pods that did not come through the move. @returns the line that ends it */
function report(session: Session, ends: Ends, before: Observed, after: Observed | undefined): string {
  const [first, last] = [restartsOf(before), after === undefined ? new Map<string, number>() : restartsOf(after)];
  const gone = [...first.keys()].filter((uid) => !last.has(uid)).length;
  const restarted = [...first].filter(([uid, count]) => (last.get(uid) ?? count) > count).length;
  if (gone > 0 || restarted > 0)
    session.warn(
      `Warning: during the move, ${counted(gone, 'Pod')} ended and ${counted(restarted, 'Pod')} restarted a container by themselves`,
    );
  const { target } = namesOf(ends);
  return `${target} adopted ${counted(first.size, 'Pod')} of ${namesOf(ends).source}`;
}

const startOf = ({ flags }: Call, { direction, target }: Ends, sourceUid: string): Start => ({
  mark: markOf(wordOf[direction.to], target.name),
  sourceUid,
  timeoutMs: flags.number('timeout'),
});

/** The source does not exist: it never did, or an earlier run ended with one of its last writes. */
async function withoutSource(call: Call, session: Session, ends: Ends): Promise<undefined> {
  const { source, target } = namesOf(ends);
  const object = await readIfPresent(session, ends.target);
  if (object === undefined) throw new UserError(`${source} not found`);
  if (isMarked(object)) throw unfinished(ends, 'is on hold');
  if (call.flags.bool('yes') && dryRun(call, session) === 'none') await move(session, ends, startOf(call, ends, ''));
  session.out(`${source} does not exist, and ${target} does: there is nothing left to do\n`);
  return undefined;
}

/** An earlier run has moved the Pods, and other programs keep the source. */
async function withKeptSource(call: Call, session: Session, ends: Ends, seen: Observed): Promise<undefined> {
  if (call.flags.bool('yes') && dryRun(call, session) === 'none') await move(session, ends, startOf(call, ends, uidOf(seen.source)));
  else session.warn(keptSource(ends, seen));
  session.out(`${namesOf(ends).target} has the Pods of ${namesOf(ends).source}: there is nothing left to do\n`);
  return undefined;
}

/** Ends a hold that an earlier run has left. */
async function endHold(call: Call, session: Session, { ends, sourceUid }: LeftHold): Promise<undefined> {
  const { source, target } = ends;
  const how = dryRun(call, session);
  const summary = summaryOfLeftHold({
    source: `${source.type.kind}/${source.name}`,
    target: `${target.type.kind}/${target.name}`,
    namespace: source.namespace,
    references: referenceChanges(await readReferrers(session, source.namespace), source, target),
  });
  print(call, session, ends, { summary, how });
  if (how !== 'none') return undefined;
  requireYes(call);
  await move(session, ends, startOf(call, ends, sourceUid));
  printEnd(call, session, `${namesOf(ends).target} adopted the Pods of ${namesOf(ends).source}`);
  return undefined;
}

function requireYes(call: Call): void {
  if (!call.flags.bool('yes')) throw new UserError('nothing was changed; add --yes to carry this out');
}

function printEnd(call: Call, session: Session, text: string): void {
  if (isJson(call)) session.warn(text);
  else session.out(`${text}\n`);
}

function refuseOtherFormat({ flags }: Call): void {
  const format = flags.text('output');
  if (!['', 'text', 'json'].includes(format))
    throw new UserError(
      `unable to match a printer suitable for the output format ${JSON.stringify(format)}, allowed formats are: json,text`,
    );
}

export const run: Run = async (call, session) => {
  refuseOtherFormat(call);
  const ends = await endsOf(call, session);
  const observation = await observe(session, ends);
  const left = await leftHoldOf(session, ends, observation?.seen);
  if (left !== undefined) return endHold(call, session, left);
  if (observation === undefined) return withoutSource(call, session, ends);
  const { seen } = observation;
  if (isMovedAndKept(seen)) return withKeptSource(call, session, ends, seen);
  refuseOtherTarget(seen, startOf(call, ends, uidOf(seen.source)).mark);
  const missing = await missingRights(session, ends, seen);
  if (missing.length > 0) throw new UserError(['the move needs rights that you do not have:', ...missing].join('\n'));
  const how = dryRun(call, session);
  const summary = await summarize(session, ends, seen);
  print(call, session, ends, { summary, how });
  if (summary.refusals.length > 0 && !isMarked(seen.source)) throw new UserError(`the Pods of ${namesOf(ends).source} cannot be moved`);
  if (how === 'server' && seen.target === undefined) await tryTarget(session, ends, seen);
  if (how !== 'none') return undefined;
  requireYes(call);
  // With refusals, the run only takes the mark of an earlier one back.
  if (summary.refusals.length === 0) await checkTarget(session, ends, seen);
  printEnd(call, session, report(session, ends, seen, await move(session, ends, startOf(call, ends, uidOf(seen.source)))));
  return undefined;
};
