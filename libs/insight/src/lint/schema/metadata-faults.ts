/** What the API server requires of `metadata`, for objects of every kind. */
import {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkLabelValue,
  checkQualifiedName,
  fieldInvalid,
  fieldKey,
  fieldRequired,
  fieldTypeInvalid,
  isJsonObject,
  isUnset,
  type FieldError,
  type JsonObject,
} from '@kruise/objects';

const members: ReadonlySet<string> = new Set([
  'annotations',
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'finalizers',
  'generateName',
  'generation',
  'labels',
  'managedFields',
  'name',
  'namespace',
  'ownerReferences',
  'resourceVersion',
  'selfLink',
  'uid',
]);

/** The API server adds at least five random characters to `generateName`, whose last character may be a `-`. */
const generated = 'x';

function nameFaults({ name, generateName }: JsonObject): readonly FieldError[] {
  const isGiven = (value: unknown): boolean => !isUnset(value) && value !== '';
  if (!isGiven(name) && !isGiven(generateName)) return [fieldRequired('metadata.name', 'name or generateName is required')];
  return [
    ...(isGiven(generateName)
      ? textFaults('metadata.generateName', generateName, (text) => checkDns1123Subdomain(`${text}${generated}`))
      : []),
    ...(isGiven(name) ? textFaults('metadata.name', name, checkDns1123Subdomain) : []),
  ];
}

function textFaults(path: string, value: unknown, check: (text: string) => readonly string[]): readonly FieldError[] {
  if (typeof value !== 'string') return [fieldTypeInvalid(path, value, 'must be a string')];
  return check(value).map((why) => fieldInvalid(path, value, why));
}

interface MapChecks {
  readonly key: (text: string) => readonly string[];
  readonly value: (text: string) => readonly string[];
}

const labelChecks: MapChecks = { key: checkQualifiedName, value: checkLabelValue };
/** The prefix of an annotation may have capitals. */
const annotationChecks: MapChecks = { key: (text) => checkQualifiedName(text.toLowerCase()), value: () => [] };

function mapFaults(path: string, map: unknown, checks: MapChecks): readonly FieldError[] {
  if (isUnset(map)) return [];
  if (!isJsonObject(map)) return [fieldTypeInvalid(path, map, 'must be an object')];
  return Object.entries(map).flatMap(([key, value]) => [
    ...checks.key(key).map((why) => fieldInvalid(path, key, why)),
    ...textFaults(fieldKey(path, key), value ?? '', checks.value),
  ]);
}

/** Returns the paths of members of `metadata` that do not exist. */
export const unknownMetadata = (metadata: unknown): readonly string[] =>
  Object.keys(isJsonObject(metadata) ? metadata : {})
    .filter((name) => !members.has(name))
    .map((name) => `metadata.${name}`);

/** Returns every fault. @param namespaced whether the kind has namespaces */
export function metadataFaults({ metadata }: JsonObject, namespaced: boolean): readonly FieldError[] {
  if (isUnset(metadata)) return [fieldRequired('metadata.name', 'name or generateName is required')];
  if (!isJsonObject(metadata)) return [fieldTypeInvalid('metadata', metadata, 'must be an object')];
  const { namespace, labels, annotations } = metadata;
  const hasNamespace = !isUnset(namespace) && namespace !== '';
  return [
    ...nameFaults(metadata),
    ...(hasNamespace && namespaced ? textFaults('metadata.namespace', namespace, checkDns1123Label) : []),
    ...mapFaults('metadata.labels', labels, labelChecks),
    ...mapFaults('metadata.annotations', annotations, annotationChecks),
  ];
}
