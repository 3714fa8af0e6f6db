/**
 * Since when the grace period of a request runs, measured with the clock of this process: the time in its condition is that of another machine, and
 * wall clocks jump.
 */
import { conditionTypes, type ContainerRecreateRequest } from '@kruise/api';
import type { Clock } from '@kruise/kube';
import { milliseconds, type Milliseconds } from '@kruise/objects';

/** How long the grace period has been running. */
export interface Waited {
  /** Since this process saw it begin, or saw it for the first time; 0 while it has not begun. */
  readonly measured: Milliseconds;
  /** Whether the process saw the request before the grace period began, so that `measured` is all of it. */
  readonly isWhole: boolean;
}

/** Returns the condition that shows that the Pod is out of service. */
export const graceCondition = ({ status }: ContainerRecreateRequest) =>
  status?.conditions?.find(({ type, status: value }) => type === conditionTypes.preRecreateGrace && value === 'True');

interface Seen {
  readonly uid: string;
  /** On the monotonic clock; undefined before the grace period has begun. */
  readonly since: Milliseconds | undefined;
  readonly isWhole: boolean;
}

export class GraceWatch {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** By Pod: the request that is processed. An entry is removed when there is none. */
  readonly #seen = new Map<string, Seen>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Notes the present state of the Pod's request. */
  observe(pod: string, request: ContainerRecreateRequest): Waited {
    const now = this.#clock.monotonic();
    const uid = request.metadata.uid ?? '';
    const held = this.#seen.get(pod);
    const before = held?.uid === uid ? held : undefined;
    const hasBegun = graceCondition(request) !== undefined;
    const seen: Seen = { uid, since: hasBegun ? (before?.since ?? now) : undefined, isWhole: before?.isWhole ?? !hasBegun };
    this.#seen.set(pod, seen);
    return { measured: milliseconds(seen.since === undefined ? 0 : now - seen.since), isWhole: seen.isWhole };
  }

  forget(pod: string): void {
    this.#seen.delete(pod);
  }
}
