/** The initial state of Blowfish: the fraction of pi in 32-bit words, which costs less to compute than to write down. */

/** @param inverse of the number whose arc tangent is computed */
function arcTangent(inverse: bigint, one: bigint): bigint {
  const square = inverse * inverse;
  let power = one / inverse;
  let sum = 0n;
  for (let divisor = 1n, sign = 1n; power !== 0n; divisor += 2n, sign = -sign) {
    sum += (sign * power) / divisor;
    power /= square;
  }
  return sum;
}

const guardBits = 64n;

/** @returns the first words of the fraction of pi: 0x243f6a88, 0x85a308d3, ... */
export function piWords(count: number): Uint32Array {
  const bits = 32n * BigInt(count);
  const one = 1n << (bits + guardBits);
  // Machin's formula.
  const pi = 16n * arcTangent(5n, one) - 4n * arcTangent(239n, one);
  const digits = ((pi & (one - 1n)) >> guardBits).toString(16).padStart(count * 8, '0');
  return Uint32Array.from({ length: count }, (_, at) => Number.parseInt(digits.slice(at * 8, at * 8 + 8), 16));
}
