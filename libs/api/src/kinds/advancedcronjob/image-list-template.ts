/** What an AdvancedCronJob requires of its template for ImageListPullJobs, which is more than such a job must fulfil by itself. */
import {
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  isUnset,
  membersAt,
  validateLabelSelector,
  type FieldError,
  type JsonObject,
  type LabelSelector,
} from '@kruise/objects';
import { anyText, int32, int64, listOf, objectOf } from '../../pod-template/validation/checks/check.ts';
import { nodeChoiceFault, type Fault } from '../../validation/image-pull.ts';
import { faultsBy } from '../../pod-template/validation/faults-by.ts';
import { imagesFault } from '../imagelistpulljob/validation.ts';

/** A day. */
const longestDeadline = 86400;

const shape = objectOf({
  completionPolicy: objectOf({ activeDeadlineSeconds: int64, ttlSecondsAfterFinished: int32, type: anyText }),
  imagePullPolicy: anyText,
  images: listOf(anyText),
  pullPolicy: objectOf({ backoffLimit: int32, timeoutSeconds: int32 }),
});

const faultAt = (path: string, value: unknown, fault: Fault): readonly FieldError[] =>
  fault === undefined ? [] : [fieldInvalid(path, value, fault)];

const labelFaults = (selector: unknown, path: string): readonly FieldError[] =>
  isUnset(selector) ? [] : validateLabelSelector(selector as LabelSelector, path);

/** Validates nodes, with own messages only for members that label selectors lack. */
function validateNodes({ selector, podSelector }: JsonObject, path: string): readonly FieldError[] {
  const ofLabels = labelFaults(selector, fieldPath(path, 'selector'));
  const areBoth = !isUnset(selector) && !isUnset(podSelector);
  return [
    ...(ofLabels.length > 0 ? ofLabels : faultAt(fieldPath(path, 'selector'), selector, nodeChoiceFault({ selector }))),
    ...labelFaults(podSelector, fieldPath(path, 'podSelector')),
    ...(areBoth ? [fieldForbidden(fieldPath(path, 'podSelector'), 'spec.selector and spec.podSelector cannot be used together')] : []),
  ];
}

function validateImages({ images }: JsonObject, path: string): readonly FieldError[] {
  const isReadable = isUnset(images) || (Array.isArray(images) && images.every((image) => typeof image === 'string'));
  const detail = isReadable ? imagesFault(images) : undefined;
  // The message names the image; the list itself may be long, and is not shown.
  return detail === undefined ? [] : [{ type: 'FieldValueInvalid', field: fieldPath(path, 'images'), detail }];
}

const secondsOf = (value: unknown): number => (typeof value === 'number' || typeof value === 'bigint' ? Number(value) : NaN);

function validateCompletion(spec: JsonObject, path: string): readonly FieldError[] {
  const { type, activeDeadlineSeconds, ttlSecondsAfterFinished } = membersAt(spec, 'completionPolicy');
  const { timeoutSeconds } = membersAt(spec, 'pullPolicy');
  const at = fieldPath(path, 'completionPolicy');
  const isText = isUnset(type) || typeof type === 'string';
  return [
    ...(isText && type !== 'Always' ? [fieldNotSupported(fieldPath(at, 'type'), type ?? '', ['Always'])] : []),
    ...(secondsOf(activeDeadlineSeconds) > longestDeadline
      ? [fieldInvalid(fieldPath(at, 'activeDeadlineSeconds'), activeDeadlineSeconds, `must be no more than ${String(longestDeadline)}`)]
      : []),
    ...(secondsOf(timeoutSeconds) > secondsOf(activeDeadlineSeconds)
      ? [
          fieldInvalid(
            fieldPath(path, 'pullPolicy', 'timeoutSeconds'),
            timeoutSeconds,
            'must be no more than completionPolicy.activeDeadlineSeconds',
          ),
        ]
      : []),
    ...(isUnset(ttlSecondsAfterFinished)
      ? []
      : [fieldForbidden(fieldPath(at, 'ttlSecondsAfterFinished'), 'is not supported here: the history limits say how many jobs are kept')]),
  ];
}

/**
 * Returns every fault of the spec of such a template, with its defaults.
 *
 * @param path of the spec
 * @remarks Never throws. The original reports only the first.
 * @see spec/advancedcronjob.md 4.2
 */
export const validateImageListSpec = (spec: JsonObject, path: string): readonly FieldError[] => [
  ...faultsBy(shape, spec, path),
  ...validateNodes(spec, path),
  ...validateImages(spec, path),
  ...validateCompletion(spec, path),
];
