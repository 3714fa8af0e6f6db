/** Claims that are created from templates: of ephemeral volumes and of workloads. @see Kubernetes "Persistent Volumes" */
import {
  checkDns1123Subdomain,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTypeInvalid,
  isJsonObject,
  isUnset,
  listAt,
  objectAt,
  parseQuantity,
  textAt,
  type JsonObject,
} from '@kruise/objects';
import { labelMap, labelSelector } from '../checks/affinity.ts';
import { anyText, anything, objectOf, oneOfNotEmpty, required, textBy, textList, type Check, type Rule } from '../checks/check.ts';
import { annotationMap } from '../checks/template-metadata.ts';

const modes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

const accessModes: Rule = (spec, path, { faults }) => {
  const at = `${path}.accessModes`;
  const value = spec['accessModes'];
  if (isUnset(value) || (Array.isArray(value) && value.length === 0))
    faults.push(fieldRequired(at, `at least 1 access mode is required, of ${modes.join(', ')}`));
  const given = listAt(spec, 'accessModes').filter((mode) => typeof mode === 'string');
  // One is sufficient: a list of thousands must not cost thousands of suggestions.
  const unknown = given.find((mode) => !modes.includes(mode));
  if (unknown !== undefined) faults.push(fieldNotSupported(at, unknown, modes));
  if (given.includes('ReadWriteOncePod') && given.some((mode) => mode !== 'ReadWriteOncePod' && modes.includes(mode)))
    faults.push(fieldForbidden(at, 'may not use ReadWriteOncePod with other access modes'));
};

const notQuantity = 'must be a quantity, such as 500Mi or 2Gi';

/** Absence is reported at the resource, as the API server does. */
const storage: Rule = (spec, path, { faults }) => {
  const at = `${path}.resources[storage]`;
  const requests = objectAt(objectAt(spec, 'resources') ?? {}, 'requests') ?? {};
  const value = requests['storage'];
  if (isUnset(value)) {
    faults.push(fieldRequired(at));
    return;
  }
  const size = parseQuantity(value);
  if (size === undefined) faults.push(fieldTypeInvalid(at, value, notQuantity));
  else if (size.nanos <= 0n) faults.push(fieldInvalid(at, value, 'must be greater than zero'));
};

/** Other amounts must be quantities, or the claim could not be parsed. */
const amounts =
  (member: 'limits' | 'requests'): Rule =>
  (resources, path, { faults }) => {
    const map = resources[member];
    if (isUnset(map)) return;
    if (!isJsonObject(map)) {
      faults.push(fieldTypeInvalid(`${path}.${member}`, map, 'must be an object'));
      return;
    }
    for (const name of Object.keys(map))
      if (!(member === 'requests' && name === 'storage') && parseQuantity(map[name]) === undefined)
        faults.push(fieldTypeInvalid(`${path}.${member}[${name}]`, map[name], notQuantity));
  };

const dataSource: Rule = (source, path, { faults }) => {
  const group = textAt(source, 'apiGroup');
  if (group === '' && textAt(source, 'kind') !== 'PersistentVolumeClaim')
    faults.push(fieldInvalid(path, textAt(source, 'kind'), "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
};
const sourceMembers: Readonly<Record<string, Check>> = { apiGroup: textBy(checkDns1123Subdomain), kind: anyText, name: anyText };

/** The spec of a PersistentVolumeClaim. */
export const claimSpec: Check = objectOf(
  {
    accessModes: textList,
    dataSource: objectOf(sourceMembers, required('name', 'kind'), dataSource),
    dataSourceRef: objectOf({ ...sourceMembers, namespace: anyText }, required('name', 'kind'), dataSource),
    resources: objectOf({ requests: anything, limits: anything }, amounts('limits'), amounts('requests')),
    selector: labelSelector,
    storageClassName: textBy(checkDns1123Subdomain),
    volumeAttributesClassName: textBy(checkDns1123Subdomain),
    volumeMode: oneOfNotEmpty('Block', 'Filesystem'),
    volumeName: anyText,
  },
  accessModes,
  storage,
);

const isEmpty = (value: unknown): boolean =>
  isUnset(value) ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (isJsonObject(value) && Object.keys(value).length === 0);

/** The kubelet names the claim after Pod and volume: only labels and annotations may be set. */
const onlyLabelsAndAnnotations: Rule = (metadata: JsonObject, path, { faults }) => {
  for (const name of Object.keys(metadata))
    if (name !== 'labels' && name !== 'annotations' && !isEmpty(metadata[name]))
      faults.push(fieldForbidden(`${path}.${name}`, 'cannot be set'));
};

/** Checks a template of an ephemeral volume; an absent spec equals an empty one. */
export const ephemeralClaim: Check = objectOf(
  { metadata: objectOf({ annotations: annotationMap, labels: labelMap }, onlyLabelsAndAnnotations), spec: claimSpec },
  (template, path, run) => {
    if (isUnset(template['spec'])) claimSpec({}, `${path}.spec`, run);
  },
);
