/** What the admission of all kinds around image pulling has in common. @see spec/image-pulling.md 4 */
import { type GateName, type Gates } from '@kruise/api';
import { isJsonObject, type JsonObject } from '@kruise/objects';
import type { Denial } from '../module/kind-admission.ts';

export type Version = 'v1alpha1' | 'v1beta1';

/** Refuses writes while one of the gates is off. */
export function gateDenial(gates: Gates, ...needed: readonly GateName[]): Denial | undefined {
  const off = needed.find((name) => !gates[name]);
  return off === undefined ? undefined : { code: 403, message: `feature-gate ${off} is not enabled` };
}

/** The denial of a faulty object. */
export const faultDenial = (fault: string | undefined): Denial | undefined =>
  fault === undefined ? undefined : { code: 400, message: fault };

/** An object on its way out is let go, whatever is wrong with it: all that can still happen to it is that its finalizers leave. */
export const isLeaving = ({ metadata }: JsonObject): boolean =>
  isJsonObject(metadata) && metadata['deletionTimestamp'] !== undefined && metadata['deletionTimestamp'] !== null;
