/** What an EphemeralJob may contain; its template is opaque to the CRD. @see spec/ephemeraljob.md 4 */
import {
  fieldDuplicate,
  fieldForbidden,
  fieldPath,
  isJsonObject,
  isUnset,
  objectAt,
  textAt,
  validateLabelSelector,
  type FieldError,
  type JsonObject,
  type LabelSelector,
} from '@kruise/objects';
import {
  anyText,
  newestKubernetes,
  objectOf,
  objectsOf,
  required,
  type Check,
  type Rule,
} from '../../pod-template/validation/checks/check.ts';
import { memberChecks } from '../../pod-template/validation/containers/container.ts';
import { podFactsOf } from '../../pod-template/validation/checks/pod-facts.ts';
import type { PodSpecOptions } from '../../pod-template/validation/pod-spec.ts';

/** Members of containers that ephemeral ones cannot have. */
const forbiddenMembers = [
  'ports',
  'resources',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
  'resizePolicy',
  'restartPolicy',
] as const;

const isFilled = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.length > 0;
  return isJsonObject(value) ? Object.keys(value).length > 0 : !isUnset(value);
};

const onlyEphemeralMembers: Rule = (container, path, { faults }) => {
  for (const name of forbiddenMembers)
    if (isFilled(container[name])) faults.push(fieldForbidden(fieldPath(path, name), 'cannot be set for an Ephemeral Container'));
};

const noSubPath: Rule = (mount, path, { faults }) => {
  for (const name of ['subPath', 'subPathExpr'])
    if (textAt(mount, name) !== '') faults.push(fieldForbidden(fieldPath(path, name), 'cannot be set for an Ephemeral Container'));
};

const container: Check = objectOf(
  {
    ...memberChecks,
    targetContainerName: anyText,
    volumeDevices: objectsOf(objectOf({ name: anyText, devicePath: anyText }, required('name', 'devicePath'))),
    volumeMounts: objectsOf(objectOf({ name: anyText, mountPath: anyText }, required('name', 'mountPath'), noSubPath)),
  },
  required('name', 'image', 'terminationMessagePolicy', 'imagePullPolicy'),
  onlyEphemeralMembers,
);

function duplicateNames(containers: unknown, path: string): readonly FieldError[] {
  const seen = new Set<string>();
  return (Array.isArray(containers) ? containers : []).flatMap((one: unknown, index) => {
    const name = isJsonObject(one) ? textAt(one, 'name') : '';
    const isTaken = name !== '' && seen.has(name);
    seen.add(name);
    return isTaken ? [fieldDuplicate(`${path}[${index}].name`, name)] : [];
  });
}

/** What the rules for an EphemeralJob depend on besides the object. */
export type EphemeralJobValidation = Pick<PodSpecOptions, 'allowPrivileged' | 'kubernetes'>;

/**
 * Returns every fault of an EphemeralJob of any origin.
 *
 * @remarks Never throws. A template without containers is no fault here: the job then ends in the phase Error. No defaults are filled in, so the two
 * policies that the API server would default must be set.
 */
export function validateEphemeralJob(object: JsonObject, options: EphemeralJobValidation): readonly FieldError[] {
  const spec = objectAt(object, 'spec') ?? {};
  const { ephemeralContainers } = objectAt(spec, 'template') ?? {};
  const faults: FieldError[] = [];
  objectsOf(container)(ephemeralContainers, 'ephemeralContainers', {
    faults,
    allowPrivileged: options.allowPrivileged,
    kubernetes: options.kubernetes ?? newestKubernetes,
    pod: podFactsOf({}, []),
  });
  return [
    ...(isUnset(spec['selector']) ? [] : validateLabelSelector(spec['selector'] as LabelSelector, 'spec.selector')),
    ...faults,
    ...duplicateNames(ephemeralContainers, 'ephemeralContainers'),
  ];
}
