/** The tree of an object: what it owns, the Pods below with their containers, and the objects that act on its Pods. */
import { annotations, unitedDeploymentLabels } from '@kruise/api';
import { numberAt, objectsAt, ownMember, stringAt, type Pod } from '@kruise/objects';
import { parseObject } from '@kruise/pods';
import { kindOf, selects, type AnyObject, type Snapshot } from '../seen.ts';
import { factsOf, podsText, worstOf, type Health, type TreeNode } from './node.ts';
import { pullsOf, spreadOf } from './pod-node.ts';
import { PodNodes, SeenTree } from './pod-nodes.ts';
import { sayObject } from './object-state.ts';

/** A chain of owners is not followed further: UnitedDeployment, Deployment, ReplicaSet, Pod has three steps. */
const deepest = 5;

const asPod = (object: AnyObject): Pod => object as unknown as Pod;

const revisionKinds = new Set(['apps/ControllerRevision']);

/** The label of a Pod names its revision whole, or by its hash. */
function isAtRevision(pod: Pod, revision: AnyObject): boolean {
  const value = pod.metadata.labels?.['controller-revision-hash'] ?? '';
  return value !== '' && (value === revision.metadata.name || revision.metadata.name.endsWith(`-${value}`));
}

const numberOf = (revision: AnyObject): number => numberAt(revision, 'revision') ?? 0;

interface Roles {
  readonly update: string | undefined;
  readonly current: string | undefined;
}

function rolesOf(owner: AnyObject, revisions: readonly AnyObject[]): Roles {
  const newest = revisions.toSorted((a, b) => numberOf(b) - numberOf(a))[0]?.metadata.name;
  const named = (member: string): string | undefined => stringAt(owner, 'status', member);
  return { update: named('updateRevision') ?? named('updatedRevision') ?? newest, current: named('currentRevision') };
}

const roleText = (name: string, { update, current }: Roles): string =>
  name === update ? (update === current ? 'current' : 'update') : name === current ? 'current' : '';

/** Returns a node for Pods that have something in common. */
function collection(kind: string, name: string, state: string, children: readonly TreeNode[]): TreeNode {
  const health = worstOf(children.map((child) => child.health));
  return { kind, name, health, state, facts: factsOf([['pods', podsText(children.length)]]), children };
}

/** Returns revisions that have Pods, or are the newest, newest first; then Pods of no known revision. */
function revisionNodes(owner: AnyObject, revisions: readonly AnyObject[], own: readonly Pod[], seen: SeenTree): readonly TreeNode[] {
  const roles = rolesOf(owner, revisions);
  const known = revisions.toSorted((a, b) => numberOf(b) - numberOf(a));
  const podsOf = new Map(known.map((revision) => [revision, own.filter((pod) => isAtRevision(pod, revision))]));
  const shown = known.filter((one) => (podsOf.get(one)?.length ?? 0) > 0 || [roles.update, roles.current].includes(one.metadata.name));
  const claimed = new Set([...podsOf.values()].flat());
  const rest = own.filter((pod) => !claimed.has(pod));
  return [
    ...shown.map((one) => {
      const children = (podsOf.get(one) ?? []).map((pod) => seen.podNode(pod));
      return collection('Revision', one.metadata.name, roleText(one.metadata.name, roles), children);
    }),
    ...rest.map((pod) => seen.podNode(pod)),
  ];
}

const relatedKinds = ['policy.kruise.io/PodUnavailableBudget', 'apps.kruise.io/WorkloadSpread', 'apps.kruise.io/PersistentPodState'];

/** Returns the budgets, spreads and others that name the object or select its Pods, and the pulls for its Pods. */
function relatedTo(object: AnyObject, pods: readonly Pod[], seen: SeenTree): readonly TreeNode[] {
  const [first] = pods;
  const acting = relatedKinds.flatMap((kind) => {
    const naming = new Set(seen.referringTo(kind, object));
    return seen.all(kind).filter((one) => naming.has(one) || (first !== undefined && selects(one, first.metadata.labels)));
  });
  const markers = seen.all('apps.kruise.io/PodProbeMarker').filter((one) => first !== undefined && selects(one, first.metadata.labels));
  const requests = seen.all('apps.kruise.io/ContainerRecreateRequest');
  const pulls = seen
    .all('apps.kruise.io/ImagePullJob')
    .filter((one) => kindOf(object) !== 'apps.kruise.io/ImageListPullJob' && !isOwn(one, object));
  return [...acting, ...markers, ...pulls, ...requests].map(leaf);
}

const isOwn = (one: AnyObject, owner: AnyObject): boolean =>
  one.metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid) === true;

const leaf = (object: AnyObject): TreeNode => ({ kind: object.kind ?? '', name: object.metadata.name, ...sayObject(object), children: [] });

function ownedNodes(object: AnyObject, seen: SeenTree, depth: number): readonly TreeNode[] {
  if (depth >= deepest) return [];
  const owned = seen.ownedBy(object);
  const revisions = owned.filter((one) => revisionKinds.has(kindOf(one)));
  const pods = owned.filter(({ kind }) => kind === 'Pod').map(asPod);
  const others = owned.filter((one) => one.kind !== 'Pod' && !revisions.includes(one));
  const children = others.filter((one) => !isEmptyReplicaSet(one, seen)).map((one) => objectNode(one, seen, depth + 1));
  const own =
    revisions.length === 0 || pods.length === 0 ? pods.map((pod) => seen.podNode(pod)) : revisionNodes(object, revisions, pods, seen);
  return [...children, ...own];
}

