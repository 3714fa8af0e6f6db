/** What several checks derive from the objects of an installation. */
import { defaultGates, objectNames, parseGates, type Gates } from '@kruise/api';
import { isConditionTrue, memberAt, numberAt, objectsAt, stringAt } from '@kruise/objects';
import { type Untyped } from '../objects/untyped.ts';
import type { At } from './facts.ts';

/** The object of a list in this namespace. */
export const inNamespace = (objects: readonly Untyped[], namespace: string): Untyped | undefined =>
  objects.find(({ metadata }) => metadata.namespace === namespace);

export const nameOf = ({ metadata: { namespace, name } }: Untyped): string => (namespace === undefined ? name : `${namespace}/${name}`);

const containers = (workload: Untyped): readonly object[] => objectsAt(workload, 'spec', 'template', 'spec', 'containers');

/** The value of a flag on the command line of the first container: `--name=value` or `--name value`, the last one; undefined without it. */
export function flagOf(workload: Untyped, name: string): string | undefined {
  const [container] = containers(workload);
  const words = ['command', 'args'].flatMap((member) => {
    const value = memberAt(container, member);
    return Array.isArray(value) ? (value as unknown[]).filter((word) => typeof word === 'string') : [];
  });
  let found: string | undefined;
  for (const [at, word] of words.entries()) {
    const plain = word.replace(/^--?/, '');
    if (plain === word) continue;
    if (plain === name) found = words[at + 1];
    if (plain.startsWith(`${name}=`)) found = plain.slice(name.length + 1);
  }
  return found;
}

/** The image of the first container, '' without one. */
export const imageOf = (workload: Untyped): string => stringAt(containers(workload)[0], 'image') ?? '';

/** The tag of an image; '' for none and for a digest. */
export const tagOf = (image: string): string => /:([^:/@]+)$/.exec(image.replace(/@.*$/, ''))?.[1] ?? '';

/** The gates of a workload's command line; the message of the fault when they cannot be parsed. */
export function gatesOf(workload: Untyped): Gates | string {
  const parsed = parseGates(flagOf(workload, 'feature-gates') ?? '');
  return parsed.kind === 'Parsed' ? parsed.gates : parsed.message;
}

/** The gates of the manager in the namespace; the defaults when there is none or its gates cannot be parsed. */
export function managerGates(managers: readonly Untyped[], { namespace }: At): Gates {
  const manager = inNamespace(managers, namespace);
  const gates = manager === undefined ? defaultGates : gatesOf(manager);
  return typeof gates === 'string' ? defaultGates : gates;
}

/** Returns whether the Pod is ready and not being deleted, as an EndpointSlice counts a ready endpoint. */
export const isReadyEndpoint = (pod: Untyped): boolean =>
  isConditionTrue(objectsAt(pod, 'status', 'conditions'), 'Ready') && pod.metadata.deletionTimestamp === undefined;

/** Whether a Deployment is meant to run. */
export const isScaledUp = (workload: Untyped): boolean => (numberAt(workload, 'spec', 'replicas') ?? 1) > 0;

/** Of several Deployments of the manager, one that is meant to run; otherwise the first. */
export const managerToRun = (managers: readonly Untyped[]): Untyped | undefined => managers.find(isScaledUp) ?? managers[0];

/** A text as milliseconds since the epoch; undefined when it is no time. */
export function timeOf(text: string | undefined): number | undefined {
  const value = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(value) ? undefined : value;
}

/** The configuration of the installation in a list of all. */
export const configurationOf = (configurations: readonly Untyped[], name: string): Untyped | undefined =>
  configurations.find(({ metadata }) => metadata.name === name);

/** The entries of both configurations of the installation. */
export const ownEntries = (seen: { readonly mutating: readonly Untyped[]; readonly validating: readonly Untyped[] }): readonly object[] => [
  ...objectsAt(configurationOf(seen.mutating, objectNames.mutatingWebhooks), 'webhooks'),
  ...objectsAt(configurationOf(seen.validating, objectNames.validatingWebhooks), 'webhooks'),
];

/** Returns whether the API server refuses a write when no manager answers the entry. */
export const failsClosed = (entry: object): boolean => stringAt(entry, 'failurePolicy') !== 'Ignore';

/** The path that an entry calls. */
export function pathOf(entry: object): string {
  const url = stringAt(entry, 'clientConfig', 'url');
  if (url === undefined) return stringAt(entry, 'clientConfig', 'service', 'path') ?? '/';
  return URL.canParse(url) ? new URL(url).pathname : '/';
}

/** Whether the API server reaches the webhooks by URL, for a manager outside of the cluster. */
export const areOutside = (entries: readonly object[]): boolean =>
  entries.length > 0 && entries.every((entry) => stringAt(entry, 'clientConfig', 'url') !== undefined);
