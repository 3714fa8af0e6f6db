/**
 * Compresses a text into fewer bytes than zlib does at its highest level, in seconds: of all ways to express it as literals and repetitions, it
 * takes the cheapest by the codes of the way before, and repeats that until the codes hardly change. Any gunzip reads the result.
 */
import { crc32 } from 'node:zlib';
import { BitWriter, blockBits, countSteps, writeBlock, type Counts, type Step } from './block.ts';
import { findMatches, shortest, type Matches } from './matches.ts';
import { codedDistance, codedLength } from './symbols.ts';

const rounds = 12;
/** Steps of the smallest block that is considered. */
const smallestBlock = 4_000;

/** What each symbol costs, in bits. */
interface Costs {
  readonly literals: Float64Array;
  readonly lengths: Float64Array;
  readonly distances: Float64Array;
}

const entropies = (counts: readonly number[]): Float64Array => {
  const total = Math.max(
    1,
    counts.reduce((all, count) => all + count, 0),
  );
  return Float64Array.from(counts, (count) => Math.log2(total / Math.max(count, 0.5)));
};

function costsOf({ literals, distances }: Counts): Costs {
  const [ofLiterals, ofDistances] = [entropies(literals), entropies(distances)];
  const lengths = Float64Array.from({ length: 259 }, (_, length) => {
    const { code, bits } = codedLength(Math.max(shortest, length));
    return ofLiterals[code]! + bits;
  });
  return { literals: ofLiterals, lengths, distances: ofDistances.map((bits, code) => bits + Math.max(0, (code >> 1) - 1)) };
}

/** The costs of the places up to `end`. */
interface Region {
  readonly end: number;
  readonly costs: Costs;
}

/** Returns the cheapest way to express the data. */
function cheapestSteps(data: Uint8Array, { starts, lengths, distances }: Matches, regions: readonly Region[]): readonly Step[] {
  const cost = new Float64Array(data.length + 1).fill(Infinity);
  const [length, distance] = [new Uint16Array(data.length + 1), new Uint16Array(data.length + 1)];
  cost[0] = 0;
  let region = 0;
  for (let at = 0; at < data.length; at++) {
    while (at >= regions[region]!.end) region++;
    const { costs } = regions[region]!;
    const here = cost[at]!;
    const literal = here + costs.literals[data[at]!]!;
    if (literal < cost[at + 1]!) {
      cost[at + 1] = literal;
      length[at + 1] = 1;
    }
    let next = shortest;
    for (let match = starts[at]!; match < starts[at + 1]!; match++) {
      const far = here + costs.distances[codedDistance(distances[match]!).code]!;
      const offer = (reached: number): void => {
        const bits = far + costs.lengths[reached]!;
        if (bits >= cost[at + reached]!) return;
        cost[at + reached] = bits;
        length[at + reached] = reached;
        distance[at + reached] = distances[match]! - 1;
      };
      for (; next <= lengths[match]!; next++) offer(next);
    }
  }
  const steps: Step[] = [];
  for (let at = data.length; at > 0; at -= length[at]!)
    steps.push(length[at] === 1 ? { value: data[at - 1]!, distance: 0 } : { value: length[at]!, distance: distance[at]! + 1 });
  return steps.reverse();
}

/** Returns the steps in blocks: neighbours are joined as long as the joined block is smaller than both. */
function blocksOf(steps: readonly Step[]): readonly (readonly Step[])[] {
  const blocks: { readonly steps: readonly Step[]; readonly bits: number }[] = [];
  const measured = (part: readonly Step[]) => ({ steps: part, bits: blockBits(countSteps(part)) });
  for (let at = 0; at < steps.length; at += smallestBlock) {
    let block = measured(steps.slice(at, at + smallestBlock));
    for (let last = blocks.at(-1); last !== undefined; last = blocks.at(-1)) {
      const joined = measured([...last.steps, ...block.steps]);
      if (joined.bits > last.bits + block.bits) break;
      blocks.pop();
      block = joined;
    }
    blocks.push(block);
  }
  return blocks.map((block) => block.steps);
}

const bytesOf = (steps: readonly Step[]): number => steps.reduce((bytes, { value, distance }) => bytes + (distance === 0 ? 1 : value), 0);

function regionsOf(blocks: readonly (readonly Step[])[]): readonly Region[] {
  let end = 0;
  return blocks.map((steps) => ({ end: (end += bytesOf(steps)), costs: costsOf(countSteps(steps)) }));
}

const bitsOf = (blocks: readonly (readonly Step[])[]): number =>
  blocks.reduce((bits, steps) => {
    const extra = steps.reduce(
      (all, { value, distance }) => all + (distance === 0 ? 0 : codedLength(value).bits + codedDistance(distance).bits),
      0,
    );
    return bits + extra + blockBits(countSteps(steps));
  }, 0);

function smallestBlocks(data: Uint8Array): readonly (readonly Step[])[] {
  const matches = findMatches(data);
  const literals: Counts = countSteps(Array.from(data, (value) => ({ value, distance: 0 })));
  let regions: readonly Region[] = [{ end: data.length, costs: costsOf(literals) }];
  let best: { readonly blocks: readonly (readonly Step[])[]; readonly bits: number } | undefined;
  for (let round = 0; round < rounds; round++) {
    const blocks = blocksOf(cheapestSteps(data, matches, regions));
    const bits = bitsOf(blocks);
    if (best === undefined || bits < best.bits) best = { blocks, bits };
    regions = regionsOf(blocks);
  }
  return best?.blocks ?? [];
}

/** Returns the data as a gzip file without a name and a time. */
export function gzipSmallest(data: Uint8Array): Buffer {
  const blocks = data.length === 0 ? [[]] : smallestBlocks(data);
  const out = new BitWriter();
  for (const [index, steps] of blocks.entries()) writeBlock(out, steps, index === blocks.length - 1);
  const end = Buffer.alloc(8);
  end.writeUInt32LE(crc32(data), 0);
  end.writeUInt32LE(data.length >>> 0, 4);
  return Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255]), out.end(), end]);
}
