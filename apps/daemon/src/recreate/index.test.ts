import { describe, expect, it } from '@jest/globals';
import { defaultGates, type Gates } from '@kruise/api';
import { Informers } from '@kruise/kube';
import { FakeApi, FakeClock, silentLogger } from '@kruise/kube/testing';
import { Registry } from 'prom-client';
import type { NodeDependencies, NodePart } from '../node-part.ts';
import { recreatePart } from './index.ts';

function define(nodeName: string, gates: Partial<Gates> = {}): NodePart | undefined {
  const client = new FakeApi();
  const [clock, logger] = [new FakeClock(), silentLogger()];
  return recreatePart({
    nodeName,
    gates: { ...defaultGates, ...gates },
    clock,
    logger,
    registry: new Registry(),
    informers: new Informers({ client, clock, logger }),
    clientFor: () => client,
    recorderFor: () => ({ event: () => undefined }),
  } as Partial<NodeDependencies> as NodeDependencies);
}

describe('the part of the agent', () => {
  it('has a worker for every Pod that a node can have, so that no Pod waits for the hooks of others', () => {
    const mostPodsOfANode = 500;
    const workers = define('node1.example.com')?.controllers.map(({ definition }) => definition.workers) ?? [];
    expect(workers).toHaveLength(1);
    expect(workers[0]).toBeGreaterThan(mostPodsOfANode);
  });

  it('is not healthy before it knows its requests', () => {
    const part = define('node1.example.com');
    expect(part?.controllers.map(({ definition }) => definition.name)).toEqual(['crr']);
    expect(part?.live?.['crrInformerSynced']?.()).toBe('not synced');
  });

  it.each([
    ['without the gate', 'node1', { KruiseDaemon: false }],
    ['on a node whose name is no label', 'n'.repeat(64), {}],
  ])('does not exist %s', (_name, node, gates) => {
    expect(define(node, gates)).toBeUndefined();
  });
});
