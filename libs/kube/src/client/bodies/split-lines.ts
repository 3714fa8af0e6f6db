/** Splits a byte stream into lines, for watches: one JSON event a line. */
import { NEWLINE } from './json-bytes.ts';

/** Collects chunks and returns whole lines. A line that spans chunks is joined once, never chunk by chunk. */
export class LineSplitter {
  #held: Buffer[] = [];
  #heldBytes = 0;
  readonly #maxLineBytes: number;

  /**
   * Creates an empty splitter.
   *
   * @param maxLineBytes a longer line throws `RangeError`: an API object is below 3 MiB, so such a stream is not a watch
   */
  constructor(maxLineBytes = 64 * 1024 * 1024) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** Returns the lines that `chunk` completes, without their newline and without empty ones, as views of `chunk` where possible. */
  *push(chunk: Buffer): Generator<Buffer, void, void> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const line = this.#complete(chunk.subarray(start, end));
      start = end + 1;
      if (line.length > 0) yield line;
    }
    if (start < chunk.length) this.#hold(chunk.subarray(start));
  }

  /** Number of bytes of the incomplete line. */
  get pendingBytes(): number {
    return this.#heldBytes;
  }

  #complete(tail: Buffer): Buffer {
    if (this.#heldBytes === 0) return tail;
    const line = Buffer.concat([...this.#held, tail], this.#heldBytes + tail.length);
    this.#held = [];
    this.#heldBytes = 0;
    return line;
  }

  #hold(part: Buffer): void {
    this.#heldBytes += part.length;
    if (this.#heldBytes > this.#maxLineBytes) throw new RangeError(`a line of the watch is longer than ${this.#maxLineBytes} bytes`);
    this.#held.push(part);
  }
}
