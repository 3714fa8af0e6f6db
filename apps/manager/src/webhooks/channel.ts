/** One end of the connection between the main thread and the webhook thread. All messages are posted here, and only those of its direction. */
import type { FromThread, Message, ToThread } from './messages.ts';

/** A `Worker` or a `MessagePort`. */
export interface Port {
  postMessage(message: Message): void;
  on(event: 'message', take: (message: Message) => void): unknown;
  /** Of a `MessagePort` only. */
  close?(): void;
}

export class Channel<Sent extends Message, Received extends Message> {
  readonly #port: Port;

  constructor(port: Port) {
    this.#port = port;
  }

  /** Posts a message. Without effect once the other thread has ended. */
  post(message: Sent): void {
    this.#port.postMessage(message);
  }

  /** Calls `take` with each message, including those that came before this call. */
  receive(take: (message: Received) => void): void {
    this.#port.on('message', (message) => take(message as Received));
  }

  /** Ends the connection, so that it no longer keeps its thread running. */
  close(): void {
    this.#port.close?.();
  }
}

/** The end of the main thread. */
export type ChannelToThread = Channel<ToThread, FromThread>;

/** The end of the webhook thread. */
export type ChannelFromThread = Channel<FromThread, ToThread>;
