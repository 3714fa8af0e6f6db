/** What a PersistentPodState must fulfil beyond its schema, in v1beta1. Objects may have any shape; nothing here throws. */
import { deepEqual, fieldForbidden, fieldInvalid, memberAt, textAt, type FieldError, type JsonObject } from '@kruise/objects';
import { emptyTargetFaults, rivalOf, targetPath, targetReferenceOf, unservableTargetFaults } from '../../validation/target-reference.ts';

/** A kind of workload in any version. */
export interface WorkloadGroupKind {
  readonly group: string;
  readonly kind: string;
}

/** What the rules need besides the object. */
export interface PersistentPodStateRules {
  /** Returns whether Pods of such workloads are numbered, so that a name identifies the Pod. */
  readonly supported: (workload: WorkloadGroupKind) => boolean;
  /** The stored object; undefined on create. */
  readonly oldObject: JsonObject | undefined;
  /** The PersistentPodStates of the namespace; the object itself may be among them. */
  readonly others: readonly JsonObject[];
}

function targetFaults(object: JsonObject, { supported, oldObject }: PersistentPodStateRules): readonly FieldError[] {
  const target = memberAt(object, 'spec', 'targetRef');
  const { group, kind } = targetReferenceOf(object);
  return [
    ...emptyTargetFaults(object),
    ...unservableTargetFaults(object, oldObject),
    ...(supported({ group, kind })
      ? []
      : [
          fieldInvalid(
            targetPath,
            target,
            'must be a StatefulSet of group apps or apps.kruise.io, or of a kind on the white list of the cluster',
          ),
        ]),
  ];
}

/** Returns whether there are topology keys. Any existing key counts, whether the API server knows it or not. */
function hasTopology(object: JsonObject): boolean {
  const preferred = memberAt(object, 'spec', 'preferredPersistentTopology');
  const required = memberAt(object, 'spec', 'requiredPersistentTopology');
  return (required !== undefined && required !== null) || (Array.isArray(preferred) && preferred.length > 0);
}

function conflictFaults(object: JsonObject, others: readonly JsonObject[]): readonly FieldError[] {
  const other = rivalOf(object, others);
  if (other === undefined) return [];
  const why = `is in conflict with PersistentPodState ${textAt(other, 'metadata', 'name')}, which is for the same workload`;
  return [fieldInvalid(targetPath, memberAt(object, 'spec', 'targetRef'), why)];
}

/**
 * Returns every fault, in the order of the members.
 *
 * @param object in v1beta1
 * @see spec/persistentpodstate.md 4
 */
export function validatePersistentPodState(object: JsonObject, rules: PersistentPodStateRules): readonly FieldError[] {
  const { oldObject, others } = rules;
  const isChanged = oldObject !== undefined && !deepEqual(memberAt(oldObject, 'spec', 'targetRef'), memberAt(object, 'spec', 'targetRef'));
  return [
    ...targetFaults(object, rules),
    ...(hasTopology(object)
      ? []
      : [
          fieldInvalid(
            'spec',
            memberAt(object, 'spec'),
            'at least one of requiredPersistentTopology and preferredPersistentTopology must be given',
          ),
        ]),
    ...(isChanged ? [fieldForbidden(targetPath, 'targetRef is immutable')] : []),
    ...conflictFaults(object, others),
  ];
}
