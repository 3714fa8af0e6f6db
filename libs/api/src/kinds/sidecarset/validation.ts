/**
 * What a SidecarSet must fulfil to be stored, in v1beta1. Rules that need other objects are in `conflicts.ts` and `white-list.ts`. @see
 * spec/sidecarset.md 4.2
 */
import {
  checkLabelValue,
  checkQualifiedName,
  fieldForbidden,
  fieldInvalid,
  fieldKey,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  fieldTypeInvalid,
  formatFieldError,
  isEmptyLabelSelector,
  isJsonObject,
  isUnset,
  membersAt,
  metadataValue,
  textAt,
  validateLabelSelector,
  type FieldError,
  type JsonObject,
  type LabelSelector,
} from '@kruise/objects';
import { validatePodTemplate } from '../../pod-template/validation/pod-template.ts';
import { objectsAt } from './members-list.ts';
import { sidecarSetAnnotations } from './names.ts';
import { validateExpressions, validateGivenRegex, validateHotUpgrade, validateSidecarContainers } from './validation-containers.ts';

/** What the rules for a SidecarSet depend on besides the object. */
export interface SidecarSetValidation {
  readonly allowPrivileged: boolean;
  /** Minor version of the API server: 34 for Kubernetes 1.34; the newest when absent. */
  readonly kubernetes?: number | undefined;
}

const namePattern = /^[a-zA-Z0-9-]+$/;
const maxNameLength = 63;
/** Length of the suffix that the API server appends to a `generateName`. */
const suffixLength = 5;

/** Rule 1. Dots are refused, because names become keys of annotations. */
function validateName({ name, generateName }: JsonObject): readonly FieldError[] {
  const isGenerated = (isUnset(name) || name === '') && typeof generateName === 'string' && generateName !== '';
  const path = isGenerated ? 'metadata.generateName' : 'metadata.name';
  const text = isGenerated ? generateName : typeof name === 'string' ? name : '';
  if (!namePattern.test(text)) return [fieldInvalid(path, text, "must consist of alphanumeric characters or '-'")];
  const length = text.length + (isGenerated ? suffixLength : 0);
  return length > maxNameLength ? [fieldInvalid(path, text, `must be no more than ${String(maxNameLength)} characters`)] : [];
}

/** Returns the base that a canary names; undefined for other objects. */
export function sidecarSetBaseOf(object: JsonObject): string | undefined {
  const base = metadataValue(object, 'annotations', sidecarSetAnnotations.base) ?? '';
  return metadataValue(object, 'annotations', sidecarSetAnnotations.canary) === 'true' && base !== '' ? base : undefined;
}

const strategyOf = (object: JsonObject): JsonObject => membersAt(membersAt(object, 'spec'), 'updateStrategy');

const isRollingUpdate = (object: JsonObject): boolean => strategyOf(object)['type'] === 'RollingUpdate';

/** Rules 2 and 6. */
function validateCanary(object: JsonObject): readonly FieldError[] {
  const base = sidecarSetBaseOf(object);
  if (base === undefined) return [];
  const name = membersAt(object, 'metadata')['name'];
  return [
    ...(base === name ? [fieldInvalid('metadata', name, 'base sidecarSet cannot be itself')] : []),
    ...(strategyOf(object)['type'] === 'NotUpdate'
      ? []
      : [fieldForbidden('spec.updateStrategy', 'RollingUpdate is not supported for canary sidecarSet')]),
  ];
}

/** Rule 7. */
const validateNativeSidecars = (object: JsonObject): readonly FieldError[] =>
  isRollingUpdate(object)
    ? objectsAt(membersAt(object, 'spec'), 'initContainers')
        .filter(([container]) => container['restartPolicy'] === 'Always')
        .map(() => fieldRequired('spec.updateStrategy', 'The initContainer in-place upgrade is not currently supported.'))
    : [];

/** Rules 8 and 9: a given selector must be valid and not empty. */
function validateGivenSelector(selector: unknown, path: string): readonly FieldError[] {
  const faults = validateLabelSelector(selector as LabelSelector, path);
  if (faults.length > 0) return faults;
  return isEmptyLabelSelector(selector as LabelSelector)
    ? [fieldInvalid(path, selector, 'empty selector is not valid for sidecarset.')]
    : [];
}

