/** The workloads that the end of a revision enqueues. */
import { describe, expect, it } from '@jest/globals';
import { daemonSets, type DaemonSet } from '@kruise/api';
import { storeOf } from '@kruise/kube/testing';
import { formatKey, type ControllerRevision, type Pod } from '@kruise/objects';
import { freesQuotaOf, usersOfRevision } from './pod-events.ts';

const user = (name: string, updateRevision: string, namespace = 'default'): DaemonSet =>
  ({ metadata: { name, namespace }, spec: {}, status: { updateRevision } }) as unknown as DaemonSet;
const revision: ControllerRevision = { metadata: { name: 'agent-abc', namespace: 'default' }, revision: 1 };
const workloads = storeOf(daemonSets, [user('by-name', 'agent-abc'), user('by-hash', 'abc'), user('elsewhere', 'abc', 'other')]);

describe('a revision that is deleted', () => {
  const enqueued = (options: Parameters<typeof usersOfRevision>[2], kind: 'Deleted' | 'Added' = 'Deleted'): readonly string[] =>
    usersOfRevision({ kind, object: revision, initial: false }, daemonSets, options).map(formatKey);

  it('enqueues those that use it in their status by its name', () => {
    expect(enqueued({ workloads })).toEqual(['default/by-name']);
  });

  it('enqueues those that use it by another id, where the kind writes that', () => {
    expect(enqueued({ workloads, idOf: ({ metadata }) => metadata.name.slice('agent-'.length) })).toEqual(['default/by-hash']);
  });

  it('enqueues nothing when it is created', () => {
    expect(enqueued({ workloads }, 'Added')).toEqual([]);
  });
});

describe('the quota of an owner is freed', () => {
  const aPodIn = (phase: string, ownerUid = 'set'): Pod => ({
    metadata: { name: 'a', ownerReferences: [{ apiVersion: 'v1', kind: 'Set', name: 'set', uid: ownerUid, controller: true }] },
    spec: { containers: [] },
    status: { phase },
  });
  const updated = (from: string, to: string): string | undefined =>
    freesQuotaOf({ kind: 'Updated', object: aPodIn(to), previous: aPodIn(from) });

  it('when its Pod is deleted, or has ended', () => {
    expect(freesQuotaOf({ kind: 'Deleted', object: aPodIn('Running') })).toBe('set');
    expect([updated('Running', 'Succeeded'), updated('Pending', 'Failed')]).toEqual(['set', 'set']);
  });

  it('by no other change of a Pod', () => {
    expect(freesQuotaOf({ kind: 'Added', object: aPodIn('Failed'), initial: false })).toBeUndefined();
    expect([updated('Pending', 'Running'), updated('Failed', 'Failed')]).toEqual([undefined, undefined]);
  });
});
