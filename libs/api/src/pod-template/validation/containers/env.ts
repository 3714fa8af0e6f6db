/** Environment of containers. */
import { checkDns1123Subdomain, fieldInvalid, objectAt, textAt } from '@kruise/objects';
import { anyText, bool, given, objectOf, objectsOf, required, textBy, type Check, type Rule } from '../checks/check.ts';
import { envFieldRef, envResourceRef } from '../checks/field-references.ts';
import { dataKey, envName, projectedPath, strictEnvName } from '../checks/texts.ts';

const variableName: Check = (value, path, run) => textBy(run.kubernetes < 32 ? strictEnvName : envName)(value, path, run);

const keyReference = objectOf({ name: anyText, key: textBy(dataKey), optional: bool }, required('name', 'key'));
const fileReference = objectOf(
  { volumeName: anyText, path: textBy(projectedPath), key: variableName, optional: bool },
  required('volumeName', 'path', 'key'),
);

const sources: Readonly<Record<string, Check>> = {
  fieldRef: envFieldRef,
  resourceFieldRef: envResourceRef,
  configMapKeyRef: keyReference,
  secretKeyRef: keyReference,
  fileKeyRef: fileReference,
};
const sourceNames = Object.keys(sources);

const oneSource: Rule = (variable, path, { faults }) => {
  const from = objectAt(variable, 'valueFrom');
  if (from === undefined) return;
  const at = `${path}.valueFrom`;
  const count = given(from, sourceNames).length;
  if (count === 0)
    faults.push(fieldInvalid(at, '', 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`'));
  if (count > 1) faults.push(fieldInvalid(at, '', 'may not have more than one field specified at a time'));
  if (count > 0 && textAt(variable, 'value') !== '') faults.push(fieldInvalid(at, '', 'may not be specified when `value` is not empty'));
};

export const envVariables = objectsOf(
  objectOf({ name: variableName, value: anyText, valueFrom: objectOf(sources) }, required('name'), oneSource),
);

const namedSource = objectOf({ name: textBy(checkDns1123Subdomain), optional: bool }, required('name'));

const oneMap: Rule = (source, path, { faults }) => {
  const count = given(source, ['configMapRef', 'secretRef']).length;
  if (count === 0) faults.push(fieldInvalid(path, '', 'must specify one of: `configMapRef` or `secretRef`'));
  if (count > 1) faults.push(fieldInvalid(path, '', 'may not have more than one field specified at a time'));
};

export const envSources = objectsOf(objectOf({ prefix: variableName, configMapRef: namedSource, secretRef: namedSource }, oneMap));
