/** `adopt`: Pods change their owner without a restart. */
import { counted } from '../print/counted.ts';
import { isFailure } from '@kruise/kube';
import { isTerminating, memberAt, milliseconds, pods as podType, type ResourceType } from '@kruise/objects';
import { replicaSets } from '@kruise/workloads';
import { directionFrom, wordOf } from '../adopt/directions.ts';
import { adoptMark, isActive, isMarked, uidOf, type Observed } from '../adopt/observed.ts';
import { markOf, planAdoption } from '../adopt/plan-adoption.ts';
import { triedPatch, triedReplicaSet } from '../adopt/plan-handover.ts';
import { referenceChanges } from '../adopt/references.ts';
import { refusalText, summaryLines, summaryOf, type AdoptionSummary } from '../adopt/summary.ts';
import { heldTarget } from '../adopt/held-target.ts';
import { finalTarget } from '../adopt/target-spec.ts';
import type { Call, Run } from '../cli/command.ts';
import { UserError } from '../failure.ts';
import { workloadKindOf, slashName } from '../objects/workload-kind.ts';
import { findType } from '../objects/served-types.ts';
import { indented, type DryRun } from '../print/print-object.ts';
import { carryOut, typeOfObserved } from '../session/adopt/carry-out.ts';
import { missingRights, observe, readIfPresent, readReferrers, targetTypeOf, type Ends } from '../session/adopt/observe.ts';
import { dryRun } from '../session/print-result.ts';
import { selectTargets } from '../session/select-objects.ts';
import type { Session } from '../session.ts';

const pollMs = milliseconds(500);

/** @throws UserError for a kind that has no counterpart, and for another target than its counterpart */
async function endsOf(call: Call, session: Session): Promise<Ends> {
  const [source, more] = await selectTargets(call, session, call.args);
  if (source === undefined || more !== undefined) throw new UserError('name one workload: adopt KIND/NAME');
  const direction = directionFrom(workloadKindOf(source.type));
  if (direction === undefined)
    throw new UserError(`Pods of ${source.type.kind} cannot be moved; adopt takes ${Object.values(wordOf).join(', ')}`);
  const type = await targetTypeOf(session, direction);
  const to = call.flags.text('to');
  const asked = to === '' ? type : findType(await session.types(), to);
  if (asked === undefined || workloadKindOf(asked) !== direction.to)
    throw new UserError(`Pods of ${wordOf[direction.from]} can only be moved to ${wordOf[direction.to]}`);
  const name = call.flags.text('name') === '' ? source.name : call.flags.text('name');
  return { direction, source, target: { type: asked, namespace: source.namespace, name } };
}

const namesOf = ({ source, target }: Ends): { readonly source: string; readonly target: string } => ({
  source: slashName(source.type, source.name),
  target: slashName(target.type, target.name),
});

const isJson = ({ flags }: Call): boolean => flags.text('output') === 'json';

/** An earlier run has chosen the target. @throws UserError when it is another one */
function refuseOtherTarget({ source }: Observed, mark: string): void {
  const before = source.metadata.annotations?.[adoptMark];
  if (before !== undefined && before !== mark)
    throw new UserError(`an earlier run moves the Pods to ${before}; run adopt with the same target`);
}

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
    if (!isFailure(error, 'BadRequest') || error.reason !== 'BadRequest') throw error;
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

/** Returns the error for a source that no longer exists although the target is on hold: another client removed the finalizer. */
const unfinished = (ends: Ends, state: string): UserError =>
  new UserError(
    `${namesOf(ends).source} was removed before the move ended, and ${namesOf(ends).target} ${state}; apply the manifest of the latter, ` +
      `remove the annotation ${adoptMark} from it, and look for Pods without a controller`,
  );

/** Returns undefined when the source no longer exists, also when another client has created one with the same name since. */
async function observeAgain(session: Session, ends: Ends, first: Observed): Promise<Observed | undefined> {
  const seen = await observe(session, ends);
  if (seen !== undefined && uidOf(seen.source) === uidOf(first.source)) return seen;
  const target = await readIfPresent(session, ends.target);
  if (target === undefined) throw unfinished(ends, 'does not exist');
  if (isMarked(target)) throw unfinished(ends, 'is on hold');
  if (seen !== undefined)
    session.warn(`Warning: another client created ${namesOf(ends).source} again; it runs Pods of its own until you delete it`);
  return undefined;
}

