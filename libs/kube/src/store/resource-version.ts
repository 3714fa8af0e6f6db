/** Determines which of two states of one kind is newer. */
import { compareResourceVersions } from '@kruise/objects';

/** Returns whether `a` is known to be newer than `b`; false when their order is unknown. */
export const isNewer = (a: string | undefined, b: string | undefined): boolean => (compareResourceVersions(a, b) ?? 0) > 0;
