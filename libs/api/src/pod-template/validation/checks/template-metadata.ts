/** Labels, annotations and finalizers of a template. */
import { checkQualifiedName, fieldInvalid, fieldTypeInvalid, isJsonObject } from '@kruise/objects';
import { labelMap } from './affinity.ts';
import { anything, mapOf, objectOf, textList, type Check, type Rule } from './check.ts';

const maxAnnotationsBytes = 256 * 1024;

/** Checks a map of annotations: keys are validated in lower case, as Kubernetes does. */
export const annotationMap = mapOf((key, value, { path, run }) => {
  for (const why of checkQualifiedName(key.toLowerCase())) run.faults.push(fieldInvalid(path, key, why));
  if (typeof value !== 'string') run.faults.push(fieldTypeInvalid(`${path}[${key}]`, value, 'must be a string'));
});

/** Checks the size of all keys and values together, as much as an object may have. */
export const annotationsSize: Rule = (metadata, path, { faults }) => {
  const map = metadata['annotations'];
  if (!isJsonObject(map)) return;
  let size = 0;
  for (const key of Object.keys(map)) {
    const value = map[key];
    size += key.length + (typeof value === 'string' ? value.length : 0);
  }
  if (size > maxAnnotationsBytes)
    faults.push({
      type: 'FieldValueTooLong',
      field: `${path}.annotations`,
      detail: `may not be more than ${String(maxAnnotationsBytes)} bytes`,
    });
};

/** `creationTimestamp: null` and other members without effect are ignored. */
export const templateMetadata: Check = objectOf(
  { annotations: annotationMap, creationTimestamp: anything, finalizers: textList, labels: labelMap },
  annotationsSize,
);
