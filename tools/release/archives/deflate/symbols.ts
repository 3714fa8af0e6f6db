/** The alphabets of RFC 1951: literals with lengths, and distances. */

const lengthBases = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258];
const lengthBits = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const distanceBases = Array.from({ length: 30 }, (_, index) => (index < 4 ? index + 1 : ((2 + (index & 1)) << ((index >> 1) - 1)) + 1));
const distanceBits = Array.from({ length: 30 }, (_, index) => Math.max(0, (index >> 1) - 1));

export const literalCodes = 286;
export const distanceCodes = 30;
export const endOfBlock = 256;

/** A symbol with the bits that follow its code. */
export interface Coded {
  readonly code: number;
  readonly extra: number;
  readonly bits: number;
}

const codedBy = (bases: readonly number[], bits: readonly number[], offset: number, value: number): Coded => {
  const index = bases.findLastIndex((base) => base <= value);
  return { code: offset + index, extra: value - bases[index]!, bits: bits[index]! };
};

const ofLengths = Array.from({ length: 259 }, (_, length) => codedBy(lengthBases, lengthBits, 257, Math.max(3, length)));
const ofDistances = Array.from({ length: 32_769 }, (_, distance) => codedBy(distanceBases, distanceBits, 0, Math.max(1, distance)));

/** @param length 3 to 258 */
export const codedLength = (length: number): Coded => ofLengths[length]!;
/** @param distance 1 to 32,768 */
export const codedDistance = (distance: number): Coded => ofDistances[distance]!;
