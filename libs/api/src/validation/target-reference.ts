/** `spec.targetRef`, with which objects name a workload of their namespace. Objects may have any shape; nothing here throws. */
import {
  deepEqual,
  fieldInvalid,
  groupOf,
  isApiVersion,
  isPathSegmentName,
  memberAt,
  referenceLimits,
  textAt,
  type FieldError,
  type JsonObject,
} from '@kruise/objects';

/** The workload that it names; only the group of the apiVersion matters. Members that are absent, or no strings, are empty. */
export interface TargetReference {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

export const targetPath = 'spec.targetRef';
const parts = ['apiVersion', 'kind', 'name'] as const;

export const targetReferenceOf = (object: JsonObject): TargetReference => ({
  group: groupOf(textAt(object, 'spec', 'targetRef', 'apiVersion')),
  kind: textAt(object, 'spec', 'targetRef', 'kind'),
  name: textAt(object, 'spec', 'targetRef', 'name'),
});

export const isSameTarget = (a: TargetReference, b: TargetReference): boolean =>
  a.group === b.group && a.kind === b.kind && a.name === b.name;

/** Returns one fault that names the absent parts; none when all are set. */
export function emptyTargetFaults(object: JsonObject): readonly FieldError[] {
  const empty = parts.filter((member) => textAt(object, 'spec', 'targetRef', member) === '');
  return empty.length === 0
    ? []
    : [fieldInvalid(targetPath, memberAt(object, 'spec', 'targetRef'), `${empty.join(', ')} must not be empty`)];
}

const mostKindCharacters = 63;

/** Returns which parts can name nothing that an API server serves, and why. */
function unservableParts(object: JsonObject): readonly string[] {
  const [apiVersion = '', kind = '', name = ''] = parts.map((member) => textAt(object, 'spec', 'targetRef', member));
  return [
    ...(isApiVersion(apiVersion) ? [] : [`apiVersion must be group/version, or the version alone, of letters, digits and '-._'`]),
    ...(kind.length <= mostKindCharacters && /^[A-Za-z][-A-Za-z0-9]*$/.test(kind)
      ? []
      : [`kind must be at most ${mostKindCharacters} letters, digits and '-'`]),
    ...(isPathSegmentName(name) && name.length <= referenceLimits.pathPartCharacters.value
      ? []
      : [`name must be the name of an object, without '/' and '%'`]),
  ];
}

/**
 * Returns one fault that names the parts which no served resource can have; none when parts are empty, and none for a reference that is stored
 * already, because the object must stay changeable.
 */
export function unservableTargetFaults(object: JsonObject, oldObject: JsonObject | undefined): readonly FieldError[] {
  const target = memberAt(object, 'spec', 'targetRef');
  const isStored = oldObject !== undefined && deepEqual(memberAt(oldObject, 'spec', 'targetRef'), target);
  const faulty = isStored || emptyTargetFaults(object).length > 0 ? [] : unservableParts(object);
  return faulty.length === 0 ? [] : [fieldInvalid(targetPath, target, faulty.join(', '))];
}

/**
 * Returns the first other object of the namespace for the same workload.
 *
 * @param others the object itself may be among them: it is identified by its name
 */
export function rivalOf(object: JsonObject, others: readonly JsonObject[]): JsonObject | undefined {
  const reference = targetReferenceOf(object);
  const name = textAt(object, 'metadata', 'name');
  return others.find((one) => textAt(one, 'metadata', 'name') !== name && isSameTarget(targetReferenceOf(one), reference));
}
