import { fnv1a } from './fnv.ts';
import { safeAlphabet } from './safe-alphabet.ts';

/**
 * Returns a random part of a name, such as the instance id of a CloneSet's Pod.
 *
 * @param random returns numbers in [0, 1), as `Math.random` does; a parameter so that planning stays repeatable
 * @param length in characters of {@link safeAlphabet}
 */
export function randomSuffix(random: () => number, length = 5): string {
  let suffix = '';
  for (let i = 0; i < length; i += 1) suffix += safeAlphabet.charAt(Math.floor(random() * safeAlphabet.length));
  return suffix;
}

/**
 * Returns a part of a name that looks random and is the same for the same text.
 *
 * @param text what the name is for; two texts share a suffix of five characters once in 14 million pairs
 */
export function hashedSuffix(text: string, length = 5): string {
  let suffix = '';
  for (let rest = fnv1a(text); suffix.length < length; rest = Math.floor(rest / safeAlphabet.length))
    suffix += safeAlphabet.charAt(rest % safeAlphabet.length);
  return suffix;
}
