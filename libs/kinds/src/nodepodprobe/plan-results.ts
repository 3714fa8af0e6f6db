/** What results of probes mean for Pods: conditions, labels, annotations. Pure. @see spec/podprobemarker.md 5.2 */
import type { ContainerProbeState, PodContainerProbe, PodProbeMarker, PodProbeStatus } from '@kruise/api';
import { podCondition, type Pod, type PodCondition } from '@kruise/objects';
import { parseProbeName } from '../probes/probe-name.ts';

type Marks = Readonly<Record<string, string | null>>;

/** What one Pod is to look like; null removes. */
export interface PodResults {
  readonly conditions: readonly PodCondition[];
  readonly labels: Marks;
  readonly annotations: Marks;
}

/** Strategic merge patch of the Pod's status, marks included: the status endpoint takes labels and annotations too. */
export interface ResultsPatch {
  readonly metadata: { readonly uid?: string; readonly resourceVersion?: string; readonly labels?: Marks; readonly annotations?: Marks };
  readonly status?: { readonly conditions: readonly object[] };
}

function conditionOf(type: string, state: ContainerProbeState): PodCondition {
  const { lastProbeTime, lastTransitionTime, message = '' } = state;
  return {
    type,
    status: state.state === 'Succeeded' ? 'True' : 'False',
    ...(lastProbeTime === undefined ? {} : { lastProbeTime }),
    ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }),
    ...(message === '' ? {} : { message }),
  };
}

const removed = (marks: Readonly<Record<string, string>> | undefined): Marks =>
  Object.fromEntries(Object.keys(marks ?? {}).map((key) => [key, null]));

/** The probe that a result belongs to; undefined if its marker is deleted, is being deleted, or no longer has such a probe. */
function declarationOf(
  { name, state }: ContainerProbeState,
  markerAt: (name: string) => PodProbeMarker | undefined,
): PodContainerProbe | undefined {
  const parsed = state === undefined ? undefined : parseProbeName(name);
  const marker = parsed === undefined ? undefined : markerAt(parsed.marker);
  if (marker === undefined || marker.metadata.deletionTimestamp !== undefined) return undefined;
  return marker.spec.probes.find((probe) => probe.name === parsed?.probe);
}

/**
 * @param markerAt the markers of the Pod's namespace
 * @remarks Two probes with one condition type: the first result decides, the policies of both hold.
 */
export function planPodResults({ probeStates = [] }: PodProbeStatus, markerAt: (name: string) => PodProbeMarker | undefined): PodResults {
  const conditions = new Map<string, PodCondition>();
  let [labels, annotations]: [Marks, Marks] = [{}, {}];
  for (const state of probeStates) {
    const declared = declarationOf(state, markerAt);
    if (declared === undefined) continue;
    const { podConditionType: type = '', markerPolicy = [] } = declared;
    if (type !== '' && !conditions.has(type)) conditions.set(type, conditionOf(type, state));
    const matched = markerPolicy.find((policy) => policy.state === state.state);
    // Of a result that is Unknown, those of all policies.
    for (const opposite of markerPolicy.filter((policy) => policy.state !== state.state)) {
      labels = { ...labels, ...removed(opposite.labels) };
      annotations = { ...annotations, ...removed(opposite.annotations) };
    }
    labels = { ...labels, ...matched?.labels };
    annotations = { ...annotations, ...matched?.annotations };
  }
  return { conditions: [...conditions.values()], labels, annotations };
}

const differing = (wanted: Marks, held: Readonly<Record<string, string>> | undefined): Marks =>
  Object.fromEntries(Object.entries(wanted).filter(([key, value]) => (held?.[key] ?? null) !== value));

const hasSome = (marks: Marks): boolean => Object.keys(marks).length > 0;

/** The condition as a patch, which removes a former message explicitly. */
function conditionPatch(condition: PodCondition, pod: Pod): object | undefined {
  const held = podCondition(pod, condition.type);
  if (held === undefined) return condition;
  if (held.status === condition.status && (held.message ?? '') === (condition.message ?? '')) return undefined;
  return { ...condition, ...(condition.message === undefined && held.message !== undefined ? { message: null } : {}) };
}

/** @returns undefined when the Pod looks like that already; a condition that only ran again is no reason to write */
export function planResultsPatch(pod: Pod, { conditions, labels, annotations }: PodResults): ResultsPatch | undefined {
  const changed = conditions.flatMap((condition) => conditionPatch(condition, pod) ?? []);
  const [newLabels, newAnnotations] = [differing(labels, pod.metadata.labels), differing(annotations, pod.metadata.annotations)];
  if (changed.length === 0 && !hasSome(newLabels) && !hasSome(newAnnotations)) return undefined;
  const { uid, resourceVersion } = pod.metadata;
  return {
    metadata: {
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(hasSome(newLabels) ? { labels: newLabels } : {}),
      ...(hasSome(newAnnotations) ? { annotations: newAnnotations } : {}),
    },
    ...(changed.length === 0 ? {} : { status: { conditions: changed } }),
  };
}

/** Marks that the answer to a status patch does not show: the server left them out. */
export function planMarksPatch(pod: Pod, { labels, annotations }: PodResults): ResultsPatch | undefined {
  return planResultsPatch(pod, { conditions: [], labels, annotations });
}
