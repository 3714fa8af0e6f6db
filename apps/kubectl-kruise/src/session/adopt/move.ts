/** Carries out a move, step after step. */
import { isTerminating, milliseconds, unreachable } from '@kruise/objects';
import { adoptMark, foreignFinalizers, isHeld, isMarked, uidOf, type Observed } from '../../adopt/observed/observed.ts';
import { interruptionText } from '../../adopt/interruption.ts';
import { MoveLog } from '../../adopt/move-log.ts';
import { planAdoption } from '../../adopt/plan/plan-adoption.ts';
import { planRelease, planTidying } from '../../adopt/plan/plan-release.ts';
import { releaseRecordIn, type ReleaseRecord } from '../../adopt/plan/release-record.ts';
import type { Step, WriteStep } from '../../adopt/step.ts';
import { refusalText } from '../../adopt/plan/summary.ts';
import { UserError } from '../../failure.ts';
import { slashName } from '../../objects/workload-kind.ts';
import type { Untyped } from '../../objects/untyped.ts';
import type { Session } from '../../session.ts';
import { awaitChange } from './await-change.ts';
import { carryOut, typeOfObserved } from './carry-out.ts';
import { observe, readIfPresent, readReplicaSets, type Ends, type Observation } from './observe.ts';

/** Returns the names of both workloads as they are printed. */
export const namesOf = ({ source, target }: Ends): { readonly source: string; readonly target: string } => ({
  source: slashName(source.type, source.name),
  target: slashName(target.type, target.name),
});

/** An earlier run has chosen the target. @throws UserError when it is another one */
export function refuseOtherTarget({ source }: Observed, mark: string): void {
  const before = isHeld(source) || isTerminating(source) ? source.metadata.annotations?.[adoptMark] : undefined;
  if (before !== undefined && before !== mark)
    throw new UserError(`an earlier run moves the Pods to ${before}; run adopt with the same target`);
}

/** Returns the error for a source that no longer exists although the target is on hold: another client removed the finalizer. */
export const unfinished = (ends: Ends, state: string): UserError =>
  new UserError(
    `${namesOf(ends).source} was removed before the move ended, and ${namesOf(ends).target} ${state}; apply the manifest of the latter, ` +
      `remove the annotation ${adoptMark} from it, and check for Pods without a controller`,
  );

/** Prints each reason once, until there is another one, and each warning once. */
class Reasons {
  readonly #session: Session;
  readonly #warned = new Set<string>();
  #last = '';

  constructor(session: Session) {
    this.#session = session;
  }

