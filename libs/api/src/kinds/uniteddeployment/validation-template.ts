/** What the template of a UnitedDeployment's children must fulfil. @see spec/uniteddeployment.md 4.2 */
import {
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTypeInvalid,
  isJsonObject,
  isUnset,
  labelMatcherOf,
  memberAt,
  membersAt,
  type FieldError,
  type JsonObject,
} from '@kruise/objects';
import { anyText, atLeast, objectOf, oneOf, type Check } from '../../pod-template/validation/checks/check.ts';
import { faultsBy } from '../../pod-template/validation/faults-by.ts';
import { validatePodTemplate, validateTemplateMetadata, type PodTemplateOptions } from '../../pod-template/validation/pod-template.ts';
import { unitedTemplateNames, type UnitedTemplateName } from './template-names.ts';

/** What the rules depend on besides the object. */
export type UnitedDeploymentValidation = Omit<PodTemplateOptions, 'claimVolumes'> & {
  /** The stored object; undefined on create. */
  readonly oldObject?: JsonObject | undefined;
};

type SpecRule = (spec: JsonObject, path: string, options: UnitedDeploymentValidation) => readonly FieldError[];

/** Validates the restart policy: Pods of all four kinds run indefinitely. */
function validateRunsOn(spec: JsonObject, path: string): readonly FieldError[] {
  const { restartPolicy, activeDeadlineSeconds } = membersAt(membersAt(spec, 'template'), 'spec');
  const isAlways = isUnset(restartPolicy) || restartPolicy === '' || restartPolicy === 'Always';
  return [
    ...(isAlways ? [] : [fieldNotSupported(`${path}.template.spec.restartPolicy`, restartPolicy, ['Always'])]),
    ...(isUnset(activeDeadlineSeconds) ? [] : [fieldForbidden(`${path}.template.spec.activeDeadlineSeconds`, 'is not supported here')]),
  ];
}

/** Validates the partition. Each subset has one of its own; without a type the original accepts one, which has no effect. */
const validatePartition: SpecRule = (spec, path) => {
  const { type } = membersAt(spec, 'updateStrategy');
  const partition = memberAt(spec, 'updateStrategy', 'rollingUpdate', 'partition');
  return type === 'RollingUpdate' && !isUnset(partition)
    ? [fieldForbidden(`${path}.updateStrategy.rollingUpdate.partition`, 'must not be set; use spec.updateStrategy.manualUpdate.partitions')]
    : [];
};

const retention = oneOf('Retain', 'Delete');

/** The shape of a StatefulSet of Kubernetes without overwritten members. The API server validates its Pods when children are created. */
const statefulSetShape: Check = objectOf({
  minReadySeconds: atLeast(0),
  ordinals: objectOf({ start: atLeast(0) }),
  persistentVolumeClaimRetentionPolicy: objectOf({ whenDeleted: retention, whenScaled: retention }),
  podManagementPolicy: oneOf('OrderedReady', 'Parallel'),
  revisionHistoryLimit: atLeast(0),
  serviceName: anyText,
  updateStrategy: objectOf({ type: oneOf('RollingUpdate', 'OnDelete') }),
});

const rollingShape = objectOf({ partition: atLeast(0) });

const isAmount = (value: unknown): boolean =>
  typeof value === 'string' ? /^(0*[1-9][0-9]?|0*100)%$/.test(value) : typeof value === 'number' && Number.isInteger(value) && value > 0;

/** Validates updates by the rules of Kubernetes for its StatefulSets. */
function validateRolling(spec: JsonObject, path: string): readonly FieldError[] {
  const { type, rollingUpdate } = membersAt(spec, 'updateStrategy');
  const at = `${path}.updateStrategy.rollingUpdate`;
  if (isUnset(rollingUpdate)) return [];
  if (type === 'OnDelete') return [fieldInvalid(at, rollingUpdate, "only allowed for updateStrategy 'RollingUpdate'")];
  const { maxUnavailable } = isJsonObject(rollingUpdate) ? rollingUpdate : {};
  return [
    ...faultsBy(rollingShape, rollingUpdate, at),
    ...(isUnset(maxUnavailable) || isAmount(maxUnavailable)
      ? []
      : [fieldInvalid(`${at}.maxUnavailable`, maxUnavailable, 'must be a whole number from 1, or a percentage from 1% to 100%')]),
  ];
}

