/** Nodes whose NodeImage did not take a task, so that they are not asked first again and delay the others. */
import { milliseconds, seconds, shortest, type Milliseconds } from '@kruise/objects';
import type { Clock } from '@kruise/kube';

/** After this time they are asked again. */
const patience = seconds(60);

export class RefusedNodes {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** By UID of the job, then by node: until when. A job leaves when it is over, a node when its time is. */
  readonly #until = new Map<string, Map<string, number>>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  add(job: string, nodes: readonly string[]): void {
    if (nodes.length === 0) return;
    const held = this.#until.get(job) ?? new Map<string, number>();
    for (const node of nodes) held.set(node, this.#clock.monotonic() + patience);
    this.#until.set(job, held);
  }

  of(job: string): ReadonlySet<string> {
    const held = this.#until.get(job);
    if (held === undefined) return new Set();
    const now = this.#clock.monotonic();
    for (const [node, until] of held) if (until <= now) held.delete(node);
    if (held.size === 0) this.#until.delete(job);
    return new Set(held.keys());
  }

  /** How long until the first of them is asked again; undefined when there is none. Called after {@link of}. */
  untilAsked(job: string): Milliseconds | undefined {
    const now = this.#clock.monotonic();
    const first = shortest([...(this.#until.get(job)?.values() ?? [])].map((until) => until - now));
    return first === undefined ? undefined : milliseconds(first);
  }

  forget(job: string): void {
    this.#until.delete(job);
  }
}
