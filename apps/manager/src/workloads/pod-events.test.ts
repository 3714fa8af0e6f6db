/** Which workloads the end of a revision wakes. */
import { describe, expect, it } from '@jest/globals';
import { daemonSets, type DaemonSet } from '@kruise/api';
import { storeOf } from '@kruise/kube/testing';
import { formatKey, type ControllerRevision } from '@kruise/objects';
import { usersOfRevision } from './pod-events.ts';

const user = (name: string, updateRevision: string, namespace = 'default'): DaemonSet =>
  ({ metadata: { name, namespace }, spec: {}, status: { updateRevision } }) as unknown as DaemonSet;
const revision: ControllerRevision = { metadata: { name: 'agent-abc', namespace: 'default' }, revision: 1 };
const workloads = storeOf(daemonSets, [user('by-name', 'agent-abc'), user('by-hash', 'abc'), user('elsewhere', 'abc', 'other')]);

describe('a revision that is deleted', () => {
  const woken = (options: Parameters<typeof usersOfRevision>[2], kind: 'Deleted' | 'Added' = 'Deleted'): readonly string[] =>
    usersOfRevision({ kind, object: revision, initial: false }, daemonSets, options).map(formatKey);

  it('wakes those that use it in their status by its name', () => {
    expect(woken({ workloads })).toEqual(['default/by-name']);
  });

  it('wakes those that use it by another id, where the kind writes that', () => {
    expect(woken({ workloads, idOf: ({ metadata }) => metadata.name.slice('agent-'.length) })).toEqual(['default/by-hash']);
  });

  it('wakes nobody when it comes', () => {
    expect(woken({ workloads }, 'Added')).toEqual([]);
  });
});
