/** What a StatefulSet of either version must fulfil to be stored. @see spec/statefulset.md 4.2 */
import {
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  fieldTypeInvalid,
  isJsonObject,
  isUnset,
  membersAt,
  mostListedErrors,
  semanticEqual,
  type FieldError,
  type JsonObject,
} from '@kruise/objects';
import { obstacleBesideImages } from '../../pod-template/images-only.ts';
import { validateTemplateMetadata } from '../../pod-template/validation/pod-template.ts';
import { validateCount } from '../../validation/workload.ts';
import { ordinalSlots, parseReservedOrdinals } from './ordinals.ts';
import { rolloutPath, validateUnavailable } from './validation-rollout.ts';

/** Validates the order in which Pods are created. */
export function validatePolicy(policy: unknown): readonly FieldError[] {
  const path = 'spec.podManagementPolicy';
  if (isUnset(policy) || policy === '') return [fieldRequired(path)];
  return policy === 'OrderedReady' || policy === 'Parallel' ? [] : [fieldInvalid(path, policy, "must be 'OrderedReady' or 'Parallel'")];
}

/** Validates reserved ordinals. Faults are reported on `spec`, as in the original, with the element in the message. */
export function validateReserved(list: unknown): readonly FieldError[] {
  if (isUnset(list)) return [];
  if (!Array.isArray(list)) return [fieldTypeInvalid('spec.reserveOrdinals', list, 'must be a list')];
  return parseReservedOrdinals(list)
    .faults.slice(0, mostListedErrors + 1)
    .map(({ index, value, why }) => fieldInvalid('spec', value, `reserveOrdinals[${String(index)}] ${why}`));
}

/** Validates the first ordinal. */
export function validateStart(spec: JsonObject): readonly FieldError[] {
  const ordinals = spec['ordinals'];
  if (!isUnset(ordinals) && !isJsonObject(ordinals)) return [fieldTypeInvalid('spec.ordinals', ordinals, 'must be an object')];
  const start = membersAt(spec, 'ordinals')['start'];
  return validateCount(start, 'spec.ordinals.start');
}

/** Validates that every Pod can have an ordinal of 32 bits. */
export function validateRoom(spec: JsonObject): readonly FieldError[] {
  const { replicas } = spec;
  const { start } = membersAt(spec, 'ordinals');
  if (!Number.isInteger(replicas) || !(isUnset(start) || Number.isInteger(start))) return [];
  const { ranges: reserved } = parseReservedOrdinals(spec['reserveOrdinals']);
  const { size } = ordinalSlots({ start: Math.max(Number(start ?? 0), 0), replicas: Math.max(Number(replicas), 0), reserved });
  const why = `start and reservations leave ${String(size)} ordinals up to 2147483647`;
  return size < Number(replicas) ? [fieldInvalid('spec.replicas', replicas, why)] : [];
}

/** Validates how many Pods may be unavailable while the set scales. */
export function validateScale(spec: JsonObject): readonly FieldError[] {
  const scale = spec['scaleStrategy'];
  if (!isUnset(scale) && !isJsonObject(scale)) return [fieldTypeInvalid('spec.scaleStrategy', scale, 'must be an object')];
  const value = membersAt(spec, 'scaleStrategy')['maxUnavailable'];
  return isUnset(value) ? [] : validateUnavailable(value, 'spec.scaleStrategy.maxUnavailable', spec);
}

/** Validates when claims are deleted. */
export function validateRetention(spec: JsonObject): readonly FieldError[] {
  const path = 'spec.persistentVolumeClaimRetentionPolicy';
  const policy = spec['persistentVolumeClaimRetentionPolicy'];
  if (isUnset(policy)) return [];
  if (!isJsonObject(policy)) return [fieldTypeInvalid(path, policy, 'must be an object')];
  return ['whenDeleted', 'whenScaled'].flatMap((name) => {
    const value = policy[name];
    return value === 'Retain' || value === 'Delete' ? [] : [fieldNotSupported(fieldPath(path, name), value ?? '', ['Retain', 'Delete'])];
  });
}

