/** Follows one object by its name. */
import { isFailure } from '@kruise/kube';
import { milliseconds } from '@kruise/objects';
import type { Untyped } from '../objects/untyped.ts';
import type { Target } from './select-objects.ts';
import type { Session } from '../session.ts';

/** Why following ended. `NotWatched`: `watch` is false, and the first look found it not done. */
export type WatchEnd = 'Done' | 'NotWatched' | 'Deleted' | 'TimedOut';

export interface WatchRules {
  /** false: looks once. */
  readonly watch: boolean;
  /** 0: no limit. */
  readonly timeoutMs: number;
}

const pauseMs = milliseconds(1000);

/** A signal that also ends after the time, and a way to stop the timer. */
function limited(
  session: Session,
  timeoutMs: number,
): { readonly signal: AbortSignal; readonly stop: () => void; readonly timedOut: () => boolean } {
  const own = new AbortController();
  let expired = false;
  const timer =
    timeoutMs > 0
      ? session.clock.schedule(milliseconds(timeoutMs), () => {
          expired = true;
          own.abort();
        })
      : undefined;
  const signal = AbortSignal.any([session.signal, own.signal]);
  return { signal, stop: () => timer?.cancel(), timedOut: () => expired };
}

/**
 * Shows the object to `look` until it answers true. A watch that the server ends or that breaks begins again with a new list.
 *
 * @throws NotFound when there is no such object; what `look` throws
 */
export async function watchObject(
  session: Session,
  target: Target,
  rules: WatchRules,
  look: (object: Untyped) => Promise<boolean>,
): Promise<WatchEnd> {
  const limit = limited(session, rules.timeoutMs);
  let shown = '';
  const lookAt = async (object: Untyped): Promise<boolean> => {
    const version = object.metadata.resourceVersion ?? '';
    if (version !== '' && version === shown) return false;
    shown = version;
    return look(object);
  };
  try {
    for (let round = 0; ; round++) {
      const object = await readFirst(session, target, { signal: limit.signal, isFirst: round === 0 });
      if (object === undefined) return 'Deleted';
      if (await lookAt(object)) return 'Done';
      if (!rules.watch) return 'NotWatched';
      const end = await follow(session, target, { signal: limit.signal, from: object.metadata.resourceVersion ?? '' }, lookAt);
      if (end !== undefined) return end;
      await session.clock.sleep(pauseMs, limit.signal);
    }
  } catch (error) {
    if (limit.timedOut() && !session.signal.aborted) return 'TimedOut';
    throw error;
  } finally {
    limit.stop();
  }
}

async function readFirst(
  session: Session,
  target: Target,
  how: { readonly signal: AbortSignal; readonly isFirst: boolean },
): Promise<Untyped | undefined> {
  const { type, namespace, name } = target;
  try {
    return (await session.client().get(type, { namespace, name }, { signal: how.signal })) as Untyped;
  } catch (error) {
    if (!how.isFirst && isFailure(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** @returns undefined when the watch ended and a new one must begin */
async function follow(
  session: Session,
  { type, namespace, name }: Target,
  how: { readonly signal: AbortSignal; readonly from: string },
  look: (object: Untyped) => Promise<boolean>,
): Promise<WatchEnd | undefined> {
  const options = {
    signal: how.signal,
    fieldSelector: `metadata.name=${name}`,
    resourceVersion: how.from,
    ...(namespace === '' ? {} : { namespace }),
  };
  try {
    for await (const event of session.client().watch(type, options)) {
      if (event.type === 'BOOKMARK') continue;
      if (event.type === 'DELETED') return 'Deleted';
      if (await look(event.object as Untyped)) return 'Done';
    }
    return undefined;
  } catch (error) {
    if (how.signal.aborted || !isFailure(error, 'Gone', 'Unreachable', 'ServerError', 'TooManyRequests')) throw error;
    return undefined;
  }
}
