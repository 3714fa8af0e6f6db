import { safeAlphabet } from './safe-alphabet.ts';

/**
 * A random name part such as the instance id of a CloneSet's Pod.
 *
 * @param random gives numbers in [0, 1), as `Math.random` does; handed in so that planning stays repeatable
 * @param length in characters of {@link safeAlphabet}
 */
export function randomSuffix(random: () => number, length = 5): string {
  let suffix = '';
  for (let i = 0; i < length; i += 1) suffix += safeAlphabet.charAt(Math.floor(random() * safeAlphabet.length));
  return suffix;
}
