/** Carries out a move, step after step. */
import { adoptMark, isMarked, uidOf, type Observed } from '../../adopt/observed/observed.ts';
import { planAdoption } from '../../adopt/plan-adoption.ts';
import { refusalText } from '../../adopt/summary.ts';
import { UserError } from '../../failure.ts';
import { slashName } from '../../objects/workload-kind.ts';
import type { Session } from '../../session.ts';
import { awaitChange } from './await-change.ts';
import { carryOut, typeOfObserved } from './carry-out.ts';
import { observe, readIfPresent, type Ends, type Observation } from './observe.ts';

/** Returns the names of both workloads as they are printed. */
export const namesOf = ({ source, target }: Ends): { readonly source: string; readonly target: string } => ({
  source: slashName(source.type, source.name),
  target: slashName(target.type, target.name),
});

/** An earlier run has chosen the target. @throws UserError when it is another one */
export function refuseOtherTarget({ source }: Observed, mark: string): void {
  const before = source.metadata.annotations?.[adoptMark];
  if (before !== undefined && before !== mark)
    throw new UserError(`an earlier run moves the Pods to ${before}; run adopt with the same target`);
}

/** Returns the error for a source that no longer exists although the target is on hold: another client removed the finalizer. */
export const unfinished = (ends: Ends, state: string): UserError =>
  new UserError(
    `${namesOf(ends).source} was removed before the move ended, and ${namesOf(ends).target} ${state}; apply the manifest of the latter, ` +
      `remove the annotation ${adoptMark} from it, and check for Pods without a controller`,
  );

/** Returns undefined when the source no longer exists, also when another client has created one with the same name since. */
async function observeAgain(session: Session, ends: Ends, first: Observed): Promise<Observation | undefined> {
  const observation = await observe(session, ends);
  if (observation !== undefined && uidOf(observation.seen.source) === uidOf(first.source)) return observation;
  const target = await readIfPresent(session, ends.target);
  if (target === undefined) throw unfinished(ends, 'does not exist');
  if (isMarked(target)) throw unfinished(ends, 'is on hold');
  if (observation !== undefined)
    session.warn(`Warning: another client created ${namesOf(ends).source} again; it runs its own Pods until you delete it`);
  return undefined;
}

/** What a run begins with. */
export interface Start {
  readonly mark: string;
  readonly first: Observed;
  /** For the whole move; 0: no limit. */
  readonly timeoutMs: number;
}

/** Prints each reason once, until there is another one. */
class Reasons {
  readonly #session: Session;
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
}

/** Carries out step after step. @returns what was observed before the last one */
async function moveSteps(session: Session, ends: Ends, { mark, first, timeoutMs }: Start): Promise<Observed | undefined> {
  const deadline = timeoutMs === 0 ? Number.POSITIVE_INFINITY : session.clock.monotonic() + timeoutMs;
  const reasons = new Reasons(session);
  const isOver = (now: Observed): boolean => {
    const next = planAdoption(now, mark);
    if (next.kind === 'Wait') reasons.print(next.because, 'Waiting: ');
    return next.kind !== 'Wait';
  };
  let last: Observed | undefined;
  for (;;) {
    const observation = await observeAgain(session, ends, first);
    if (observation === undefined) return last;
    last = observation.seen;
    refuseOtherTarget(last, mark);
    const step = planAdoption(last, mark);
    if (step.kind === 'Done') return last;
    if (step.kind === 'Refuse') throw new UserError(step.refusals.map(refusalText).join('\n'));
    const isNew = reasons.print(step.because, step.kind === 'Wait' ? 'Waiting: ' : '');
    if (step.kind === 'Write') await carryOut(session, step.writes, typeOfObserved(ends));
    // A write that had no effect is decided again when something has changed.
    if (step.kind === 'Write' && isNew) continue;
    if (session.clock.monotonic() >= deadline)
      throw new UserError(`timed out: ${step.because}\nno Pod was restarted; run the same command again to continue`);
    await awaitChange(session, ends, observation, { isOver, deadline });
  }
}

/** Carries out a move. An error of the server is followed by what it means for the move. @returns what was observed before the last write */
export async function move(session: Session, ends: Ends, start: Start): Promise<Observed | undefined> {
  try {
    return await moveSteps(session, ends, start);
  } catch (error) {
    if (!(error instanceof UserError) && !session.signal.aborted)
      session.warn('The move has not ended, and Pods may have no controller: remove the cause, and run the same command again');
    throw error;
  }
}
