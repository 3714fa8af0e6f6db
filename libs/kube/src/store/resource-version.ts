/** Which of two states of one kind is the newer one. */
import { compareResourceVersions } from '@kruise/objects';

/** Whether `a` is known to be newer than `b`; false when their order is not known. */
export const isNewer = (a: string | undefined, b: string | undefined): boolean => (compareResourceVersions(a, b) ?? 0) > 0;
