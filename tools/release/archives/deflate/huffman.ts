/** Huffman codes with a longest length. */

interface Item {
  readonly weight: number;
  readonly symbols: readonly number[];
}

/** Returns the length of the code of each symbol, 0 for one that does not occur, by the package-merge algorithm. */
export function codeLengths(counts: readonly number[], longest: number): readonly number[] {
  const lengths = counts.map(() => 0);
  const leaves = counts.flatMap((weight, symbol): Item[] => (weight > 0 ? [{ weight, symbols: [symbol] }] : []));
  if (leaves.length < 2) return counts.map((_, symbol) => (symbol === (leaves[0]?.symbols[0] ?? 0) ? 1 : 0));
  const sorted = leaves.toSorted((a, b) => a.weight - b.weight);
  let packages: readonly Item[] = [];
  for (let level = 0; level < longest; level++) {
    const merged = [...sorted, ...packages].toSorted((a, b) => a.weight - b.weight);
    if (level === longest - 1) {
      for (const symbol of merged.slice(0, 2 * leaves.length - 2).flatMap(({ symbols }) => symbols)) lengths[symbol]!++;
      break;
    }
    packages = Array.from({ length: merged.length >> 1 }, (_, index) => {
      const [a, b] = [merged[2 * index]!, merged[2 * index + 1]!];
      return { weight: a.weight + b.weight, symbols: [...a.symbols, ...b.symbols] };
    });
  }
  return lengths;
}

const reversed = (code: number, bits: number): number => {
  let result = 0;
  for (let bit = 0; bit < bits; bit++) result |= ((code >> bit) & 1) << (bits - 1 - bit);
  return result;
};

/** Returns the code of each symbol, first bit lowest, as RFC 1951 3.2.2 assigns them. */
export function codesOf(lengths: readonly number[]): readonly number[] {
  const perLength = Array.from({ length: 16 }, (_, bits) => lengths.filter((length) => length === bits && length > 0).length);
  const next = [0, 0];
  for (let bits = 2; bits < 16; bits++) next[bits] = (next[bits - 1]! + perLength[bits - 1]!) << 1;
  return lengths.map((bits) => (bits === 0 ? 0 : reversed(next[bits]!++, bits)));
}
