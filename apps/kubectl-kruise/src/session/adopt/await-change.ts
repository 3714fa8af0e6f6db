/** Waits for what controllers do, with one watch of each kind that a move concerns, from where its list ended. */
import { ApiError } from '@kruise/kube';
import { milliseconds, type ResourceType } from '@kruise/objects';
import { withEvent, type FollowedMember } from '../../adopt/observed/observed-event.ts';
import type { Observed } from '../../adopt/observed/observed.ts';
import type { Untyped } from '../../objects/untyped.ts';
import type { Session } from '../../session.ts';
import type { Ends, Observation } from './observe.ts';

/** Events that arrive together are judged together. */
const settleMs = milliseconds(100);
/** The pause before a read that replaces a watch which was refused or has ended. */
const pauseMs = milliseconds(500);
/** A change that no event has announced is read after this time. */
const longestMs = 10_000;

interface Followed {
  readonly member: FollowedMember;
  readonly type: ResourceType;
  readonly resourceVersion: string;
  readonly selector: { readonly labelSelector: string } | { readonly fieldSelector: string };
}

/** An object is followed by its name, a list by the selector of the workload. */
function followedOf({ source, target }: Ends, { seen, lists, labelSelector }: Observation): readonly Followed[] {
  const byName = (member: FollowedMember, type: ResourceType, { metadata }: Untyped): Followed => ({
    member,
    type,
    resourceVersion: metadata.resourceVersion ?? '',
    selector: { fieldSelector: `metadata.name=${metadata.name}` },
  });
  return [
    byName('source', source.type, seen.source),
    ...(seen.target === undefined ? [] : [byName('target', target.type, seen.target)]),
    ...lists.map((list) => ({ ...list, selector: { labelSelector } })),
  ];
}

/** What was observed, as the watches change it, until the first of them ends. */
class Following {
  /** undefined once the source no longer exists. */
  seen: Observed | undefined;
  hasEnded = false;
  /** Of the program, not of the server. */
  failure: Error | undefined;
  readonly #watches: readonly Promise<void>[];
  #isChanged = false;
  #wake: () => void = () => undefined;

  constructor(session: Session, ends: Ends, observation: Observation, signal: AbortSignal) {
    this.seen = observation.seen;
    this.#watches = followedOf(ends, observation).map((one) => this.#follow(session, one, signal));
  }

  /** Resolves when something has changed, or a watch has ended, since the last call. */
  async changed(): Promise<void> {
    if (!this.#isChanged) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#isChanged = false;
  }

  /** Resolves when every watch has ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#watches);
  }

  async #follow(session: Session, { member, type, resourceVersion, selector }: Followed, signal: AbortSignal): Promise<void> {
    const { namespace = '' } = this.seen?.source.metadata ?? {};
    try {
      for await (const event of session.client().watch(type, { ...selector, namespace, resourceVersion, signal })) {
        if (event.type === 'BOOKMARK') continue;
        this.seen = this.seen && withEvent(this.seen, member, { type: event.type, object: event.object as Untyped });
        this.#announce();
      }
    } catch (error) {
      if (error instanceof Error && !(error instanceof ApiError) && !signal.aborted) this.failure = error;
    }
    this.hasEnded = true;
    this.#announce();
  }

  #announce(): void {
    this.#isChanged = true;
    this.#wake();
  }
}

/** When a wait ends. */
export interface WaitRules {
  /** Returns whether there is something to do; called after each change. */
  readonly isOver: (seen: Observed) => boolean;
  /** On the monotonic clock of the session. */
  readonly deadline: number;
}

/** Resolves at the latest after 10 s. What to do is decided on a new read: each watch may be ahead of the others. */
export async function awaitChange(session: Session, ends: Ends, observation: Observation, { isOver, deadline }: WaitRules): Promise<void> {
  const own = new AbortController();
  const signal = AbortSignal.any([session.signal, own.signal]);
  const limitMs = milliseconds(Math.max(0, Math.min(longestMs, deadline - session.clock.monotonic())));
  const timer = session.clock.schedule(limitMs, () => own.abort());
  const following = new Following(session, ends, observation, signal);
  try {
    for (let over = false; !over && !signal.aborted && !following.hasEnded;) {
      await following.changed();
      await session.clock.sleep(settleMs, signal).catch(() => undefined);
      over = following.seen === undefined || isOver(following.seen);
    }
    if (following.hasEnded && !signal.aborted) await session.clock.sleep(pauseMs, signal).catch(() => undefined);
  } finally {
    timer.cancel();
    own.abort();
    await following.ended();
  }
  session.signal.throwIfAborted();
  if (following.failure !== undefined) throw following.failure;
}