function validateSelectors(spec: JsonObject): readonly FieldError[] {
  const { selector, namespaceSelector } = spec;
  return [
    ...(isUnset(selector)
      ? [fieldRequired('spec.selector', 'no selector defined for SidecarSet')]
      : validateGivenSelector(selector, 'spec.selector')),
    ...(isUnset(namespaceSelector) ? [] : validateGivenSelector(namespaceSelector, 'spec.namespaceSelector')),
  ];
}

const injectionPolicies = ['Always', 'Partial'];

function validatePolicy(policy: string, path: string): readonly FieldError[] {
  if (injectionPolicies.includes(policy)) return [];
  const fault = fieldNotSupported(path, policy, injectionPolicies);
  return [{ ...fault, detail: `Invalid policy; ${fault.detail}` }];
}

/** Rules 10 and 12. */
function validateInjection(spec: JsonObject): readonly FieldError[] {
  const revision = membersAt(spec, 'injectionStrategy')['revision'];
  if (!isJsonObject(revision)) return [];
  const path = 'spec.injectionStrategy.revision';
  const isUnnamed = textAt(revision, 'revisionName') === '' && textAt(revision, 'customVersion') === '';
  const policy = textAt(revision, 'policy');
  return [
    ...(isUnnamed ? [fieldRequired(path, 'revisionName and customVersion cannot be empty simultaneously')] : []),
    ...(policy === '' ? [] : validatePolicy(policy, `${path}.policy`)),
  ];
}

/** Validates a count that is not negative, or a whole percentage (also one above 100). */
function validateCount(value: unknown, path: string): readonly FieldError[] {
  if (isUnset(value)) return [];
  if (typeof value === 'string')
    return /^\d+%$/.test(value) ? [] : [fieldInvalid(path, value, 'must be an integer or a percentage (e.g. 1 or "20%")')];
  if (!Number.isInteger(value)) return [fieldTypeInvalid(path, value, 'must be an integer or a percentage (e.g. 1 or "20%")')];
  return (value as number) < 0 ? [fieldInvalid(path, value, 'must be greater than or equal to 0')] : [];
}

/** Rules 13 and 14. */
function validateRollout(object: JsonObject): readonly FieldError[] {
  if (!isRollingUpdate(object)) return [];
  const { partition, maxUnavailable, selector } = strategyOf(object);
  const path = 'spec.updateStrategy';
  const isPartitioned = !isUnset(partition) && partition !== 0;
  return [
    ...(isPartitioned && !isUnset(selector) ? [fieldForbidden(path, 'Partition and Selector cannot be used together')] : []),
    ...(isUnset(selector) ? [] : validateGivenSelector(selector, `${path}.selector`)),
    ...validateCount(partition, `${path}.partition`),
    ...validateCount(maxUnavailable, `${path}.maxUnavailable`),
  ];
}

const isEmptyList = (value: unknown): boolean => isUnset(value) || (Array.isArray(value) && value.length === 0);

const dummy: JsonObject = { name: 'test', image: 'busybox' };

/** Rules 16 and 20: a Pod could have the containers. */
function validatePod(spec: JsonObject, { allowPrivileged, kubernetes }: SidecarSetValidation): readonly FieldError[] {
  const { containers, initContainers, volumes } = spec;
  if (isEmptyList(containers) && isEmptyList(initContainers))
    return [fieldRequired('spec', 'no initContainer or container defined for SidecarSet')];
  const pod = { containers: isEmptyList(containers) ? [dummy] : containers, initContainers, volumes };
  return validatePodTemplate({ spec: pod }, '', { allowPrivileged, kubernetes, hostNetworkHostPorts: false, claimVolumes: [] });
}

/** Rules 22 and 23. */
function validateMetadataPatches(spec: JsonObject): readonly FieldError[] {
  const path = 'spec.patchPodMetadata';
  const seen = new Set<string>();
  return objectsAt(spec, 'patchPodMetadata').flatMap(([patch, i]) => {
    const at = fieldPath(path, i, 'annotations');
    const entries = Object.entries(membersAt(patch, 'annotations'));
    const faults = entries.flatMap(([key, value]) => [
      ...checkQualifiedName(key.toLowerCase()).map((why) => fieldInvalid(at, key, why)),
      ...(typeof value === 'string' ? [] : [fieldTypeInvalid(fieldKey(at, key), value, 'must be a string')]),
      ...(seen.has(key) ? [fieldRequired(path, `patch annotation[${key}] already exist`)] : []),
    ]);
    for (const [key] of entries) seen.add(key);
    return [
      ...(entries.length === 0 ? [fieldRequired(path, 'no annotations defined for SidecarSet')] : []),
      ...(textAt(patch, 'patchPolicy') === '' ? [fieldRequired(path, 'no patchPolicy defined for patchPodMetadata')] : []),
      ...faults,
    ];
  });
}

