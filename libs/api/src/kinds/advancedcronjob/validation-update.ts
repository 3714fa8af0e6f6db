/** What an update of an AdvancedCronJob must not do: its templates are immutable, so that all its jobs are equal. @see spec/advancedcronjob.md 4.2 */
import {
  fieldForbidden,
  isJsonObject,
  isUnset,
  membersAt,
  semanticEqual,
  withMembers,
  type FieldError,
  type JsonObject,
} from '@kruise/objects';
import { mapMember } from '../../members/nested-members.ts';
import { defaultPodTemplate, type TemplateDefaultOptions } from '../../pod-template/defaults.ts';
import { mapPodTemplates, templateNames } from './templates.ts';

/** Members that clients with Go's types write in full even when nothing of them is set. */
const structs: ReadonlySet<string> = new Set(['metadata', 'resources', 'completionPolicy', 'failurePolicy']);

const isEmpty = (value: unknown): boolean =>
  isUnset(value) ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (isJsonObject(value) && Object.keys(value).length === 0);

const isZero = (value: unknown): boolean => isUnset(value) || (isJsonObject(value) && Object.values(value).every(isEmpty));

/** Returns the value without empty ones of them; the value itself when there are none. */
function withoutZeroStructs(value: unknown): unknown {
  if (Array.isArray(value)) return unchanged(value, value.map(withoutZeroStructs));
  if (!isJsonObject(value)) return value;
  const changes = new Map<string, unknown>();
  for (const name in value) {
    const member = value[name];
    const isDeleted = structs.has(name) && isZero(member);
    const after = isDeleted ? undefined : withoutZeroStructs(member);
    if (isDeleted || after !== member) changes.set(name, after);
  }
  if (changes.size === 0) return value;
  const kept = Object.entries(value).filter(([name]) => !changes.has(name) || changes.get(name) !== undefined);
  return Object.fromEntries(kept.map(([name, member]) => [name, changes.get(name) ?? member]));
}

const unchanged = (before: readonly unknown[], after: readonly unknown[]): readonly unknown[] =>
  after.every((element, index) => element === before[index]) ? before : after;

/** Returns the templates of an object with the defaults of Pods, whether or not they were filled in when it was stored. */
function comparable(object: JsonObject, options: TemplateDefaultOptions): JsonObject {
  const template = membersAt(membersAt(object, 'spec'), 'template');
  return mapPodTemplates(withoutZeroStructs(template) as JsonObject, (podTemplate) => defaultPodTemplate(podTemplate, options));
}

/** Restores metadata. The CRD of the original drops all labels and annotations there, and the manifest that has them may be applied again. */
const withMetadataOf = (template: JsonObject, oldTemplate: JsonObject): JsonObject =>
  isUnset(membersAt(oldTemplate, 'broadcastJobTemplate')['metadata'])
    ? mapMember(template, 'broadcastJobTemplate', (job) => withMembers(job, { metadata: undefined }))
    : template;

const mutable =
  "'schedule', 'timeZone', 'concurrencyPolicy', 'paused', 'startingDeadlineSeconds', 'successfulJobsHistoryLimit', 'failedJobsHistoryLimit' and, where there is one, 'template.imageListPullJobTemplate'";

/**
 * Returns the fault of an update, in addition to those of the new object by itself.
 *
 * @param object in the version of `oldObject`, the stored one
 * @remarks Never throws. Writing a default or omitting it is no change.
 */
export function validateAdvancedCronJobUpdate(
  object: JsonObject,
  oldObject: JsonObject,
  options: TemplateDefaultOptions,
): readonly FieldError[] {
  const oldTemplate = comparable(oldObject, options);
  const template = withMetadataOf(comparable(object, options), oldTemplate);
  const frozen = templateNames.filter((name) => name !== 'imageListPullJobTemplate' || isUnset(oldTemplate[name]));
  const changed = frozen.filter((name) => !semanticEqual(template[name], oldTemplate[name]));
  if (changed.length === 0) return [];
  const names = changed.map((name) => `template.${name}`).join(' and ');
  return [fieldForbidden('spec', `updates to advancedcronjob spec for fields other than ${mutable} are forbidden: ${names} changed`)];
}
