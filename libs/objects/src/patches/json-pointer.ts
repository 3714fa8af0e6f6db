/** JSON pointers (RFC 6901). */
import { PatchError } from './patch-result.ts';

/** Escapes the `~` and `/` of a member's name as `~0` and `~1`. */
export const escapePointer = (name: string): string => (/[~/]/.test(name) ? name.replaceAll('~', '~0').replaceAll('/', '~1') : name);

/**
 * Parses a pointer.
 * @returns the unescaped steps; the empty pointer has none and refers to the whole document
 * @throws PatchError for a pointer that does not start with `/`, or that would reach a prototype
 */
export function parsePointer(pointer: string): readonly string[] {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) throw new PatchError(`${JSON.stringify(pointer)} is not a JSON pointer`);
  const steps = pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const isPrototype = steps.some((step, i) => step === '__proto__' || (step === 'constructor' && steps[i + 1] === 'prototype'));
  if (isPrototype) throw new PatchError(`${JSON.stringify(pointer)} would reach a prototype`);
  return steps;
}
