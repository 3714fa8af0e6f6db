/** ImageListPullJob v1alpha1 <-> v1beta1: the members are the same (spec/image-pulling.md 1). */
import { sameInBothVersions, type Converter } from '../../conversion/converter.ts';

/** Converts ImageListPullJobs between v1alpha1 and v1beta1; pure, never writes to its input. @see spec/manager.md 4.8 */
export const converter: Converter = sameInBothVersions('apps.kruise.io', 'ImageListPullJob');
