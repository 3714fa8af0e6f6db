/** Labels and annotations for results that a serverless provider wrote as Pod conditions. Pure. @see spec/podprobemarker.md 5.1 step 4 */
import type { PodProbeMarker } from '@kruise/api';
import { podCondition, type Pod } from '@kruise/objects';

type Map = Readonly<Record<string, string>>;

/** Strategic merge patch of the Pod. */
export interface MarksPatch {
  readonly metadata: { readonly uid?: string; readonly labels?: Map; readonly annotations?: Map };
}

const differing = (wanted: Map, held: Map | undefined): Map =>
  Object.fromEntries(Object.entries(wanted).filter(([key, value]) => held?.[key] !== value));

const stateOf = (status: string | undefined): string | undefined =>
  status === 'True' ? 'Succeeded' : status === 'False' ? 'Failed' : undefined;

interface Marks {
  readonly labels: Map;
  readonly annotations: Map;
}

/** The labels and annotations for the results in the Pod's conditions. */
function marksFor(marker: PodProbeMarker, pod: Pod): Marks {
  let marks: Marks = { labels: {}, annotations: {} };
  for (const { podConditionType = '', markerPolicy = [] } of marker.spec.probes) {
    const state = stateOf(podCondition(pod, podConditionType)?.status);
    const policy = markerPolicy.find((candidate) => candidate.state === state);
    marks = { labels: { ...marks.labels, ...policy?.labels }, annotations: { ...marks.annotations, ...policy?.annotations } };
  }
  return marks;
}

/** @returns undefined when the Pod has everything. What the policy of the other state once set stays. */
export function planServerlessMarks(marker: PodProbeMarker, pod: Pod): MarksPatch | undefined {
  const marks = marksFor(marker, pod);
  const { uid, labels: heldLabels, annotations: heldAnnotations } = pod.metadata;
  const labels = differing(marks.labels, heldLabels);
  const annotations = differing(marks.annotations, heldAnnotations);
  const [anyLabel, anyAnnotation] = [labels, annotations].map((map) => Object.keys(map).length > 0);
  if (!anyLabel && !anyAnnotation) return undefined;
  return {
    metadata: {
      ...(uid === undefined ? {} : { uid }),
      ...(anyLabel ? { labels } : {}),
      ...(anyAnnotation ? { annotations } : {}),
    },
  };
}
