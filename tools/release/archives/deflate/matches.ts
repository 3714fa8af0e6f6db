/** Finds repetitions in a text: for each place and length, the nearest earlier text that is the same. */

export const shortest = 3;
const longest = 258;
const windowBytes = 32_768;
/** Candidates tried for each place. More make the result smaller by less than 0.1 %. */
const candidates = 400;

const hashBits = 18;

/** Returns a hash of the three bytes at a place. */
const hashOf = (data: Uint8Array, at: number): number =>
  Math.imul((data[at]! << 16) | (data[at + 1]! << 8) | data[at + 2]!, 0x9e_37_79_b1) >>> (32 - hashBits);

/** For each place the matches that are longer than all nearer ones, nearest first. */
export interface Matches {
  /** Where the matches of each place begin in the two lists; one more entry than places. */
  readonly starts: Uint32Array;
  readonly lengths: readonly number[];
  readonly distances: readonly number[];
}

function matchLength(data: Uint8Array, at: number, before: number): number {
  const most = Math.min(longest, data.length - at);
  let length = 0;
  while (length < most && data[at + length] === data[before + length]) length++;
  return length;
}

/** Returns the matches of every place. */
export function findMatches(data: Uint8Array): Matches {
  const starts = new Uint32Array(data.length + 1);
  const [lengths, distances]: [number[], number[]] = [[], []];
  const newest = new Int32Array(1 << hashBits).fill(-1);
  const previous = new Int32Array(data.length).fill(-1);
  for (let at = 0; at < data.length; at++) {
    starts[at] = lengths.length;
    if (at + shortest > data.length) continue;
    const key = hashOf(data, at);
    let best = shortest - 1;
    let before = newest[key]!;
    for (let tried = 0; before >= 0 && at - before <= windowBytes && tried < candidates && best < longest; tried++) {
      const length = data[before + best] === data[at + best] ? matchLength(data, at, before) : 0;
      if (length > best) {
        lengths.push(length);
        distances.push(at - before);
        best = length;
      }
      before = previous[before]!;
    }
    previous[at] = newest[key]!;
    newest[key] = at;
  }
  starts[data.length] = lengths.length;
  return { starts, lengths, distances };
}
