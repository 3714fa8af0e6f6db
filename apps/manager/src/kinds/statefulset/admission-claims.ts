/** Claim templates that change while claims are resized with their Pods. @see spec/statefulset.md 4.2 */
import { classesToLookUp, resizesWithUpdate, inHub, validateClaimGrowth, type Gates } from '@kruise/api';
import { fieldInternal, messageOf, storageClasses, type FieldError, type JsonObject } from '@kruise/objects';
import type { LiveReads } from '../../module/handler-dependencies.ts';
import type { Submission } from '../../module/kind-admission.ts';

interface Growing {
  readonly gates: Pick<Gates, 'StatefulSetAutoResizePVCGate'>;
  readonly client: LiveReads;
}

/** StorageClasses are few and change hardly ever: all are read, and only when a size changes. */
async function validateGrowth(
  { object, oldObject }: { readonly object: JsonObject; readonly oldObject: JsonObject },
  client: LiveReads,
  signal: AbortSignal,
): Promise<readonly FieldError[]> {
  if (classesToLookUp(object, oldObject).length === 0) return validateClaimGrowth(object, oldObject, []);
  try {
    const { items } = await client.list(storageClasses, { signal });
    return validateClaimGrowth(object, oldObject, items);
  } catch (error) {
    return [fieldInternal('spec.volumeClaimTemplates', `StorageClasses cannot be read: ${messageOf(error)}`)];
  }
}

/** @returns no fault where nobody resizes claims */
export async function validateClaims(
  { object, oldObject }: Pick<Submission, 'object' | 'oldObject'>,
  { gates, client }: Growing,
  signal: AbortSignal,
): Promise<readonly FieldError[]> {
  if (!gates.StatefulSetAutoResizePVCGate || oldObject === undefined) return [];
  // The older version carries how claims are updated where rules do not look.
  const [next, old] = [inHub(object), inHub(oldObject)];
  return resizesWithUpdate(old) ? validateGrowth({ object: next, oldObject: old }, client, signal) : [];
}
