/** A block with codes of its own (RFC 1951 3.2.7). */
import { codeLengths, codesOf } from './huffman.ts';
import { codedDistance, codedLength, distanceCodes, endOfBlock, literalCodes, type Coded } from './symbols.ts';

/** A literal byte, when `distance` is 0, or a repetition of `value` bytes. */
export interface Step {
  readonly value: number;
  readonly distance: number;
}

/** Collects bits, the lowest first. */
export class BitWriter {
  readonly #bytes: number[] = [];
  #held = 0;
  #bits = 0;

  write(value: number, bits: number): void {
    this.#held |= value << this.#bits;
    this.#bits += bits;
    for (; this.#bits >= 8; this.#bits -= 8) {
      this.#bytes.push(this.#held & 255);
      this.#held >>>= 8;
    }
  }

  /** Returns all bytes; the last one is filled with zeros. */
  end(): Uint8Array {
    if (this.#bits > 0) this.#bytes.push(this.#held & 255);
    return Uint8Array.from(this.#bytes);
  }
}

/** How often each symbol occurs, the end of the block included. */
export interface Counts {
  readonly literals: number[];
  readonly distances: number[];
}

export function countSteps(steps: readonly Step[]): Counts {
  const counts = { literals: new Array<number>(literalCodes).fill(0), distances: new Array<number>(distanceCodes).fill(0) };
  counts.literals[endOfBlock] = 1;
  for (const { value, distance } of steps) {
    counts.literals[distance === 0 ? value : codedLength(value).code]!++;
    if (distance > 0) counts.distances[codedDistance(distance).code]!++;
  }
  return counts;
}

/** The lengths of both codes, with runs as symbols 16 to 18. */
function runsOf(lengths: readonly number[]): readonly Coded[] {
  const runs: Coded[] = [];
  for (let at = 0; at < lengths.length;) {
    const code = lengths[at]!;
    let count = 1;
    while (lengths[at + count] === code) count++;
    at += count;
    if (code !== 0) {
      runs.push({ code, extra: 0, bits: 0 });
      count--;
    }
    while (count >= 3) {
      const [symbol, most, bits, least] = code !== 0 ? [16, 6, 2, 3] : count > 10 ? [18, 138, 7, 11] : [17, 10, 3, 3];
      const taken = Math.min(count, most);
      runs.push({ code: symbol, extra: taken - least, bits });
      count -= taken;
    }
    for (; count > 0; count--) runs.push({ code, extra: 0, bits: 0 });
  }
  return runs;
}

const order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const trimmed = (lengths: readonly number[], least: number): readonly number[] =>
  lengths.slice(0, Math.max(least, lengths.findLastIndex((length) => length > 0) + 1));

/** The header of a block, and the codes that it declares. */
class BlockCodes {
  readonly literals: readonly number[];
  readonly distances: readonly number[];
  readonly #runs: readonly Coded[];
  readonly #lengths: readonly number[];
  readonly #shown: number;

  constructor({ literals, distances }: Counts) {
    this.literals = trimmed(codeLengths(literals, 15), 257);
    this.distances = trimmed(codeLengths(distances, 15), 1);
    this.#runs = runsOf([...this.literals, ...this.distances]);
    const counts = new Array<number>(19).fill(0);
    for (const { code } of this.#runs) counts[code]!++;
    this.#lengths = codeLengths(counts, 7);
    this.#shown = Math.max(4, order.findLastIndex((code) => this.#lengths[code]! > 0) + 1);
  }

  get headerBits(): number {
    return 17 + 3 * this.#shown + this.#runs.reduce((sum, { code, bits }) => sum + this.#lengths[code]! + bits, 0);
  }

  writeHeader(out: BitWriter, isLast: boolean): void {
    out.write(isLast ? 1 : 0, 1);
    out.write(2, 2);
    out.write(this.literals.length - 257, 5);
    out.write(this.distances.length - 1, 5);
    out.write(this.#shown - 4, 4);
    for (const code of order.slice(0, this.#shown)) out.write(this.#lengths[code]!, 3);
    const codes = codesOf(this.#lengths);
    for (const { code, extra, bits } of this.#runs) {
      out.write(codes[code]!, this.#lengths[code]!);
      out.write(extra, bits);
    }
  }
}

const sum = (counts: readonly number[], lengths: readonly number[]): number =>
  counts.reduce((bits, count, symbol) => bits + count * (lengths[symbol] ?? 0), 0);

/** Returns the bits of a block without the extra bits of its symbols, which do not depend on its bounds. */
export function blockBits(counts: Counts): number {
  const codes = new BlockCodes(counts);
  return codes.headerBits + sum(counts.literals, codes.literals) + sum(counts.distances, codes.distances);
}

export function writeBlock(out: BitWriter, steps: readonly Step[], isLast: boolean): void {
  const block = new BlockCodes(countSteps(steps));
  block.writeHeader(out, isLast);
  const [literals, distances] = [codesOf(block.literals), codesOf(block.distances)];
  const write = ({ code, extra, bits }: Coded, codes: readonly number[], lengths: readonly number[]): void => {
    out.write(codes[code]!, lengths[code]!);
    out.write(extra, bits);
  };
  for (const { value, distance } of steps) {
    write(distance === 0 ? { code: value, extra: 0, bits: 0 } : codedLength(value), literals, block.literals);
    if (distance > 0) write(codedDistance(distance), distances, block.distances);
  }
  write({ code: endOfBlock, extra: 0, bits: 0 }, literals, block.literals);
}
