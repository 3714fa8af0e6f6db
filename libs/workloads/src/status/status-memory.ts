/** What a workload kind remembers between passes so that statuses are written seldom, and say the same as long as the same is true. */
import { AwaitedRevisions } from '../revisions/awaited-revisions.ts';
import { LastingCauses } from '../blocking/lasting-causes.ts';
import { StatusPace, type PacedStatus } from './status-pace.ts';

/** The memories of one kind. */
export class StatusMemory<S extends object> {
  readonly paced: PacedStatus<S>;
  readonly pace: StatusPace<S>;
  readonly causes = new LastingCauses();
  readonly revisions = new AwaitedRevisions();

  constructor(paced: PacedStatus<S>) {
    this.paced = paced;
    this.pace = new StatusPace(paced);
  }

  /** Called for every object that is deleted. */
  forget(uid: string): void {
    this.pace.forget(uid);
    this.causes.forget(uid);
    this.revisions.forget(uid);
  }
}
