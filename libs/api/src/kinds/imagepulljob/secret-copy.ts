/** Names of copies of pull secrets, which the manager makes and node agents recognise. Pure. @see spec/image-pulling.md 5.5.1 */
import { fnv1a, formatKey, type ObjectKey } from '@kruise/objects';

const longestName = 253;
const suffixLength = 6;

/**
 * `<name>-<6 hex digits>`, always the same for one source, so that a repeated creation finds the first.
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
 * Whether a copy of this name may be that of a Secret in the namespace: one in 16 million other names fits as well, so that only the copy itself says for
 * certain. False for copies of other managers, for those of a higher attempt, and where the name of the source was too long for the copy.
 */
export const isNamedAsCopyOf = (namespace: string, name: string): boolean =>
  secretCopyName({ namespace, name: name.slice(0, -suffixLength - 1) }, 0) === name;
