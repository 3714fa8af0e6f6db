/**
 * Reads the answer of ExecSync as it arrives and keeps the first bytes of the command's output. The runtime sends up to 16 MiB of it at once,
 * whatever the command of a container prints; whole answers of a few containers would take all the memory of a node agent.
 */
import { MalformedMessage, wireTypes } from '../message-codec.ts';

/** The result of a command. An exit code other than 0 is a result, not an error. */
export interface ExecResult {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly exitCode: number;
  /** Whether the command printed more than was kept. */
  readonly isCut?: boolean;
}

/** Maximum of the whole answer, as in other clients of runtimes. */
const longestAnswer = 16 * 1024 * 1024;
const prefixLength = 5;
const longestVarint = 10;
/** Numbers of the fields of ExecSyncResponse. */
const fields = { stdout: 1, stderr: 2, exitCode: 3 } as const;

class Output {
  readonly #longest: number;
  readonly #chunks: Buffer[] = [];
  #length = 0;
  isCut = false;

  constructor(longest: number) {
    this.#longest = longest;
  }

  add(bytes: Buffer): void {
    const kept = bytes.subarray(0, this.#longest - this.#length);
    this.isCut ||= kept.length < bytes.length;
    if (kept.length === 0) return;
    // A copy: a view would keep the whole chunk in memory.
    this.#chunks.push(Buffer.from(kept));
    this.#length += kept.length;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

/** Reads the body of a gRPC answer piece by piece. */
export class ExecAnswer {
  readonly #outputs: ReadonlyMap<number, Output>;
  /** Bytes of an incomplete prefix or number. */
  #begun: number[] = [];
  #next: 'Prefix' | 'Tag' | 'Number' | 'Length' = 'Prefix';
  #field = 0;
  /** Remaining bytes of the message. Anything the runtime sends after it is refused. */
  #toCome = 0;
  /** Remaining bytes of the current value; never more than `#toCome`. */
  #left = 0;
  #exitCode = 0;

  /** Creates a reader. @param keepBytes of each output */
  constructor(keepBytes: number) {
    this.#outputs = new Map([fields.stdout, fields.stderr].map((field) => [field, new Output(keepBytes)]));
  }

  /** Reads the next piece. @throws MalformedMessage */
  push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length;) {
      if (this.#next === 'Prefix') this.#takePrefix(chunk[at++] ?? 0);
      else if (this.#toCome === 0) throw new MalformedMessage('the answer continues after its end');
      else if (this.#left === 0) this.#takeByte(chunk[at++] ?? 0);
      else at += this.#takeBytes(chunk.subarray(at, at + this.#left));
    }
  }

  /**
   * Returns the result after the last piece.
   *
   * @throws MalformedMessage when something is missing
   */
  result(): ExecResult {
    if (this.#next !== 'Tag' || this.#toCome > 0 || this.#begun.length > 0) throw new MalformedMessage('the answer is truncated');
    const [stdout, stderr] = [this.#outputs.get(fields.stdout), this.#outputs.get(fields.stderr)];
    return {
      stdout: stdout?.bytes ?? Buffer.alloc(0),
      stderr: stderr?.bytes ?? Buffer.alloc(0),
      exitCode: this.#exitCode,
      isCut: stdout?.isCut === true || stderr?.isCut === true,
    };
  }

  #takeBytes(bytes: Buffer): number {
    this.#outputs.get(this.#field)?.add(bytes);
    this.#left -= bytes.length;
    this.#toCome -= bytes.length;
    return bytes.length;
  }

  #takeByte(byte: number): void {
    this.#begun.push(byte);
    this.#toCome--;
    if (byte >= 0x80) {
      if (this.#begun.length >= longestVarint) throw new MalformedMessage('a number is too long');
      return;
    }
    const value = this.#begun.reduceRight((sum, part) => (sum << 7n) | BigInt(part & 0x7f), 0n);
    this.#begun = [];
    this.#takeNumber(BigInt.asUintN(64, value));
  }

  #takePrefix(byte: number): void {
    this.#begun.push(byte);
    if (this.#begun.length < prefixLength) return;
    const prefix = Buffer.from(this.#begun);
    this.#begun = [];
    if (prefix[0] !== 0) throw new MalformedMessage('the answer is compressed');
    const length = prefix.readUInt32BE(1);
    if (length > longestAnswer) throw new MalformedMessage(`the answer has ${length} bytes, more than ${longestAnswer}`);
    this.#toCome = length;
    this.#next = 'Tag';
  }

  #takeNumber(value: bigint): void {
    if (this.#next === 'Tag') return this.#takeTag(value);
    if (this.#next === 'Number' && this.#field === fields.exitCode) this.#exitCode = Number(BigInt.asIntN(32, value));
    if (this.#next === 'Length') this.#left = this.#checkedLength(value);
    this.#next = 'Tag';
  }

  #takeTag(tag: bigint): void {
    this.#field = Number(tag >> 3n);
    switch (Number(tag & 7n)) {
      case wireTypes.varint:
        this.#next = 'Number';
        return;
      case wireTypes.bytes:
        this.#next = 'Length';
        return;
      case wireTypes.fixed64:
      case wireTypes.fixed32:
        // No field of the answer has this type: skipped.
        this.#left = this.#checkedLength(Number(tag & 7n) === wireTypes.fixed64 ? 8n : 4n);
        this.#field = 0;
        return;
      default:
        throw new MalformedMessage(`there is no wire type ${tag & 7n}`);
    }
  }

  #checkedLength(value: bigint): number {
    if (value > BigInt(this.#toCome)) throw new MalformedMessage('a field is longer than the answer');
    return Number(value);
  }
}
