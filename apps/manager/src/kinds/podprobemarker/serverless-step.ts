/**
 * Step 8 of the Pod webhook: lists the probes for the provider of a serverless node in an annotation, because the node is not known yet.
 * @see spec/podprobemarker.md 4
 */
import { podProbeMarkerAnnotations, podProbeMarkers, type Gates, type PodContainerProbe, type PodProbeMarker } from '@kruise/api';
import { goString, sortUtf8, type Pod } from '@kruise/objects';
import { declaredJson, normalizeStruct } from '@kruise/pods';
import type { PodStep } from '../../module/pod-step.ts';
import type { Caches } from '../../caches/caches.ts';
import { matcherOf } from '@kruise/kinds/probes';

/** A probe as the annotation has it: the members of each struct in declared order, empty ones omitted, so that equal probes have equal bytes. */
const formatProbe = ({ name, containerName, probe, podConditionType = '' }: PodContainerProbe): string =>
  `{"name":${goString(name)},"containerName":${goString(containerName)},` +
  `"probe":${declaredJson(normalizeStruct(probe, 'Probe'), 'Probe')},"podConditionType":${goString(podConditionType)}}`;

const probedContainers = (pod: Pod): ReadonlySet<string> =>
  new Set(
    [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')].map(
      ({ name }) => name,
    ),
  );

/** The markers that the Pod names itself, or those that select it. */
function markersFor(pod: Pod, all: readonly PodProbeMarker[]): readonly PodProbeMarker[] {
  const named = pod.metadata.annotations?.[podProbeMarkerAnnotations.list];
  if (named === undefined || named === '') return all.filter((marker) => matcherOf(marker).matches(pod.metadata.labels));
  const names = new Set(named.split(','));
  return all.filter((marker) => names.has(marker.metadata.name));
}

/**
 * The Pod with its probes in annotations.
 *
 * @param all markers of the Pod's namespace, sorted by name
 * @returns the very Pod that was given when it has none
 */
export function withServerlessProbes(pod: Pod, all: readonly PodProbeMarker[]): Pod {
  const containers = probedContainers(pod);
  const [types, names] = [new Set<string>(), new Set<string>()];
  const probes: PodContainerProbe[] = [];
  const used: string[] = [];
  const take = (probe: PodContainerProbe): boolean => {
    const { name, containerName, podConditionType = '' } = probe;
    const place = `${containerName}/${name}`;
    if (!containers.has(containerName) || podConditionType === '' || types.has(podConditionType) || names.has(place)) return false;
    types.add(podConditionType);
    names.add(place);
    probes.push(probe);
    return true;
  };
  for (const marker of markersFor(pod, all)) {
    const taken = marker.spec.probes.filter(take);
    if (taken.length > 0) used.push(marker.metadata.name);
  }
  if (probes.length === 0) return pod;
  const added = {
    [podProbeMarkerAnnotations.podProbe]: `[${probes.map(formatProbe).join(',')}]`,
    [podProbeMarkerAnnotations.list]: sortUtf8(used).join(','),
  };
  return { ...pod, metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, ...added } } };
}

/** @returns undefined when the gate is off */
export function serverlessProbesStep(gates: Gates, caches: Caches): PodStep | undefined {
  if (!gates.EnablePodProbeMarkerOnServerless) return undefined;
  const { store, reflector } = caches.of(podProbeMarkers);
  return {
    name: 'serverless-probes',
    apply: async (pod, _request, signal) => {
      await reflector.waitForSync(signal);
      return { kind: 'Pod', pod: withServerlessProbes(pod, store.list({ namespace: pod.metadata.namespace ?? '', sorted: true })) };
    },
  };
}
