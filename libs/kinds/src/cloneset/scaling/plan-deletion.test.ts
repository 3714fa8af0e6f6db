/** A CloneSet that is being deleted: its Pods, claims and revisions go with it, and nothing else is done but the status. @see spec/cloneset.md 5.2 step 10, 6 */
import { describe, expect, it } from '@jest/globals';
import type { CloneSet } from '@kruise/api';
import type { Pod } from '@kruise/objects';
import { plan } from '../plan.ts';
import { momentOf, planned, type Situation } from '../situation.testing.ts';

const going = (cloneSet: CloneSet): CloneSet => ({
  ...cloneSet,
  metadata: { ...cloneSet.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
});
const unlike = (pod: Pod): Pod => ({ ...pod, metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, app: 'other' } } });
const foreign = (pod: Pod): Pod => ({ ...pod, metadata: { ...pod.metadata, ownerReferences: [] } });
const hold = { hold: 'yes' };
const preDelete: CloneSet['spec']['lifecycle'] = { preDelete: { labelsHandler: hold } };

interface Row {
  readonly name: string;
  readonly given: Situation;
  /** What is done of it without the deletion, to show that the row can fail. */
  readonly otherwise: readonly string[];
}

describe('a CloneSet that is being deleted', () => {
  it.each<Row>([
    { name: 'creates no Pods', given: { set: { replicas: 3 }, pods: { a: {} } }, otherwise: ['CreatePod', 'CreatePod'] },
    { name: 'scales nothing in', given: { set: { replicas: 0 }, pods: { a: {} } }, otherwise: ['DeletePod'] },
    { name: 'deletes no Pod that is marked', given: { set: { replicas: 1 }, pods: { a: { marked: true } } }, otherwise: ['DeletePod'] },
    {
      name: 'deletes no Pod whose preDelete hook let go',
      given: { set: { replicas: 0, spec: { lifecycle: preDelete } }, pods: { a: { state: 'PreparingDelete' } } },
      otherwise: ['DeletePod'],
    },
    {
      name: 'takes no deletion back',
      given: { set: { replicas: 1, spec: { lifecycle: preDelete } }, pods: { a: { state: 'PreparingDelete', labels: hold } } },
      otherwise: ['SetLifecycle'],
    },
    {
      name: 'updates nothing',
      given: { set: { replicas: 1, rollingUpdate: { maxUnavailable: 1 } }, revisions: 2, current: 1, pods: { a: { of: 1 } } },
      otherwise: ['UpdatePodInPlace'],
    },
    {
      name: 'moves no Pod through its lifecycle',
      given: { set: { replicas: 1 }, pods: { a: { state: 'PreparingNormal' } } },
      otherwise: ['SetLifecycle'],
    },
    {
      name: 'lets no Pod go whose labels do not match',
      given: { set: { replicas: 0 }, pods: { a: { with: unlike } } },
      otherwise: ['ReleasePod'],
    },
    { name: 'deletes no claims', given: { set: { replicas: 0 }, claims: ['data-gone'] }, otherwise: ['DeleteClaim'] },
    {
      name: 'hands no claims over',
      given: { set: { replicas: 0 }, pods: { a: { phase: 'Failed' } }, claims: ['data-a'] },
      otherwise: ['HandOverClaim'],
    },
    {
      name: 'deletes no revisions',
      given: { set: { replicas: 0, spec: { revisionHistoryLimit: 0 } }, revisions: 3 },
      otherwise: ['DeleteRevision', 'DeleteRevision'],
    },
    {
      name: 'empties no list of Pods to delete',
      given: { set: { replicas: 0, spec: { scaleStrategy: { podsToDelete: ['sample-x'] } } } },
      otherwise: ['SetPodsToDelete'],
    },
    {
      name: 'pulls no images ahead',
      given: {
        set: { replicas: 5, rollingUpdate: { partition: 5 } },
        revisions: 2,
        current: 1,
        pods: { a: { of: 1 }, b: { of: 1 }, c: { of: 1 }, d: { of: 1 }, e: { of: 1 } },
        seen: { imagePullJobs: [] },
      },
      otherwise: ['CreateImagePullJob', 'LabelRevision'],
    },
    {
      name: 'reports no limit',
      given: { set: { replicas: 2, spec: { scaleStrategy: { maxUnavailable: 0 } } } },
      otherwise: ['ScaleUpLimited'],
    },
    {
      name: 'does not requeue because of Pods',
      given: {
        set: { replicas: 2, spec: { minReadySeconds: 7200 } },
        pods: { a: {}, b: {} },
      },
      otherwise: ['requeue'],
    },
  ])('$name', ({ given, otherwise }) => {
    const { requeueAfter, ...reported } = planned(given);
    const kinds = Object.values(reported).flatMap((lines) => (lines as readonly string[]).map((line) => line.split(' ')[0]));
    expect([...kinds, ...(requeueAfter === undefined ? [] : ['requeue'])]).toEqual(otherwise);
    expect(planned({ ...given, as: going })).toEqual({});
  });

  it('counts its Pods in the status, those whose labels do not match included, and those of others not', () => {
    const given: Situation = {
      set: { replicas: 3 },
      revisions: 2,
      current: 1,
      pods: {
        a: { of: 1 },
        b: { with: unlike },
        c: { ready: false },
        d: { with: foreign },
        e: { terminating: true },
        f: { phase: 'Failed' },
      },
      as: going,
    };
    const { seen, context } = momentOf(given);
    expect(plan(seen, context).status).toMatchObject({ replicas: 3, readyReplicas: 2, updatedReplicas: 2, updatedReadyReplicas: 1 });
    const other = {
      ...seen.pods[1],
      metadata: {
        ...seen.pods[1]?.metadata,
        ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'other', controller: true }],
      },
    };
    expect(plan({ ...seen, pods: [other as Pod] }, context).status.replicas).toBe(0);
  });

  it('creates no revision any more, and requeues at its deadline', () => {
    const given: Situation = {
      set: {
        replicas: 3,
        spec: { progressDeadlineSeconds: 100 },
        status: {
          replicas: 0,
          readyReplicas: 0,
          availableReplicas: 0,
          updatedReplicas: 0,
          updatedReadyReplicas: 0,
          conditions: [{ type: 'Progressing', status: 'True', reason: 'CloneSetUpdated', lastUpdateTime: '2026-01-01T00:59:30Z' }],
        },
      },
      as: going,
    };
    expect(planned(given)).toEqual({ requeueAfter: 71_000 });
    expect(planned({ ...given, seen: { revisions: [] } })).toEqual({ requeueAfter: 71_000 });
  });
});
