/** One row for each object of a kind: progress, restarts and use of its Pods. */
import {
  compareUtf8,
  controllerOf,
  labelMatcherOf,
  memberAt,
  numberAt,
  objectsAt,
  parseQuantity,
  quantityToNumber,
  stringAt,
  type Pod,
} from '@kruise/objects';
import { selectorTextOf } from '../reads.ts';
import { kindOf, type AnyObject } from '../seen.ts';
import { blockedOf, podNumbers, sayObject, type Said } from '../tree/object-state.ts';
import { podState } from '../tree/pod-state.ts';

/** What the Pods of an object use together, and how many of them are measured. */
interface PodUse {
  readonly cpuCores: number;
  readonly memoryBytes: number;
  readonly pods: number;
}

/** One object. */
export interface TopRow {
  readonly namespace: string;
  readonly name: string;
  readonly health: Said['health'];
  /** One or a few words, '' when there is nothing to say. */
  readonly state: string;
  /** Absent for kinds that count no Pods. */
  readonly desired?: number;
  readonly ready?: number;
  /** Absent also for kinds without updates. */
  readonly updated?: number;
  /** Of all containers of its Pods. */
  readonly restarts: number;
  /** Absent when no Pod of it is measured. */
  readonly use?: PodUse;
  /** The message of `Blocked`, '' without. */
  readonly blocked: string;
}

/** What was read. Metrics are PodMetrics of metrics.k8s.io; none when they are not served. */
export interface TopSnapshot {
  readonly objects: readonly AnyObject[];
  readonly pods: readonly AnyObject[];
  readonly metrics: readonly AnyObject[];
}

const keyOf = ({ metadata }: AnyObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;

/** Returns a function that finds the Pods of an object: those that its selector matches, and that no other object of its kind controls. */
function podFinder(pods: readonly AnyObject[]): (object: AnyObject) => readonly AnyObject[] {
  const byNamespace = Map.groupBy(pods, ({ metadata }) => metadata.namespace ?? '');
  return (object) => {
    if (kindOf(object) === '/Pod') return [object];
    const inReach = object.metadata.namespace === undefined ? pods : (byNamespace.get(object.metadata.namespace) ?? []);
    if (selectorTextOf(object) === undefined) return inReach.filter((pod) => controllerOf(pod)?.uid === object.metadata.uid);
    const parsed = labelMatcherOf(memberAt(object, 'spec', 'selector') ?? null);
    if (parsed.kind !== 'Matcher') return [];
    return inReach.filter((pod) => parsed.matcher.matches(pod.metadata.labels ?? {}) && !isOfAnother(pod, object));
  };
}

function isOfAnother(pod: AnyObject, object: AnyObject): boolean {
  const owner = controllerOf(pod);
  return owner !== undefined && owner.uid !== object.metadata.uid && kindOf(owner) === kindOf(object);
}

const restartsOf = (pod: AnyObject): number =>
  [...objectsAt(pod, 'status', 'containerStatuses'), ...objectsAt(pod, 'status', 'initContainerStatuses')].reduce(
    (sum, status) => sum + (numberAt(status, 'restartCount') ?? 0),
    0,
  );

function amount(container: unknown, resource: 'cpu' | 'memory'): number {
  const quantity = parseQuantity(stringAt(container, 'usage', resource) ?? '');
  return quantity === undefined ? 0 : quantityToNumber(quantity);
}

function useOf(measured: readonly AnyObject[]): PodUse | undefined {
  if (measured.length === 0) return undefined;
  const containers = measured.flatMap((one) => objectsAt(one, 'containers'));
  const sum = (resource: 'cpu' | 'memory'): number => containers.reduce((total, container) => total + amount(container, resource), 0);
  return { cpuCores: sum('cpu'), memoryBytes: sum('memory'), pods: measured.length };
}

/** Kinds whose status counts their Pods by other names. */
const counted: Readonly<Record<string, readonly [desired: string, ready: string, updated: string]>> = {
  'apps.kruise.io/SidecarSet': ['matchedPods', 'readyPods', 'updatedPods'],
};
const workloads = new Set([
  'apps/Deployment',
  'apps/ReplicaSet',
  'apps/StatefulSet',
  'apps/DaemonSet',
  'apps.kruise.io/CloneSet',
  'apps.kruise.io/StatefulSet',
  'apps.kruise.io/DaemonSet',
  'apps.kruise.io/UnitedDeployment',
]);

function numbersOf(object: AnyObject): Pick<TopRow, 'desired' | 'ready' | 'updated'> {
  const names = counted[kindOf(object)];
  if (names !== undefined) {
    const [desired = 0, ready = 0, updated = 0] = names.map((name) => numberAt(object, 'status', name) ?? 0);
    return { desired, ready, updated };
  }
  if (!workloads.has(kindOf(object))) return {};
  const { wanted, ready, updated } = podNumbers(object);
  return { desired: wanted, ready, ...(updated === undefined ? {} : { updated }) };
}

/** Returns a row for each object, by namespace and name. */
export function topRows({ objects, pods, metrics }: TopSnapshot): readonly TopRow[] {
  const podsOf = podFinder(pods);
  const measured = new Map(metrics.map((one) => [keyOf(one), one]));
  return objects
    .map((object): TopRow => {
      const own = podsOf(object);
      const { health, state } = kindOf(object) === '/Pod' ? podState(object as unknown as Pod) : sayObject(object);
      const use = useOf(own.flatMap((pod) => measured.get(keyOf(pod)) ?? []));
      return {
        namespace: object.metadata.namespace ?? '',
        name: object.metadata.name,
        health,
        state,
        ...numbersOf(object),
        restarts: own.reduce((sum, pod) => sum + restartsOf(pod), 0),
        ...(use === undefined ? {} : { use }),
        blocked: blockedOf(object)?.message ?? '',
      };
    })
    .toSorted((a, b) => compareUtf8(`${a.namespace}/${a.name}`, `${b.namespace}/${b.name}`));
}
