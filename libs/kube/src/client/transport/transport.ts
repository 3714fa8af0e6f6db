/** Sends requests: over HTTP/2 sessions, or over HTTP/1.1 connections when the server supports nothing better. */
import type { Readable } from 'node:stream';
import type { Cancellation } from './cancellation.ts';
import type { UrlPath } from './resource-path.ts';
import type { Reach } from './retry-policy.ts';

export interface WireRequest {
  readonly method: string;
  /** Path with query. The path of the server URL is prepended already. */
  readonly path: UrlPath;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | undefined;
  /** Called when there is a connection, right before the first byte is sent. When it throws, nothing is sent. */
  readonly beforeSend: () => void;
}

export interface WireResponse {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** Must be read to its end or destroyed, otherwise its stream stays open. An error of it means that the answer broke. */
  readonly body: Readable;
  /** Returns whether the answer is complete. Check it when `body` has ended: a connection that breaks may look like an end. */
  isWhole(): boolean;
}

export interface Transport {
  /**
   * Sends a request and resolves when the head of the answer has arrived. Rejects with {@link TransportError}, or with what `beforeSend` threw.
   * Cancelling afterwards destroys the body.
   */
  send(request: WireRequest, cancel: Cancellation): Promise<WireResponse>;
  close(): void;
}

/** Thrown when there was no answer. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly reach: Reach;

  constructor(reach: Reach, cause: Error) {
    super(cause.message, { cause });
    this.reach = reach;
  }
}
