/** What `spec.template` of an AdvancedCronJob must fulfil: one template, from which jobs can be created. @see spec/advancedcronjob.md 4.2 */
import {
  fieldForbidden,
  fieldPath,
  fieldRequired,
  fieldTypeInvalid,
  isJsonObject,
  isUnset,
  type FieldError,
  type JsonObject,
} from '@kruise/objects';
import { anyText, bool, given, int32, int64, objectOf, textMap, type Check } from '../../pod-template/validation/checks/check.ts';
import { validatePodTemplate } from '../../pod-template/validation/pod-template.ts';
import { faultsBy } from '../../pod-template/validation/faults-by.ts';
import { validateBroadcastJobShape, type BroadcastJobValidation } from '../broadcastjob/validation.ts';
import { validateImageListSpec } from './image-list-template.ts';
import { templateNames } from './templates.ts';

/** Validates a spec. @param spec of the jobs, an object @param path of it */
type SpecRule = (spec: JsonObject, path: string, options: BroadcastJobValidation) => readonly FieldError[];

const anObject = objectOf({});

/** Checks only types: the API server validates the members of a Job when it is created. */
const jobShape: Check = objectOf({
  activeDeadlineSeconds: int64,
  backoffLimit: int32,
  backoffLimitPerIndex: int32,
  completionMode: anyText,
  completions: int32,
  managedBy: anyText,
  manualSelector: bool,
  maxFailedIndexes: int32,
  parallelism: int32,
  podFailurePolicy: anObject,
  podReplacementPolicy: anyText,
  selector: anObject,
  successPolicy: anObject,
  suspend: bool,
  ttlSecondsAfterFinished: int32,
});

const validateJobSpec: SpecRule = (spec, path, options) => [
  ...faultsBy(jobShape, spec, path),
  ...validatePodTemplate(spec['template'], fieldPath(path, 'template'), { ...options, claimVolumes: [] }),
];

/** Names of labels and similar values are validated when jobs are created; see `warnings.ts`. */
const metadataShape = objectOf({ annotations: textMap, labels: textMap });

const specRules: Readonly<Record<(typeof templateNames)[number], SpecRule>> = {
  jobTemplate: validateJobSpec,
  broadcastJobTemplate: validateBroadcastJobShape,
  imageListPullJobTemplate: validateImageListSpec,
};

/** Validates one of the templates. */
function validateTemplate(
  job: unknown,
  path: string,
  options: { readonly rule: SpecRule; readonly pods: BroadcastJobValidation },
): readonly FieldError[] {
  if (!isJsonObject(job)) return [fieldTypeInvalid(path, job, 'must be an object')];
  const { metadata, spec } = job;
  const at = fieldPath(path, 'spec');
  const faults = faultsBy(metadataShape, metadata, fieldPath(path, 'metadata'));
  if (isUnset(spec)) return [...faults, fieldRequired(at)];
  return isJsonObject(spec)
    ? [...faults, ...options.rule(spec, at, options.pods)]
    : [...faults, fieldTypeInvalid(at, spec, 'must be an object')];
}

function validateNumber(names: readonly string[], path: string): readonly FieldError[] {
  if (names.length === 1) return [];
  return names.length === 0
    ? [fieldForbidden(path, `spec must have one template: jobTemplate, broadcastJobTemplate or, in v1beta1, imageListPullJobTemplate`)]
    : [fieldForbidden(path, `spec can have only one template, but has ${names.join(' and ')}`)];
}

/** Validates the templates. @param template of any origin @param path of it */
export function validateTemplates(template: unknown, path: string, options: BroadcastJobValidation): readonly FieldError[] {
  if (!isUnset(template) && !isJsonObject(template)) return [fieldTypeInvalid(path, template, 'must be an object')];
  const members = isJsonObject(template) ? template : {};
  return [
    ...validateNumber(given(members, templateNames), path),
    ...templateNames.flatMap((name) =>
      isUnset(members[name]) ? [] : validateTemplate(members[name], fieldPath(path, name), { rule: specRules[name], pods: options }),
    ),
  ];
}
