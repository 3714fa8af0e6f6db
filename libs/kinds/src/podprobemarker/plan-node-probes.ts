/** The share of one PodProbeMarker in the work list of one node. Pure. @see spec/podprobemarker.md 5.1 */
import type { ContainerProbe, PodContainerProbe, PodProbe, PodProbeMarker } from '@kruise/api';
import { deepEqual, type Pod } from '@kruise/objects';
import { formatProbeName, parseProbeName } from '../probes/probe-name.ts';
import { withinShare, type ListShare } from './plan-list-share.ts';

type NodeProbe = NonNullable<PodProbe['probes']>[number];

export interface NodeProbesPlan {
  /** The very list that was given when nothing changes. */
  readonly podProbes: readonly PodProbe[];
  /** Probes that cannot run in a Pod, because their port has no such name in it. */
  readonly unresolved: readonly { readonly pod: string; readonly probe: string }[];
  /** Probes that the list has no room for. */
  readonly refused: ListShare['refused'];
}

/** The number behind a port: its own, that of the container's port of this name, or the number that its text is. */
function portNumberOf(port: number | string | undefined, pod: Pod, containerName: string): number | undefined {
  if (typeof port !== 'string') return port;
  const containers = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])];
  const named = containers.find(({ name }) => name === containerName)?.ports?.find(({ name }) => name === port);
  if (named !== undefined) return named.containerPort;
  return /^\d{1,5}$/.test(port) ? Number(port) : undefined;
}

/** The probe with its port as a number; undefined when there is no such port. */
function resolved(probe: ContainerProbe, pod: Pod, containerName: string): ContainerProbe | undefined {
  const handler = probe.httpGet === undefined ? 'tcpSocket' : 'httpGet';
  const action = probe[handler];
  if (action === undefined) return probe;
  const port = portNumberOf(action.port, pod, containerName);
  if (port === undefined) return undefined;
  return port === action.port ? probe : { ...probe, [handler]: { ...action, port } };
}

interface Wanted {
  readonly probes: readonly NodeProbe[];
  readonly unresolved: readonly string[];
}

function wantedFor(pod: Pod, marker: PodProbeMarker): Wanted {
  const probes: NodeProbe[] = [];
  const unresolved: string[] = [];
  for (const declared of marker.spec.probes) {
    const { name, containerName }: PodContainerProbe = declared;
    const probe = resolved(declared.probe, pod, containerName);
    if (probe === undefined) unresolved.push(name);
    else probes.push({ name: formatProbeName({ marker: marker.metadata.name, probe: name }), containerName, probe });
  }
  return { probes, unresolved };
}

/** The marker's own probes replaced in their places, those it has no more dropped, new ones at the end; others' stay. */
function mergeProbes(held: readonly NodeProbe[], wanted: readonly NodeProbe[], marker: string): readonly NodeProbe[] {
  const byName = new Map(wanted.map((probe) => [probe.name, probe]));
  const kept = held.flatMap((probe) => {
    if (parseProbeName(probe.name)?.marker !== marker) return [probe];
    const next = byName.get(probe.name);
    byName.delete(probe.name);
    return next === undefined ? [] : [next];
  });
  return [...kept, ...byName.values()];
}

const identityOf = ({ namespace, name, uid }: { readonly namespace?: string; readonly name: string; readonly uid?: string }): string =>
  `${namespace ?? ''}/${name}/${uid ?? ''}`;

/**
 * @param held the node's list as it is
 * @param pods of this node that the marker probes; none for a marker that is being deleted or no longer has Pods on this node
 */
export function planNodeProbes(held: readonly PodProbe[], marker: PodProbeMarker, pods: readonly Pod[]): NodeProbesPlan {
  const { name: markerName, namespace = '' } = marker.metadata;
  const missing = new Map(pods.map((pod) => [identityOf(pod.metadata), pod]));
  const unresolved: { pod: string; probe: string }[] = [];
  const want = (pod: Pod): readonly NodeProbe[] => {
    const wanted = wantedFor(pod, marker);
    unresolved.push(...wanted.unresolved.map((probe) => ({ pod: pod.metadata.name, probe })));
    return wanted.probes;
  };
  const kept = held.flatMap((entry) => {
    if (entry.namespace !== namespace) return [entry];
    const identity = identityOf(entry);
    const pod = missing.get(identity);
    missing.delete(identity);
    const probes = mergeProbes(entry.probes ?? [], pod === undefined ? [] : want(pod), markerName);
    if (probes.length === 0) return [];
    const ip = pod?.status?.podIP ?? '';
    return [{ ...entry, ...(ip === '' ? {} : { IP: ip }), probes }];
  });
  const added = [...missing.values()].flatMap((pod) => {
    const probes = want(pod);
    const { name, namespace: inNamespace = '', uid = '' } = pod.metadata;
    return probes.length === 0 ? [] : [{ name, namespace: inNamespace, uid, IP: pod.status?.podIP ?? '', probes }];
  });
  const wanted = [...kept, ...added];
  if (deepEqual(wanted, held)) return { podProbes: held, unresolved, refused: [] };
  const { podProbes, refused } = withinShare(wanted, held, { namespace, name: markerName });
  return { podProbes: refused.length > 0 && deepEqual(podProbes, held) ? held : podProbes, unresolved, refused };
}