/** ReplicaSets of former revisions stay without Pods. */
const isEmptyReplicaSet = (object: AnyObject, seen: SeenTree): boolean =>
  kindOf(object) === 'apps/ReplicaSet' && numberAt(object, 'spec', 'replicas') === 0 && seen.ownedBy(object).length === 0;

function objectNode(object: AnyObject, seen: SeenTree, depth: number): TreeNode {
  if (object.kind === 'Pod') return seen.podNode(asPod(object));
  const subset = object.metadata.labels?.[unitedDeploymentLabels.subsetName];
  const { health, state, facts } = sayObject(object);
  return {
    kind: object.kind ?? '',
    name: object.metadata.name,
    health,
    state,
    facts: [...factsOf([['subset', subset === undefined ? '' : `subset ${subset}`]]), ...facts],
    children: ownedNodes(object, seen, depth),
  };
}

/** Returns Pods in collections by a name that `nameOf` gives them; Pods without one come last, by themselves. */
function byName(kind: string, pods: readonly Pod[], seen: SeenTree, nameOf: (pod: Pod) => string | undefined): readonly TreeNode[] {
  const named = Map.groupBy(pods, (pod) => nameOf(pod) ?? '');
  const rest = (named.get('') ?? []).map((pod) => seen.podNode(pod));
  const names = [...named.keys()].filter((name) => name !== '').toSorted();
  return [
    ...names.map((name) =>
      collection(
        kind,
        name,
        '',
        (named.get(name) ?? []).map((pod) => seen.podNode(pod)),
      ),
    ),
    ...rest,
  ];
}

/** Returns the version of a SidecarSet that a Pod was injected with. */
function injectedVersion(pod: Pod, sidecarSet: AnyObject): string | undefined {
  const parsed = parseObject(pod.metadata.annotations?.[annotations.sidecarSetHash] ?? '');
  if (parsed.kind !== 'Parsed') return undefined;
  const own = ownMember(parsed.value, sidecarSet.metadata.name);
  return stringAt(own, 'controllerRevision') ?? stringAt(own, 'hash');
}

/** Returns what only the status of the object lists: subsets, images, containers, namespaces. */
const listed: Readonly<Record<string, (object: AnyObject, seen: SeenTree) => readonly TreeNode[]>> = {
  'apps.kruise.io/NodeImage': (object) =>
    pullsOf(object).map(({ image, phase, progress, message }) => ({
      ...entry('Image', image, phase),
      facts: factsOf([
        ['progress', phase === 'Pulling' ? `${progress} %` : ''],
        ['message', message],
      ]),
    })),
  'apps.kruise.io/ImagePullJob': (_job, seen) => seen.all('apps.kruise.io/NodeImage').map(leaf),
  'apps.kruise.io/ContainerRecreateRequest': (object, seen) => [
    ...objectsAt(object, 'status', 'containerRecreateStates').map((one) => ({
      ...entry('Container', stringAt(one, 'name') ?? '', stringAt(one, 'phase') ?? 'Pending'),
      facts: factsOf([['message', stringAt(one, 'message')]]),
    })),
    ...seen.pods.map((pod) => seen.podNode(pod)),
  ],
  'apps.kruise.io/ResourceDistribution': (object) =>
    objectsAt(object, 'status', 'conditions')
      .filter((one) => one['status'] === 'True')
      .map((one) => ({
        ...entry('Condition', stringAt(one, 'type') ?? '', 'Failed'),
        facts: factsOf([
          ['namespaces', texts(one['failedNamespaces'] ?? one['failedNamespace']).join(', ')],
          ['reason', stringAt(one, 'reason')],
        ]),
      })),
  'apps.kruise.io/WorkloadSpread': (object, seen) =>
    byName('Subset', seen.pods, seen, (pod) => (spreadOf(pod)?.name === object.metadata.name ? spreadOf(pod)?.subset : undefined)),
  'apps.kruise.io/SidecarSet': (object, seen) =>
    byName(
      'Version',
      seen.pods.filter((pod) => injectedVersion(pod, object) !== undefined),
      seen,
      (pod) => injectedVersion(pod, object),
    ),
  'policy.kruise.io/PodUnavailableBudget': (_object, seen) => seen.pods.map((pod) => seen.podNode(pod)),
  'apps.kruise.io/PodProbeMarker': (_object, seen) => seen.pods.map((pod) => seen.podNode(pod)),
  'apps.kruise.io/EphemeralJob': (_object, seen) => seen.pods.map((pod) => seen.podNode(pod)),
  'apps.kruise.io/PersistentPodState': (_object, seen) => seen.pods.map((pod) => seen.podNode(pod)),
};

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? (value as unknown[]).filter((one) => typeof one === 'string') : [];

const phases: Readonly<Record<string, Health>> = { Succeeded: 'Done', Completed: 'Done', Failed: 'Faulty' };

const entry = (kind: string, name: string, state: string): TreeNode => ({
  kind,
  name,
  health: phases[state] ?? 'Busy',
  state,
  facts: [],
  children: [],
});

/**
 * Returns the tree of the root of a snapshot.
 *
 * @param podNodes of earlier trees of the same objects, whose nodes are used again for Pods that have not changed
 * @remarks The order of `objects` does not matter.
 */
export function treeOf(snapshot: Snapshot, podNodes = new PodNodes()): TreeNode {
  const { root } = snapshot;
  const seen = new SeenTree(snapshot, podNodes);
  const node = objectNode(root, seen, 0);
  if (root.kind === 'Pod') return { ...node, children: [...node.children, ...relatedTo(root, [asPod(root)], seen)] };
  const own = listed[kindOf(root)];
  if (own !== undefined) return { ...node, children: [...node.children, ...own(root, seen)] };
  return { ...node, children: [...relatedTo(root, seen.podsBelow(root), seen), ...node.children] };
}
