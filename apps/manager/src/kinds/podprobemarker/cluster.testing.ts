/** Two nodes with a Pod each, and both controllers of probes, on a cluster in memory; the test answers as the node agents do. */
import { nodePodProbes, type NodePodProbe, type PodProbeMarker } from '@kruise/api';
import { nodes, pods } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { asNew } from '../../module/controller-process.testing.ts';
import { InMemoryCluster } from '../../module/in-memory-cluster.testing.ts';
import { nodePodProbeController } from '../nodepodprobe/controller.ts';
import { podProbeMarkerController } from './controller.ts';

export const namespace = 'default';
export const markerKey = { namespace, name: 'rooms' };
export const nodeNames = ['node1', 'node2'] as const;

export const marker: PodProbeMarker = {
  apiVersion: 'apps.kruise.io/v1alpha1',
  kind: 'PodProbeMarker',
  metadata: { ...markerKey, generation: 1 },
  spec: {
    selector: { matchLabels: { app: 'game' } },
    probes: [
      {
        name: 'idle',
        containerName: 'main',
        probe: { exec: { command: ['true'] } },
        podConditionType: 'game.example/idle',
        markerPolicy: [{ state: 'Succeeded', labels: { idle: 'yes' } }],
      },
    ],
  },
};

export class ProbeCluster extends InMemoryCluster {
  constructor() {
    super([podProbeMarkerController, nodePodProbeController]);
    for (const name of nodeNames) {
      this.api.seed(nodes, { metadata: { name }, status: { conditions: [{ type: 'Ready', status: 'True' }] } });
      const { status, ...pod } = aPod({ name: `pod-${name}`, node: name, labels: { app: 'game' } });
      const conditions = [...(status?.conditions ?? []), { type: 'Initialized', status: 'True' }];
      this.api.seed(pods, asNew({ ...pod, status: { ...status, podIP: '10.0.0.1', conditions } }));
    }
  }

  /** Each node agent reports this result of all its probes. */
  async answer(state: 'Succeeded' | 'Failed'): Promise<void> {
    for (const name of nodeNames) {
      const list: NodePodProbe = await this.api.get(nodePodProbes, { namespace: '', name });
      const podProbeStatuses = (list.spec.podProbes ?? []).map(({ probes = [], name: pod, namespace: of, uid }) => ({
        name: pod,
        namespace: of,
        uid,
        probeStates: probes.map((probe) => ({ name: probe.name, state, message: state })),
      }));
      await this.api.updateStatus(nodePodProbes, { ...list, status: { podProbeStatuses } });
    }
  }
}
