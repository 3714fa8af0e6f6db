/** What the admission of all kinds around image pulling has in common. @see spec/image-pulling.md 4 */
import type { Denial } from '../module/kind-admission.ts';

export type Version = 'v1alpha1' | 'v1beta1';

/** The denial of a faulty object. */
export const faultDenial = (fault: string | undefined): Denial | undefined =>
  fault === undefined ? undefined : { code: 400, message: fault };
