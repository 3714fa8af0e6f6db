/** The names of copies of pull secrets, which the manager creates and node agents recognise. Pure. @see spec/image-pulling.md 5.5.1 */
import { fnv1a, formatKey, type ObjectKey } from '@kruise/objects';

const longestName = 253;
const suffixLength = 6;

/**
 * Returns `<name>-<6 hex digits>`, always the same for one source, so that a repeated creation finds the first copy.
 *
 * @param attempt from 0; a higher one when another object has the name
 */
export function secretCopyName(source: ObjectKey, attempt: number): string {
  const hash = fnv1a(`${formatKey(source)}${attempt === 0 ? '' : `#${attempt}`}`)
    .toString(16)
    .padStart(8, '0')
    .slice(0, suffixLength);
  return `${source.name.slice(0, longestName - suffixLength - 1)}-${hash}`;
}

/**
 * Returns whether a copy with this name may be that of a Secret in the namespace. One in 16 million other names matches as well, so only the annotation
 * of the copy is certain. False for copies of other managers, for those of a higher attempt, and when the name of the source was too long for the copy.
 */
export const isNamedAsCopyOf = (namespace: string, name: string): boolean =>
  secretCopyName({ namespace, name: name.slice(0, -suffixLength - 1) }, 0) === name;
