/** A request with its response, and what both endpoints need of them: the caller, and the time that the request may take to arrive. */
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { callerOf, type Caller } from './caller.ts';
import type { BodyLimits } from './read-body.ts';
import { timeLimitOf } from './time-limit.ts';

export interface Exchange {
  readonly request: Http2ServerRequest;
  readonly response: Http2ServerResponse;
}

export type BodyTimes = Pick<BodyLimits, 'timeoutMs' | 'paceMs'>;

const defaultRequestTimeoutMs = 30_000;

/** Returns the limits for sending a body; those of the options where given. */
export const bodyTimesOf = (requestTimeoutMs = defaultRequestTimeoutMs, paceMs?: number): BodyTimes =>
  paceMs === undefined ? { timeoutMs: requestTimeoutMs } : { timeoutMs: requestTimeoutMs, paceMs };

export const addressOf = ({ request }: Exchange): string => request.socket.remoteAddress ?? '';

/** Returns the caller, who waits as long as the URL says. */
export const callerIn = ({ request, response }: Exchange, stopping: AbortSignal): Caller =>
  callerOf(response, timeLimitOf(request.url ?? ''), stopping);
