/** Which objects a tree or an explanation needs, as data: one list and one watch for each, by selector where the kind has one. */
import { broadcastJobLabels, sidecarSetLabels } from '@kruise/api';
import { formatLabelMatcher, groupOf, isJsonObject, labelMatcherOf, matchAll, memberAt, requirement, stringAt } from '@kruise/objects';
import { kindOf, type AnyObject } from './seen.ts';

/** One list. Without a namespace it is of a cluster-scoped kind, or of all namespaces. */
export interface Read {
  readonly group: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** Returns the selector of an object as text; undefined when it selects nothing. A ReplicationController has a map. */
export function selectorTextOf(object: AnyObject): string | undefined {
  const selector = memberAt(object, 'spec', 'selector');
  if (!isJsonObject(selector)) return undefined;
  if (object.kind === 'ReplicationController' || object.kind === 'Service')
    return formatLabelMatcher(matchAll(Object.entries(selector).map(([key, value]) => requirement(key, 'Equals', [String(value)]))));
  const parsed = labelMatcherOf(selector);
  return parsed.kind === 'Matcher' && !parsed.matcher.selectsNothing ? formatLabelMatcher(parsed.matcher) : undefined;
}

/** Returns the reads of one kind of root. */
export type Reads = (root: AnyObject, objects: readonly AnyObject[]) => readonly Read[];

const at = (root: AnyObject): Pick<Read, 'namespace'> =>
  root.metadata.namespace === undefined ? {} : { namespace: root.metadata.namespace };

/** Reads of a kind in the namespace of the root. */
export const inNamespace =
  (...kinds: readonly string[]): Reads =>
  (root) =>
    kinds.map((text) => ({ ...kindParts(text), ...at(root) }));

function kindParts(text: string): Pick<Read, 'group' | 'kind'> {
  const slash = text.lastIndexOf('/');
  return { group: text.slice(0, slash), kind: text.slice(slash + 1) };
}

/** Reads of kinds by a selector in the namespace of the root. */
export const labelled = (root: AnyObject, kinds: readonly string[], labelSelector: string): readonly Read[] =>
  kinds.map((text) => ({ ...kindParts(text), ...at(root), ...(labelSelector === '' ? {} : { labelSelector }) }));

/** Reads of kinds by the selector of the root. */
export const selected =
  (...kinds: readonly string[]): Reads =>
  (root) => {
    const text = selectorTextOf(root);
    return text === undefined ? [] : labelled(root, kinds, text);
  };

const named = (root: AnyObject, kind: string, name: string): Read => ({
  ...kindParts(kind),
  ...at(root),
  fieldSelector: `metadata.name=${name}`,
});

const all =
  (...parts: readonly Reads[]): Reads =>
  (root, objects) =>
    parts.flatMap((part) => part(root, objects));

const policies = inNamespace('policy.kruise.io/PodUnavailableBudget', 'apps.kruise.io/WorkloadSpread', 'apps.kruise.io/PodProbeMarker');
const controlled = all(selected('/Pod', 'apps/ControllerRevision', 'apps.kruise.io/ImagePullJob'), policies);

/** Reads the object that `spec.targetRef` names, then the Pods by the selector of that object. */
const targeted: Reads = (root, objects) => {
  const [apiVersion, kind, name] = ['apiVersion', 'kind', 'name'].map((member) => stringAt(root, 'spec', 'targetRef', member) ?? '');
  if (kind === undefined || kind === '' || name === undefined) return selected('/Pod')(root, objects);
  const target = objects.find((one) => one.kind === kind && one.metadata.name === name);
  const selector = target === undefined ? undefined : selectorTextOf(target);
  return [named(root, `${groupOf(apiVersion ?? '')}/${kind}`, name), ...(selector === undefined ? [] : labelled(root, ['/Pod'], selector))];
};

const childKinds: Readonly<Record<string, string>> = {
  statefulSetTemplate: 'apps/StatefulSet',
  advancedStatefulSetTemplate: 'apps.kruise.io/StatefulSet',
  cloneSetTemplate: 'apps.kruise.io/CloneSet',
  deploymentTemplate: 'apps/Deployment',
};

const subsets: Reads = (root, objects) => {
  const children = Object.entries(childKinds).filter(([member]) => isJsonObject(memberAt(root, 'spec', 'template', member)));
  const kinds = children.map(([, kind]) => kind);
  return selected(
    '/Pod',
    'apps/ControllerRevision',
    ...kinds,
    ...(kinds.includes('apps/Deployment') ? ['apps/ReplicaSet'] : []),
  )(root, objects);
};

const cronKinds: Readonly<Record<string, readonly [kind: string, label: string]>> = {
  jobTemplate: ['batch/Job', 'job-name'],
  broadcastJobTemplate: ['apps.kruise.io/BroadcastJob', broadcastJobLabels.name],
  imageListPullJobTemplate: ['apps.kruise.io/ImageListPullJob', ''],
};

const scheduled: Reads = (root) => {
  const templates = Object.entries(cronKinds).filter(
    ([member]) => isJsonObject(memberAt(root, 'spec', 'template', member)) || isJsonObject(memberAt(root, 'spec', member)),
  );
  return templates.flatMap(([, [kind, label]]) => [
    ...inNamespace(kind)(root, []),
    ...(label === '' ? [] : labelled(root, ['/Pod'], label)),
  ]);
};

/** A read of a cluster-scoped kind, or of all namespaces. */
export const everywhere = (kind: string, labelSelector?: string): Read => ({
  ...kindParts(kind),
  ...(labelSelector === undefined ? {} : { labelSelector }),
});

const sidecarSet: Reads = (root) => {
  const namespace = stringAt(root, 'spec', 'namespace') ?? '';
  const selector = selectorTextOf(root);
  const pods = selector === undefined ? [] : [{ ...everywhere('/Pod', selector), ...(namespace === '' ? {} : { namespace }) }];
  return [...pods, everywhere('apps/ControllerRevision', `${sidecarSetLabels.name}=${root.metadata.name}`)];
};

const onNode: Reads = (root) => {
  const node = stringAt(root, 'spec', 'nodeName') ?? '';
  return node === '' ? [] : [{ ...kindParts('apps.kruise.io/NodeImage'), fieldSelector: `metadata.name=${node}` }];
};

const tables: Readonly<Record<string, Reads>> = {
  'apps.kruise.io/CloneSet': controlled,
  'apps.kruise.io/StatefulSet': controlled,
  'apps.kruise.io/DaemonSet': controlled,
  'apps/StatefulSet': controlled,
  'apps/DaemonSet': controlled,
  'apps/Deployment': all(selected('/Pod', 'apps/ReplicaSet'), policies),
  'apps/ReplicaSet': all(selected('/Pod'), policies),
  '/ReplicationController': all(selected('/Pod'), policies),
  'apps.kruise.io/UnitedDeployment': all(subsets, policies),
  'batch/Job': selected('/Pod'),
  'apps.kruise.io/BroadcastJob': (root) => labelled(root, ['/Pod'], `${broadcastJobLabels.controllerUid}=${root.metadata.uid ?? ''}`),
  'batch/CronJob': (root) => [...inNamespace('batch/Job')(root, []), ...labelled(root, ['/Pod'], 'job-name')],
  'apps.kruise.io/AdvancedCronJob': scheduled,
  'apps.kruise.io/SidecarSet': sidecarSet,
  'apps.kruise.io/EphemeralJob': selected('/Pod'),
  'apps.kruise.io/PodProbeMarker': selected('/Pod'),
  'policy.kruise.io/PodUnavailableBudget': targeted,
  'policy/PodDisruptionBudget': selected('/Pod'),
  'apps.kruise.io/WorkloadSpread': targeted,
  'apps.kruise.io/PersistentPodState': targeted,
  'apps.kruise.io/ImagePullJob': () => [everywhere('apps.kruise.io/NodeImage')],
  'apps.kruise.io/ImageListPullJob': inNamespace('apps.kruise.io/ImagePullJob'),
  'apps.kruise.io/ContainerRecreateRequest': (root) => [named(root, '/Pod', stringAt(root, 'spec', 'podName') ?? '')],
  '/Pod': all(policies, onNode, (root) =>
    labelled(root, ['apps.kruise.io/ContainerRecreateRequest'], `crr.apps.kruise.io/pod-uid=${root.metadata.uid ?? ''}`),
  ),
};

/**
 * Returns what the tree of an object needs. What is found may add reads: the caller repeats the call with the objects until nothing is added.
 *
 * @param objects that were read so far
 */
export const treeReads = (root: AnyObject, objects: readonly AnyObject[]): readonly Read[] =>
  (tables[kindOf(root)] ?? (() => []))(root, objects);
