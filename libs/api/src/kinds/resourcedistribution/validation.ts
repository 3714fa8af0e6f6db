/**
 * What a ResourceDistribution must fulfil beyond its schema, in v1beta1. Objects may have any shape; nothing here throws, or prints distributed data.
 */
import {
  checkDns1123Label,
  checkDns1123Subdomain,
  closestText,
  fieldInternal,
  fieldInvalid,
  fieldTypeInvalid,
  isJsonObject,
  memberAt,
  validateLabelSelector,
  type FieldError,
  type JsonObject,
  type LabelSelector,
} from '@kruise/objects';
import { distributedKinds, readDistributedResource } from './resource.ts';

const resourcePath = 'spec.resource';
const targetsPath = 'spec.targets';

/** Returns apiVersion, kind and name: what may be shown of a resource, which may be a Secret. */
const identityOf = (resource: unknown): JsonObject => ({
  apiVersion: memberAt(resource, 'apiVersion'),
  kind: memberAt(resource, 'kind'),
  name: memberAt(resource, 'metadata', 'name'),
});

/** Returns the faults of the name of the object itself. */
export function validateDistributionName(object: JsonObject): readonly FieldError[] {
  const name = memberAt(object, 'metadata', 'name');
  return typeof name === 'string' ? checkDns1123Subdomain(name).map((why) => fieldInvalid('metadata.name', name, why)) : [];
}

function changeFaults(resource: unknown, oldObject: JsonObject | undefined): readonly FieldError[] {
  if (oldObject === undefined) return [];
  const [next, held] = [identityOf(resource), identityOf(memberAt(oldObject, 'spec', 'resource'))];
  const isChanged = Object.keys(next).some((name) => next[name] !== held[name]);
  return isChanged ? [fieldInvalid(resourcePath, next, 'resource apiVersion, kind, and name are immutable')] : [];
}

/** Fields that an API server sets for one object. A dry run ignores them, and a creation fails. */
const livePaste = ['uid', 'resourceVersion'];

function pasteFaults(resource: unknown, oldObject: JsonObject | undefined): readonly FieldError[] {
  const held = memberAt(oldObject, 'spec', 'resource');
  return livePaste.flatMap((name) => {
    const value = memberAt(resource, 'metadata', name) ?? '';
    const isNew = value !== '' && value !== memberAt(held, 'metadata', name);
    return isNew ? [fieldInvalid(resourcePath, identityOf(resource), `spec.resource is invalid: metadata.${name} must not be set`)] : [];
  });
}

function supportFault(resource: unknown, given: string): FieldError {
  const close = closestText(given, distributedKinds);
  const hint = close === undefined || close === given ? '' : `; did you mean ${close}?`;
  const why = `unknown or unsupported resource GroupKind, only support [${distributedKinds.join(' ')}]${hint}`;
  return fieldInvalid(resourcePath, identityOf(resource), why);
}

/**
 * Returns the faults of the resource that can be found without a call to the API server, which is called only when there are none.
 *
 * @param oldObject the stored object; undefined on create
 * @see spec/resourcedistribution.md 4, rules 2 to 4
 */
export function validateDistributedResource(object: JsonObject, oldObject: JsonObject | undefined): readonly FieldError[] {
  const resource = memberAt(object, 'spec', 'resource');
  const reading = readDistributedResource(resource);
  switch (reading.kind) {
    case 'Empty':
      return [fieldInvalid(resourcePath, {}, 'empty resource is not allowed')];
    case 'Undecodable':
      return [fieldInternal(resourcePath, `failed to deserialize resource, ${reading.why}`)];
    case 'Unsupported':
      return [supportFault(resource, reading.given), ...changeFaults(resource, oldObject)];
    case 'Read': {
      const isNameless = (memberAt(resource, 'metadata', 'name') ?? '') === '';
      return [
        ...changeFaults(resource, oldObject),
        ...(isNameless ? [fieldInvalid(resourcePath, identityOf(resource), 'metadata.name must be given')] : []),
        ...pasteFaults(resource, oldObject),
      ];
    }
  }
}

/** Returns the names in one of the two lists; a value that is no string counts as an empty name. */
const namesIn = (object: JsonObject, list: 'includedNamespaces' | 'excludedNamespaces'): readonly string[] => {
  const items = memberAt(object, 'spec', 'targets', list, 'list');
  return Array.isArray(items)
    ? items.map((item) => {
        const name = memberAt(item, 'name');
        return typeof name === 'string' ? name : '';
      })
    : [];
};

const nameFaults = (object: JsonObject, list: 'includedNamespaces' | 'excludedNamespaces'): readonly FieldError[] =>
  namesIn(object, list).flatMap((name) => checkDns1123Label(name).map((why) => fieldInvalid(`${targetsPath}.${list}`, name, why)));

function ambiguityFaults(object: JsonObject): readonly FieldError[] {
  const excluded = new Set(namesIn(object, 'excludedNamespaces'));
  const both = [...new Set(namesIn(object, 'includedNamespaces').filter((name) => excluded.has(name)))];
  const why = `ambiguous targets because namespace [${both.join(' ')}] is in both IncludedNamespaces.List and ExcludedNamespaces.List`;
  return both.length === 0 ? [] : [fieldInvalid(targetsPath, both, why)];
}

function selectorFaults(object: JsonObject): readonly FieldError[] {
  const selector = memberAt(object, 'spec', 'targets', 'namespaceSelector');
  if (selector === undefined || selector === null) return [];
  return validateLabelSelector(selector as LabelSelector, `${targetsPath}.namespaceSelector`).map((fault) => ({
    ...fault,
    detail: `labelSelectorAsSelector error: ${fault.detail}`,
  }));
}

/** Returns the faults of the targets. @see spec/resourcedistribution.md 4, rules 6 to 8 */
export function validateTargets(object: JsonObject): readonly FieldError[] {
  const targets = memberAt(object, 'spec', 'targets');
  if (!isJsonObject(targets)) return [fieldTypeInvalid(targetsPath, targets ?? null, 'must be an object')];
  return [
    ...nameFaults(object, 'includedNamespaces'),
    ...nameFaults(object, 'excludedNamespaces'),
    ...ambiguityFaults(object),
    ...selectorFaults(object),
  ];
}
