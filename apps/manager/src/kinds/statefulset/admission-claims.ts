/** Claim templates that change while claims are resized with their Pods. @see spec/statefulset.md 4.2 */
import { classesToLookUp, resizesWithUpdate, inHub, validateClaimGrowth } from '@kruise/api';
import type { Informer } from '@kruise/kube';
import { fieldInternal, messageOf, type FieldError, type JsonObject, type StorageClass } from '@kruise/objects';
import type { Submission } from '../../module/kind-admission.ts';

/** The cache of StorageClasses; undefined while the gate `StatefulSetAutoResizePVCGate` is off. */
export type Classes = Informer<StorageClass> | undefined;

/** StorageClasses are few and rarely change: the webhook thread holds all of them, and reads them only when a size changes. */
async function validateGrowth(
  { object, oldObject }: { readonly object: JsonObject; readonly oldObject: JsonObject },
  classes: Informer<StorageClass>,
  signal: AbortSignal,
): Promise<readonly FieldError[]> {
  if (classesToLookUp(object, oldObject).length === 0) return validateClaimGrowth(object, oldObject, []);
  try {
    await classes.reflector.waitForSync(signal);
    return validateClaimGrowth(object, oldObject, classes.store.list());
  } catch (error) {
    return [fieldInternal('spec.volumeClaimTemplates', `StorageClasses cannot be read: ${messageOf(error)}`)];
  }
}

/** @returns no error if the manager does not resize claims */
export async function validateClaims(
  { object, oldObject }: Pick<Submission, 'object' | 'oldObject'>,
  classes: Classes,
  signal: AbortSignal,
): Promise<readonly FieldError[]> {
  if (classes === undefined || oldObject === undefined) return [];
  // The older version carries how claims are updated where rules do not look.
  const [next, old] = [inHub(object), inHub(oldObject)];
  return resizesWithUpdate(old) ? validateGrowth({ object: next, oldObject: old }, classes, signal) : [];
}