  /** @returns whether the reason is another one than the last */
  print(because: string, prefix = ''): boolean {
    if (because === this.#last) return false;
    this.#last = because;
    this.#session.warn(`${prefix}${because}`);
    return true;
  }

  warn(warnings: readonly string[]): void {
    for (const text of warnings.filter((one) => !this.#warned.has(one))) {
      this.#warned.add(text);
      this.#session.warn(text);
    }
  }
}

/** How far a move is: its source exists, its target is on hold without it, or neither. */
type Progress =
  | { readonly kind: 'Source'; readonly observation: Observation }
  | { readonly kind: 'Hold'; readonly target: Untyped; readonly record: ReleaseRecord }
  /** `replicaSets` of a target that is a Deployment. */
  | { readonly kind: 'Released'; readonly target: Untyped; readonly replicaSets: readonly Untyped[] };

const sourceAgain = (ends: Ends): string =>
  `Warning: another client created ${namesOf(ends).source} again; it runs its own Pods until you delete it`;

/** Returns the warning for a source that exists although the move has ended. */
export function keptSource(ends: Ends, { source }: Observed): string {
  const names = foreignFinalizers(source);
  const what = names.length === 1 ? 'the finalizer' : 'the finalizers';
  return `Warning: ${namesOf(ends).source} is being deleted, and exists until another program removes ${what} ${names.join(', ')}`;
}

/** The source no longer exists, also when another client has created one with the same name since. */
async function progressOf(session: Session, ends: Ends, sourceUid: string, reasons: Reasons): Promise<Progress> {
  const observation = await observe(session, ends);
  if (observation !== undefined && uidOf(observation.seen.source) === sourceUid) return { kind: 'Source', observation };
  const target = await readIfPresent(session, ends.target);
  if (target === undefined) throw unfinished(ends, 'does not exist');
  const record = isMarked(target) ? releaseRecordIn(target) : undefined;
  if (record !== undefined) return { kind: 'Hold', target, record };
  if (isMarked(target)) throw unfinished(ends, 'is on hold');
  if (observation !== undefined) reasons.warn([sourceAgain(ends)]);
  return { kind: 'Released', target, replicaSets: await readReplicaSets(session, ends, target) };
}

/** What a run begins with. */
export interface Start {
  readonly mark: string;
  readonly sourceUid: string;
  /** For the whole move; 0: no limit. */
  readonly timeoutMs: number;
}

/** The pause before a step without the source is decided again. */
const pauseMs = milliseconds(500);

function nextStep(progress: Progress, ends: Ends, mark: string): Step {
  switch (progress.kind) {
    case 'Source':
      refuseOtherTarget(progress.observation.seen, mark);
      return planAdoption(progress.observation.seen, mark);
    case 'Hold':
      return planRelease(progress.target, ends.target.type, progress.record);
    case 'Released':
      return planTidying(progress.target, progress.replicaSets);
    default:
      return unreachable(progress);
  }
}

/** What one run prints and records. */
interface Output {
  readonly reasons: Reasons;
  readonly log: MoveLog;
}

/** @returns whether it may have had an effect: a write that is repeated had none, and is decided again when something has changed */
async function writeStep(
  session: Session,
  ends: Ends,
  { because, warnings = [], writes }: WriteStep,
  { reasons, log }: Output,
): Promise<boolean> {
  const isNew = reasons.print(because);
  reasons.warn(warnings);
  await carryOut(session, writes, typeOfObserved(ends), log);
  return isNew;
}

async function observeProgress(session: Session, ends: Ends, sourceUid: string, { reasons, log }: Output): Promise<Progress> {
  const progress = await progressOf(session, ends, sourceUid, reasons);
  log.observed(progress.kind === 'Source' ? { kind: 'Source', seen: progress.observation.seen } : { kind: progress.kind });
  return progress;
}

/** Carries out step after step. @returns what was observed before the last one with the source */
async function moveSteps(session: Session, ends: Ends, { mark, sourceUid, timeoutMs }: Start, log: MoveLog): Promise<Observed | undefined> {
  const deadline = timeoutMs === 0 ? Number.POSITIVE_INFINITY : session.clock.monotonic() + timeoutMs;
  const reasons = new Reasons(session);
  const output = { reasons, log };
  const isOver = (now: Observed): boolean => {
    const next = planAdoption(now, mark);
    if (next.kind === 'Wait') reasons.print(next.because, 'Waiting: ');
    return next.kind !== 'Wait';
  };
  let last: Observed | undefined;
  for (;;) {
    const progress = await observeProgress(session, ends, sourceUid, output);
    if (progress.kind === 'Source') last = progress.observation.seen;
    const step = nextStep(progress, ends, mark);
    if (step.kind === 'Done') {
      if (progress.kind === 'Source') reasons.warn([keptSource(ends, progress.observation.seen)]);
      return last;
    }
    if (step.kind === 'Refuse') throw new UserError(step.refusals.map(refusalText).join('\n'));
    if (step.kind === 'Wait') reasons.print(step.because, 'Waiting: ');
    else if (await writeStep(session, ends, step, output)) continue;
    if (session.clock.monotonic() >= deadline)
      throw new UserError(`timed out: ${step.because}\nno Pod was restarted; run the same command again to continue`);
    if (progress.kind === 'Source') await awaitChange(session, ends, progress.observation, { isOver, deadline });
    else await session.clock.sleep(pauseMs, session.signal);
  }
}

/**
 * Carries out a move. An error of the server is followed by what it means for the move; an interruption by how far the move is.
 *
 * @returns what was observed before the last write
 */
export async function move(session: Session, ends: Ends, start: Start): Promise<Observed | undefined> {
  const log = new MoveLog();
  try {
    return await moveSteps(session, ends, start, log);
  } catch (error) {
    if (!(error instanceof UserError))
      session.warn(
        session.signal.aborted
          ? interruptionText(log.interrupted(namesOf(ends)))
          : 'The move has not ended, and Pods may have no controller: remove the cause, and run the same command again',
      );
    throw error;
  }
}
