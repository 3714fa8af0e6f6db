/** What a PersistentPodState must fulfil beyond its schema, in v1beta1. Objects of any shape are judged; nothing here throws. */
import { deepEqual, fieldForbidden, fieldInvalid, groupOf, memberAt, type FieldError } from '@kruise/objects';
import type { Members } from '../../conversion/converter.ts';

/** A kind of workload in any version. */
export interface WorkloadGroupKind {
  readonly group: string;
  readonly kind: string;
}

/** What the rules ask of others. */
export interface PersistentPodStateRules {
  /** Whether Pods of such workloads are numbered, so that a name says which Pod it is. */
  readonly supported: (workload: WorkloadGroupKind) => boolean;
  /** The stored object; undefined on create. */
  readonly oldObject: Members | undefined;
  /** Those of the namespace; the object itself may be among them. */
  readonly others: readonly Members[];
}

interface Reference extends WorkloadGroupKind {
  readonly name: string;
}

const targetPath = 'spec.targetRef';

const textAt = (object: Members, ...path: readonly string[]): string => {
  const value = memberAt(object, ...path);
  return typeof value === 'string' ? value : '';
};

const referenceOf = (object: Members): Reference => ({
  group: groupOf(textAt(object, 'spec', 'targetRef', 'apiVersion')),
  kind: textAt(object, 'spec', 'targetRef', 'kind'),
  name: textAt(object, 'spec', 'targetRef', 'name'),
});

const isSameWorkload = (a: Reference, b: Reference): boolean => a.group === b.group && a.kind === b.kind && a.name === b.name;

function targetFaults(object: Members, { supported }: PersistentPodStateRules): readonly FieldError[] {
  const target = memberAt(object, 'spec', 'targetRef');
  const empty = ['apiVersion', 'kind', 'name'].filter((member) => textAt(object, 'spec', 'targetRef', member) === '');
  const { group, kind } = referenceOf(object);
  return [
    ...(empty.length === 0 ? [] : [fieldInvalid(targetPath, target, `${empty.join(', ')} must not be empty`)]),
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

/** Keys count when they are there, whatever the API server knows of them. */
function hasTopology(object: Members): boolean {
  const preferred = memberAt(object, 'spec', 'preferredPersistentTopology');
  const required = memberAt(object, 'spec', 'requiredPersistentTopology');
  return (required !== undefined && required !== null) || (Array.isArray(preferred) && preferred.length > 0);
}

function conflictFaults(object: Members, others: readonly Members[]): readonly FieldError[] {
  const reference = referenceOf(object);
  const name = textAt(object, 'metadata', 'name');
  const other = others.find((one) => textAt(one, 'metadata', 'name') !== name && isSameWorkload(referenceOf(one), reference));
  if (other === undefined) return [];
  const why = `is in conflict with PersistentPodState ${textAt(other, 'metadata', 'name')}, which is for the same workload`;
  return [fieldInvalid(targetPath, memberAt(object, 'spec', 'targetRef'), why)];
}

/**
 * Every fault, in the order of the members.
 *
 * @param object in v1beta1
 * @see spec/persistentpodstate.md 4
 */
export function validatePersistentPodState(object: Members, rules: PersistentPodStateRules): readonly FieldError[] {
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