/** What a run begins with. */
interface Start {
  readonly mark: string;
  readonly first: Observed;
}

/** Carries out step after step. @returns what was observed before the last one */
async function move(call: Call, session: Session, ends: Ends, { mark, first }: Start): Promise<Observed | undefined> {
  const limit = call.flags.number('timeout');
  const deadline = limit === 0 ? Number.POSITIVE_INFINITY : session.clock.monotonic() + limit;
  let [last, waited]: [Observed | undefined, string] = [undefined, ''];
  for (;;) {
    const seen = await observeAgain(session, ends, first);
    if (seen === undefined) return last;
    refuseOtherTarget(seen, mark);
    last = seen;
    const step = planAdoption(seen, mark);
    if (step.kind === 'Done') return last;
    if (step.kind === 'Refuse') throw new UserError(step.refusals.map(refusalText).join('\n'));
    const isNew = step.because !== waited;
    if (isNew) session.warn(`${step.kind === 'Wait' ? 'Waiting: ' : ''}${step.because}`);
    waited = step.because;
    if (step.kind === 'Write') {
      await carryOut(session, step.writes, typeOfObserved(ends));
      // A write that had no effect is decided again, but not at once.
      if (isNew) continue;
    }
    if (session.clock.monotonic() >= deadline)
      throw new UserError(`timed out: ${step.because}\nno Pod was restarted; run the same command again to continue`);
    await session.clock.sleep(pollMs, session.signal);
  }
}

/** As {@link move}; an error of the server is followed by what it means for the move. */
async function moveOrExplain(call: Call, session: Session, ends: Ends, start: Start): Promise<Observed | undefined> {
  try {
    return await move(call, session, ends, start);
  } catch (error) {
    if (!(error instanceof UserError) && !session.signal.aborted)
      session.warn('The move has not ended, and Pods may have no controller: remove the cause, and run the same command again');
    throw error;
  }
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

/** The source does not exist: it never did, or an earlier run ended with its last write. */
async function withoutSource(session: Session, ends: Ends): Promise<undefined> {
  const { source, target } = namesOf(ends);
  const object = await readIfPresent(session, ends.target);
  if (object === undefined) throw new UserError(`${source} not found`);
  if (isMarked(object)) throw unfinished(ends, 'is on hold');
  session.out(`${source} does not exist, and ${target} does: there is nothing left to do\n`);
  return undefined;
}

export const run: Run = async (call, session) => {
  const format = call.flags.text('output');
  if (!['', 'text', 'json'].includes(format))
    throw new UserError(
      `unable to match a printer suitable for the output format ${JSON.stringify(format)}, allowed formats are: json,text`,
    );
  const ends = await endsOf(call, session);
  const seen = await observe(session, ends);
  if (seen === undefined) return withoutSource(session, ends);
  const mark = markOf(wordOf[ends.direction.to], ends.target.name);
  refuseOtherTarget(seen, mark);
  const missing = await missingRights(session, ends, seen);
  if (missing.length > 0) throw new UserError(['the move needs rights that you do not have:', ...missing].join('\n'));
  const how = dryRun(call, session);
  const summary = await summarize(session, ends, seen);
  print(call, session, ends, { summary, how });
  if (summary.refusals.length > 0 && !isMarked(seen.source)) throw new UserError(`the Pods of ${namesOf(ends).source} cannot be moved`);
  if (how === 'server' && seen.target === undefined) await tryTarget(session, ends, seen);
  if (how !== 'none') return undefined;
  if (!call.flags.bool('yes')) throw new UserError('nothing was changed; add --yes to carry this out');
  // With refusals, the run only takes the mark of an earlier one back.
  if (summary.refusals.length === 0) await checkTarget(session, ends, seen);
  const text = report(session, ends, seen, await moveOrExplain(call, session, ends, { mark, first: seen }));
  if (isJson(call)) session.warn(text);
  else session.out(`${text}\n`);
  return undefined;
};