/**
 * Returns every fault that a SidecarSet of any origin has by itself, except those of the orders of Pods (`priorityStrategy`, `scatterStrategy`).
 *
 * @param object in v1beta1, with its defaults
 * @remarks Never throws.
 */
export function validateSidecarSet(object: JsonObject, options: SidecarSetValidation): readonly FieldError[] {
  const name = validateName(membersAt(object, 'metadata'));
  const spec = object['spec'];
  if (isUnset(spec)) return [...name, fieldRequired('spec')];
  if (!isJsonObject(spec)) return [...name, fieldTypeInvalid('spec', spec, 'must be an object')];
  return [
    ...name,
    ...validateCanary(object),
    ...validateNativeSidecars(object),
    ...validateSelectors(spec),
    ...validateInjection(spec),
    ...validateRollout(object),
    ...validateSidecarContainers(spec),
    ...validatePod(spec, options),
    ...validateMetadataPatches(spec),
  ];
}

/** Validates the custom version, which becomes a label of the revision. */
function validateCustomVersion(spec: JsonObject): readonly FieldError[] {
  const { customVersion } = spec;
  if (typeof customVersion !== 'string') return [];
  return checkLabelValue(customVersion).map((why) => fieldInvalid('spec.customVersion', customVersion, why));
}

/**
 * Returns faults of which the original accepts some although no Pod could ever run so: hot upgrades without a usable empty image, expressions that
 * always fail, versions whose name no revision can have. An object that was stored with one may be written again.
 */
export function validateSidecarSetStrictly(object: JsonObject, oldObject: JsonObject | undefined): readonly FieldError[] {
  const stored = new Set(oldObject === undefined ? [] : strictFaults(oldObject).map(formatFieldError));
  return strictFaults(object).filter((fault) => !stored.has(formatFieldError(fault)));
}

/** Returns what {@link validateSidecarSetStrictly} accepts because it was stored: for warnings. */
export function storedSidecarSetFaults(object: JsonObject, oldObject: JsonObject | undefined): readonly FieldError[] {
  if (oldObject === undefined) return [];
  const refused = new Set(validateSidecarSetStrictly(object, oldObject).map(formatFieldError));
  return strictFaults(object).filter((fault) => !refused.has(formatFieldError(fault)));
}

const strictFaults = (object: JsonObject): readonly FieldError[] => [
  ...validateCustomVersion(membersAt(object, 'spec')),
  ...['containers', 'initContainers'].flatMap((list) =>
    objectsAt(membersAt(object, 'spec'), list)
      .filter(([container]) => list === 'containers' || container['restartPolicy'] === 'Always')
      .flatMap(([container, i]) => {
        const path = fieldPath('spec', list, i);
        return [...validateHotUpgrade(container, path), ...validateGivenRegex(container, path), ...validateExpressions(container, path)];
      }),
  ),
];

const upgradeTypeOf = (container: JsonObject): string => textAt(membersAt(container, 'upgradeStrategy'), 'upgradeType') || 'ColdUpgrade';

/** Rules 3, 24 and 25: what an update must not do, in addition to the rules for the new object. Both objects are in v1beta1. */
export function validateSidecarSetUpdate(object: JsonObject, oldObject: JsonObject): readonly FieldError[] {
  const kept = new Map(objectsAt(membersAt(oldObject, 'spec'), 'containers').map(([container]) => [container['name'], container]));
  const base = sidecarSetBaseOf(object);
  const oldBase = metadataValue(oldObject, 'annotations', sidecarSetAnnotations.base) ?? '';
  const moved =
    base === undefined || base === oldBase ? [] : [fieldForbidden('metadata', `annotations[${sidecarSetAnnotations.base}] is immutable`)];
  const path = 'spec.containers';
  return [
    ...moved,
    ...objectsAt(membersAt(object, 'spec'), 'containers').flatMap(([container]) => {
      const name = String(container['name']);
      const old = kept.get(container['name']);
      if (old === undefined) return [fieldInvalid(`${path}.name`, name, `container ${name} is not found`)];
      return upgradeTypeOf(old) === upgradeTypeOf(container)
        ? []
        : [fieldInvalid(`${path}.upgradeStrategy.upgradeType`, upgradeTypeOf(container), `container ${name} upgradeType is immutable`)];
    }),
  ];
}
