/** References of environment variables and volumes to fields and resources of the Pod. @see Kubernetes "Downward API" */
import { checkQualifiedName, fieldInvalid, fieldNotSupported, formatQuantity, parseQuantity, textAt } from '@kruise/objects';
import { anyText, objectOf, oneOf, required, type Check, type Rule } from './check.ts';
import { quantity } from './resources.ts';

const envPaths = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
const volumePaths = ['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid'];

const subscript = /^(metadata\.(?:labels|annotations))\['(.*)'\]$/;

/** `metadata.labels['key']` is allowed wherever a path is. */
const pathRule =
  (supported: readonly string[]): Rule =>
  (reference, path, { faults }) => {
    const text = textAt(reference, 'fieldPath');
    if (text === '' || supported.includes(text)) return;
    const [, map, key = ''] = subscript.exec(text) ?? [];
    if (map === undefined) faults.push(fieldNotSupported(`${path}.fieldPath`, text, supported));
    else
      for (const why of checkQualifiedName(map === 'metadata.annotations' ? key.toLowerCase() : key))
        faults.push(fieldInvalid(path, key, why));
  };

const fieldReference = (supported: readonly string[]): Check =>
  objectOf({ apiVersion: oneOf('v1'), fieldPath: anyText }, required('fieldPath'), pathRule(supported));

export const envFieldRef = fieldReference(envPaths);
export const volumeFieldRef = fieldReference(volumePaths);

const resources = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];

const isKnown = (resource: string): boolean => resources.includes(resource) || /^(limits|requests)\.hugepages-/.test(resource);

const resourceRule: Rule = (reference, path, { faults }) => {
  const resource = textAt(reference, 'resource');
  if (resource === '' || isKnown(resource)) return;
  faults.push(fieldNotSupported(`${path}.resource`, resource, resources));
};

const cpuDivisors = ['1m', '1'];
const byteDivisors = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

/** 0 and absent mean 1. */
const divisorRule: Rule = (reference, path, { faults }) => {
  const divisor = parseQuantity(reference['divisor']);
  if (divisor === undefined || divisor.nanos === 0n || !isKnown(textAt(reference, 'resource'))) return;
  const isCpu = textAt(reference, 'resource').endsWith('.cpu');
  // In its canonical form, as the API server compares it: 1024 is not 1Ki.
  const fits = (isCpu ? cpuDivisors : byteDivisors).includes(formatQuantity(divisor));
  const why = isCpu
    ? "only divisor's values 1m and 1 are supported with the cpu resource"
    : "only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the memory resource";
  if (!fits) faults.push(fieldInvalid(`${path}.divisor`, reference['divisor'], why));
};

const resourceMembers: Readonly<Record<string, Check>> = { containerName: anyText, resource: anyText, divisor: quantity };

/** In a container: the resources are its own unless it names another. */
export const envResourceRef = objectOf(resourceMembers, required('resource'), resourceRule, divisorRule);
/** In a volume, which belongs to no container. */
export const volumeResourceRef = objectOf(resourceMembers, required('containerName', 'resource'), resourceRule, divisorRule);
