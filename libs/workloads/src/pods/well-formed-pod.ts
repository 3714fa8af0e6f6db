/**
 * Whether a Pod has the shape that the API server gives every Pod it lets through: the steps rely on it and do not check again. What it omits may be absent or null.
 */
import { isJsonObject, isUnset, type JsonObject, type KubeObject, type Pod } from '@kruise/objects';

const isText = (value: unknown): boolean => isUnset(value) || typeof value === 'string';
const isRecord = (value: unknown): boolean => isUnset(value) || isJsonObject(value);
const isTextMap = (value: unknown): boolean =>
  isUnset(value) || (isJsonObject(value) && Object.values(value).every((one) => typeof one === 'string'));
const isList = (value: unknown, of: (item: JsonObject) => boolean = () => true): boolean =>
  isUnset(value) || (Array.isArray(value) && value.every((item) => isJsonObject(item) && of(item)));

const isNamed = ({ name }: JsonObject): boolean => typeof name === 'string';
const isMount = ({ name, mountPath }: JsonObject): boolean => typeof name === 'string' && typeof mountPath === 'string';
const isDevice = ({ name, devicePath }: JsonObject): boolean => typeof name === 'string' && typeof devicePath === 'string';

const isResources = (value: unknown): boolean =>
  isUnset(value) || (isJsonObject(value) && [value['limits'], value['requests']].every(isRecord));

const isEnvironment = (item: JsonObject): boolean => isNamed(item) && isText(item['value']) && isRecord(item['valueFrom']);

const isContainer = (item: JsonObject): boolean =>
  isNamed(item) &&
  isText(item['image']) &&
  isList(item['env'], isEnvironment) &&
  isList(item['envFrom']) &&
  isList(item['ports']) &&
  isList(item['volumeMounts'], isMount) &&
  isList(item['volumeDevices'], isDevice) &&
  isResources(item['resources']);

const isOwner = ({ apiVersion, kind, name }: JsonObject): boolean => [apiVersion, kind, name].every((text) => typeof text === 'string');

const isMetadata = (value: unknown): boolean =>
  isJsonObject(value) &&
  [value['name'], value['generateName'], value['namespace'], value['deletionTimestamp']].every(isText) &&
  isTextMap(value['labels']) &&
  isTextMap(value['annotations']) &&
  isList(value['ownerReferences'], isOwner);

const isSpec = (value: unknown): boolean =>
  isJsonObject(value) &&
  [value['containers'], value['initContainers'], value['ephemeralContainers']].every((list) => isList(list, isContainer)) &&
  isList(value['volumes'], isNamed) &&
  isList(value['imagePullSecrets']) &&
  isList(value['readinessGates']) &&
  isList(value['tolerations']);

/** Returns whether the steps of the Pod webhook can read the object as a Pod. */
export const isWellFormedPod = (object: KubeObject | null | undefined): object is Pod =>
  isJsonObject(object) && isMetadata(object['metadata']) && isSpec(object['spec']) && isRecord(object['status']);
