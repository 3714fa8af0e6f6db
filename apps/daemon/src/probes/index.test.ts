import { describe, expect, it } from '@jest/globals';
import { defaultGates, type Gates } from '@kruise/api';
import { Informers } from '@kruise/kube';
import { FakeApi, FakeClock, silentLogger } from '@kruise/kube/testing';
import type { NodeDependencies, NodePart } from '../node-part.ts';
import { probesPart } from './index.ts';

function define(gates: Partial<Gates> = {}): NodePart | undefined {
  const client = new FakeApi();
  const [clock, logger] = [new FakeClock(), silentLogger()];
  return probesPart({
    nodeName: 'node1',
    gates: { ...defaultGates, ...gates },
    pods: undefined,
    clock,
    logger,
    informers: new Informers({ client, clock, logger }),
    clientFor: () => client,
    recorderFor: () => ({ event: () => undefined }),
  } as Partial<NodeDependencies> as NodeDependencies);
}

describe('the part of the agent', () => {
  it('has the queues of the dashboards, and is not healthy before it knows its list', () => {
    const part = define();
    expect(part?.controllers.map(({ definition }) => [definition.name, definition.workers])).toEqual([
      ['sync_node_pod_probe', 1],
      ['update_node_pod_probe_status', 1],
    ]);
    expect(part?.live?.['nodePodProbeInformerSynced']?.()).toBe('not synced');
  });

  it('does not exist without the gate', () => {
    expect(define({ PodProbeMarkerGate: false })).toBeUndefined();
  });
});