/** Validates the templates of Pods and claims. */
export function validateTemplate(spec: JsonObject): readonly FieldError[] {
  const podSpec = membersAt(membersAt(spec, 'template'), 'spec');
  const { restartPolicy, activeDeadlineSeconds } = podSpec;
  const path = 'spec.template.spec';
  const isAlways = isUnset(restartPolicy) || restartPolicy === '' || restartPolicy === 'Always';
  return [
    ...validateTemplateMetadata(spec['template'], 'spec.template'),
    ...validateShape(membersAt(spec, 'template')['spec'], path),
    ...validateClaimTemplates(spec['volumeClaimTemplates']),
    ...(isAlways ? [] : [fieldNotSupported(`${path}.restartPolicy`, restartPolicy, ['Always'])]),
    ...(isUnset(activeDeadlineSeconds)
      ? []
      : [fieldForbidden(`${path}.activeDeadlineSeconds`, 'activeDeadlineSeconds in StatefulSet is not Supported')]),
  ];
}

/**
 * Validates the shape. The schema does not check the members of a template: values that a Pod could never have are reported here, all others when
 * Pods are created.
 */
function validateShape(podSpec: unknown, path: string): readonly FieldError[] {
  if (isUnset(podSpec)) return [];
  if (!isJsonObject(podSpec)) return [fieldTypeInvalid(path, podSpec, 'must be an object')];
  return ['containers', 'initContainers', 'volumes'].flatMap((name) => validateObjects(podSpec[name], fieldPath(path, name)));
}

function validateObjects(list: unknown, path: string): readonly FieldError[] {
  if (isUnset(list)) return [];
  if (!Array.isArray(list)) return [fieldTypeInvalid(path, list, 'must be a list')];
  const strange = list.findIndex((item) => !isJsonObject(item));
  return strange < 0 ? [] : [fieldTypeInvalid(fieldPath(path, strange), list[strange], 'must be an object')];
}

function validateClaimTemplates(templates: unknown): readonly FieldError[] {
  const path = 'spec.volumeClaimTemplates';
  const faults = validateObjects(templates, path);
  if (faults.length > 0 || isUnset(templates)) return faults;
  const names = (templates as readonly JsonObject[]).map((template) => membersAt(template, 'metadata')['name']);
  const strange = names.findIndex((name) => !isUnset(name) && typeof name !== 'string');
  return strange < 0 ? [] : [fieldTypeInvalid(fieldPath(path, strange, 'metadata', 'name'), names[strange], 'must be a string')];
}

/** Immutable fields; all others may change. */
const immutable = ['selector', 'serviceName', 'podManagementPolicy'] as const;

const mutable =
  "'replicas', 'ordinals', 'template', 'reserveOrdinals', 'lifecycle', 'scaleStrategy', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy', 'volumeClaimTemplates', 'volumeClaimUpdateStrategy' and 'revisionHistoryLimit'";

/** Returns what an update must not do, in addition to `validateStatefulSet` of the new object. Both objects have the same version. */
export function validateStatefulSetUpdate(object: JsonObject, oldObject: JsonObject): readonly FieldError[] {
  const [spec, oldSpec] = [membersAt(object, 'spec'), membersAt(oldObject, 'spec')];
  const changed = immutable.filter((name) => !semanticEqual(spec[name] ?? '', oldSpec[name] ?? ''));
  const frozen =
    changed.length === 0
      ? []
      : [
          fieldForbidden(
            'spec',
            `updates to statefulset spec for fields other than ${mutable} are forbidden: ${changed.join(', ')} changed`,
          ),
        ];
  const policy = membersAt(membersAt(spec, 'updateStrategy'), 'rollingUpdate')['podUpdatePolicy'];
  const found = policy === 'InPlaceOnly' ? obstacleBesideImages(spec, oldSpec, ['image', 'imagePullPolicy']) : undefined;
  return found === undefined
    ? frozen
    : [
        ...frozen,
        fieldInvalid(`${rolloutPath}.podUpdatePolicy`, policy, `only allowed to update images in spec for InPlaceOnly, but found ${found}`),
      ];
}
