/** Reads the body of an answer, as a whole or in chunks. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { referenceLimits } from '@kruise/objects';
import { asError } from '../../as-error.ts';
import { TransportError, type WireResponse } from '../transport/transport.ts';

const broken = (): TransportError => new TransportError('Unknown', new Error('the connection broke in the middle of the answer'));

/**
 * Returns whether a body broke before its reader listened. It emits nothing any more, and a reader that waits for an event would wait indefinitely.
 * The head of an answer reaches its caller in a microtask, and all ticks in the queue run before that; the reset of the stream may be one of them.
 */
const isOver = ({ body }: WireResponse): boolean => body.destroyed;

/** Thrown when an answer has more bytes than its reader accepts. */
export class AnswerTooLong extends Error {
  override readonly name = 'AnswerTooLong';
}

/**
 * Returns the whole body, at most `mostBytes` (`referenceLimits.answerBytes` by default), because its parsed form takes several times as many.
 * Rejects with {@link TransportError} when it breaks, with {@link AnswerTooLong} when it has more.
 */
export function readBody(response: WireResponse, mostBytes = referenceLimits.answerBytes.value): Promise<Buffer> {
  if (isOver(response)) return Promise.reject(broken());
  return new Promise((resolve, reject) => {
    const { body } = response;
    const chunks: Buffer[] = [];
    let bytes = 0;
    body.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes <= mostBytes) return;
      chunks.length = 0;
      reject(new AnswerTooLong(`the answer has more than ${mostBytes} bytes`));
      body.destroy();
    });
    body.on('error', (error) => reject(new TransportError('Unknown', asError(error))));
    let ended = false;
    // Every body closes. An error, with its stack, is created only for one that has not reached its end.
    body.on('close', () => {
      if (!ended) reject(broken());
    });
    body.on('end', () => {
      ended = true;
      const [first] = chunks;
      if (!response.isWhole()) reject(broken());
      else resolve(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks));
    });
  });
}

/** Yields the body chunk by chunk, no faster than it is consumed. Throws {@link TransportError} when it breaks. Leaving early closes the stream. */
export async function* readChunks(response: WireResponse): AsyncGenerator<Buffer, void, void> {
  try {
    for await (const chunk of response.body) yield chunk as Buffer;
  } catch (error) {
    throw error instanceof TransportError ? error : new TransportError('Unknown', asError(error));
  }
  if (!response.isWhole()) throw broken();
}

/**
 * Passes the body on chunk by chunk as it arrives, with pauses for the rest of the program. Nothing is buffered in between, so the memory of most
 * chunks is free immediately. Cheaper than {@link readChunks}.
 *
 * @param take may return a promise, which is awaited before the next chunk
 * @returns a promise that rejects with {@link TransportError} when the body breaks, with what `take` throws otherwise (which closes the stream)
 */
export function takeChunks(response: WireResponse, take: (chunk: Buffer) => Promise<void> | undefined): Promise<void> {
  if (isOver(response)) return Promise.reject(broken());
  return new Promise((resolve, reject) => {
    const { body } = response;
    let busyMs = 0;
    const fail = (error: unknown): void => {
      reject(asError(error));
      body.destroy();
    };
    const waitFor = (pause: Promise<void>): void => {
      body.pause();
      pause.then(() => body.resume(), fail);
    };
    const timed = (chunk: Buffer): Promise<void> | undefined => {
      const began = performance.now();
      const pause = take(chunk);
      busyMs += performance.now() - began;
      if (pause !== undefined || busyMs <= LONGEST_SLICE_MS) return pause;
      busyMs = 0;
      return nextTurn();
    };
    body.on('data', (chunk: Buffer) => {
      try {
        const pause = timed(chunk);
        if (pause !== undefined) waitFor(pause);
      } catch (error) {
        fail(error);
      }
    });
    body.on('error', (error) => reject(new TransportError('Unknown', asError(error))));
    body.on('close', () => reject(broken()));
    body.on('end', () => (response.isWhole() ? resolve() : reject(broken())));
  });
}

const LONGEST_SLICE_MS = 8;

/** Keeps a loop over much input from blocking everything else: `if (slice.over()) await slice.pause()`. */
export class TimeSlice {
  #since = performance.now();

  over(): boolean {
    return performance.now() - this.#since > LONGEST_SLICE_MS;
  }

  /** Lets timers and I/O run. */
  async pause(): Promise<void> {
    await nextTurn();
    this.#since = performance.now();
  }
}
