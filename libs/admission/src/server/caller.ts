/** The caller of a request: how long it waits, and whether it still does. */
import type { Http2ServerResponse } from 'node:http2';
import { orAborted } from '@kruise/kube';

/** The time that the caller allows has passed. */
export class OutOfTime extends Error {}
/** The connection or the stream ended before the answer. */
export class CallerGone extends Error {}

/** The server ends before the answer. */
export class Stopping extends Error {}

export interface Caller {
  /** Aborts with {@link OutOfTime}, {@link CallerGone} or {@link Stopping}. */
  readonly signal: AbortSignal;
  /** Call it once the caller has its answer. */
  end(): void;
}

/**
 * Returns the caller of a response.
 *
 * @param limitMs from now on
 */
export function callerOf(response: Http2ServerResponse, limitMs: number, stopping: AbortSignal): Caller {
  const controller = new AbortController();
  const stop = (): void => controller.abort(stopping.reason);
  const leave = (): void => controller.abort(new CallerGone('the caller has gone'));
  const late = setTimeout(() => controller.abort(new OutOfTime(`there was no answer within ${limitMs} ms`)), limitMs);
  response.once('close', leave);
  stopping.addEventListener('abort', stop);
  if (stopping.aborted) stop();
  const end = (): void => {
    clearTimeout(late);
    response.removeListener('close', leave);
    stopping.removeEventListener('abort', stop);
  };
  return { signal: controller.signal, end };
}

/** Writes an answer as fast as the caller reads it. @throws the reason of `signal` when that aborts before the end */
export async function send(response: Http2ServerResponse, pieces: readonly Buffer[], signal: AbortSignal): Promise<void> {
  const once = (event: string): Promise<void> => orAborted(new Promise((resolve) => response.once(event, () => resolve())), signal);
  for (const piece of pieces) if (!response.write(piece)) await once('drain');
  const sent = once('finish');
  response.end();
  await sent;
}