const specRules: Readonly<Record<UnitedTemplateName, SpecRule>> = {
  statefulSetTemplate: (spec, path, options) => [
    ...faultsBy(statefulSetShape, spec, path),
    ...validatePartition(spec, path, options),
    ...validateRolling(spec, path),
    ...validateTemplateMetadata(spec['template'], `${path}.template`),
    ...validateRunsOn(spec, path),
  ],
  advancedStatefulSetTemplate: (spec, path, options) => [
    ...validatePartition(spec, path, options),
    ...validateTemplateMetadata(spec['template'], `${path}.template`),
  ],
  cloneSetTemplate: (spec, path) => validateTemplateMetadata(spec['template'], `${path}.template`),
  deploymentTemplate: (spec, path, options) => [
    ...validatePodTemplate(spec['template'], `${path}.template`, { ...options, claimVolumes: [] }),
    ...validateRunsOn(spec, path),
  ],
};

/** Validates labels, with which the UnitedDeployment finds its children and their Pods. */
function validateLabels(labels: unknown, path: string, selector: unknown): readonly FieldError[] {
  const parsed = labelMatcherOf(isJsonObject(selector) ? selector : undefined);
  if (parsed.kind === 'Illegal' || !isJsonObject(selector)) return [];
  const map = isJsonObject(labels) ? (labels as Readonly<Record<string, string>>) : {};
  return parsed.matcher.matches(map) ? [] : [fieldInvalid(path, labels ?? {}, '`selector` does not match template `labels`')];
}

function validateChild(
  name: UnitedTemplateName,
  child: unknown,
  parent: JsonObject,
  options: UnitedDeploymentValidation,
): readonly FieldError[] {
  const path = `spec.template.${name}`;
  if (!isJsonObject(child)) return [fieldTypeInvalid(path, child, 'must be an object')];
  const { spec } = child;
  const { selector } = parent;
  const own = validateLabels(membersAt(child, 'metadata')['labels'], `${path}.metadata.labels`, selector);
  if (isUnset(spec)) return [...own, fieldRequired(`${path}.spec`)];
  if (!isJsonObject(spec)) return [...own, fieldTypeInvalid(`${path}.spec`, spec, 'must be an object')];
  const { replicas } = spec;
  return [
    ...own,
    ...(isUnset(replicas) ? [] : [fieldForbidden(`${path}.spec.replicas`, 'must not be set; the subsets say how many Pods there are')]),
    ...validateLabels(memberAt(spec, 'template', 'metadata', 'labels'), `${path}.spec.template.metadata.labels`, selector),
    ...specRules[name](spec, `${path}.spec`, options),
  ];
}

/**
 * Returns stored faults. The original does not validate a CloneSet template: a stored value of any kind is accepted, or nothing else of the object
 * could change. None of it is harmful, because children have labels, replicas and selector of their own.
 */
function storedFaults(name: UnitedTemplateName, options: UnitedDeploymentValidation): ReadonlySet<string> {
  const parent = membersAt(options.oldObject ?? {}, 'spec');
  const child = membersAt(parent, 'template')[name];
  const faults = name === 'cloneSetTemplate' && !isUnset(child) ? validateChild(name, child, parent, options) : [];
  return new Set(faults.map(({ field }) => field));
}

/** Validates that there is exactly one template, from which children can be created. @param spec of the UnitedDeployment */
export function validateTemplates(spec: JsonObject, options: UnitedDeploymentValidation): readonly FieldError[] {
  const path = 'spec.template';
  const { template } = spec;
  if (!isUnset(template) && !isJsonObject(template)) return [fieldTypeInvalid(path, template, 'must be an object')];
  const given = unitedTemplateNames.filter((name) => !isUnset(membersAt(spec, 'template')[name]));
  const [first, ...further] = given;
  if (first === undefined) return [fieldRequired(path, `one of ${unitedTemplateNames.join(', ')} must be set`)];
  if (further.length > 0) return [fieldInvalid(path, given.join(', '), 'exactly one template must be set')];
  const stored = storedFaults(first, options);
  return validateChild(first, membersAt(spec, 'template')[first], spec, options).filter(({ field }) => !stored.has(field));
}
