/** Golden scenarios of PodProbeMarkers and of the NodePodProbes that their probes are listed in; the test answers as the node agents do. */
import { describe } from '@jest/globals';
import { nodePodProbes, podProbeMarkers } from '@kruise/api';
import { pods } from '@kruise/objects';
import { itMatchesGoldenScenarios, type GoldenScenario } from '../../module/golden-scenarios.testing.ts';
import { marker, markerKey, namespace, nodeNames, ProbeCluster } from './cluster.testing.ts';

const scenarios: readonly GoldenScenario<ProbeCluster>[] = [
  {
    name: 'results-set-conditions-and-labels',
    then: async (cluster) => {
      cluster.timeline.note('a user marks Pods by a probe');
      cluster.api.seed(podProbeMarkers, marker);
      await cluster.ticks(2);
      for (const state of ['Succeeded', 'Failed'] as const) {
        cluster.timeline.note(`the agents report ${state}`);
        await cluster.answer(state);
        await cluster.ticks(2);
      }
    },
  },
  {
    name: 'a-pod-and-the-marker-are-deleted',
    then: async (cluster) => {
      cluster.timeline.note('a user marks Pods by a probe');
      cluster.api.seed(podProbeMarkers, marker);
      await cluster.ticks(2);
      cluster.timeline.note(`the Pod on ${nodeNames[0]} is deleted`);
      await cluster.api.delete(pods, { namespace, name: `pod-${nodeNames[0]}` }, { gracePeriodSeconds: 0 });
      await cluster.ticks(2);
      cluster.timeline.note('the user deletes the marker');
      await cluster.api.delete(podProbeMarkers, markerKey);
      await cluster.ticks(2);
    },
  },
  {
    name: 'a-list-is-deleted-and-created-again',
    then: async (cluster) => {
      cluster.timeline.note('a user marks Pods by a probe');
      cluster.api.seed(podProbeMarkers, marker);
      await cluster.ticks(2);
      cluster.timeline.note('an administrator deletes a NodePodProbe');
      await cluster.api.delete(nodePodProbes, { namespace: '', name: nodeNames[0] });
      await cluster.ticks(3);
    },
  },
];

describe('probes', () => {
  itMatchesGoldenScenarios(import.meta.url, () => new ProbeCluster(), scenarios);
});
