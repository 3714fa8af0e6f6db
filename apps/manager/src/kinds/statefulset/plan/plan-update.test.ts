/** Which Pods the rolling update brings to the update revision, and how. @see spec/statefulset.md 5.5 */
import { describe, expect, it } from '@jest/globals';
import type { StatefulSet } from '@kruise/api';
import type { Pod } from '@kruise/objects';
import { all, doing, held, hooked, parallel, planned, rolling, type Row, unready, waitsFor } from './situation.testing.ts';

const check = ({ given, then }: Row): void => expect(planned(given)).toEqual(then);
const deleteIt = (pod: string): string =>
  `with podManagementPolicy OrderedReady the update does not replace a Pod that is not available: delete Pod ${pod}, or recreate the StatefulSet with podManagementPolicy Parallel`;

const withoutImage = (pod: Pod): Pod => {
  const waiting = { reason: 'ImagePullBackOff' };
  const containerStatuses = (pod.status?.containerStatuses ?? []).map((one) => ({ ...one, ready: false, state: { waiting } }));
  return { ...pod, status: { ...pod.status, containerStatuses } };
};

describe('the rolling update', () => {
  const two = { revisions: 2, current: 1 } as const;
  it.each<Row>([
    { name: 'begins at the highest ordinal', given: { ...two, pods: all(3, { of: 1 }) }, then: doing('UpdatePodInPlace web-2') },
    {
      name: 'recreates Pods with ReCreate',
      given: { ...two, set: rolling({ podUpdatePolicy: 'ReCreate' }), pods: all(3, { of: 1 }) },
      then: doing('DeletePod web-2'),
    },
    {
      name: 'takes as many as may be unavailable',
      given: { ...two, set: { ...parallel, ...rolling({ maxUnavailable: 2 }) }, pods: all(3, { of: 1 }) },
      then: doing('UpdatePodInPlace web-2', 'UpdatePodInPlace web-1'),
    },
    {
      name: 'takes one that was refused before last, with Parallel',
      given: { ...two, set: parallel, pods: all(3, { of: 1 }), refused: ['web-2'] },
      then: doing('UpdatePodInPlace web-1'),
    },
    {
      name: 'stops at one that was refused before, when ordered',
      given: { ...two, pods: all(3, { of: 1 }), refused: ['web-2'] },
      then: doing('UpdatePodInPlace web-2'),
    },
    {
      name: 'a percentage is rounded down, and at least 1',
      given: { ...two, set: { ...parallel, ...rolling({ maxUnavailable: '60%' }) }, pods: all(3, { of: 1 }) },
      then: doing('UpdatePodInPlace web-2'),
    },
    {
      name: 'stops at the partition',
      given: { ...two, set: { ...parallel, ...rolling({ partition: 2, maxUnavailable: 3 }) }, pods: all(3, { of: 1 }) },
      then: doing('UpdatePodInPlace web-2'),
    },
    {
      name: 'has nothing to do when the partition is reached, and says so',
      given: { ...two, set: rolling({ partition: 2 }), pods: { 0: { of: 1 }, 1: { of: 1 }, 2: { of: 2 } } },
      then: { does: [], blocked: 'PartitionReached: the partition is reached: 2 Pods keep older revisions' },
    },
    {
      name: 'counts Pods that are unavailable anyway, and takes those at no cost',
      given: { ...two, set: { ...parallel, ...rolling({}) }, pods: { 0: { of: 1 }, 1: { of: 1 }, 2: { of: 1, ready: false } } },
      then: { does: ['UpdatePodInPlace web-2'], blocked: waitsFor(2) },
    },
    {
      name: 'stops at one that the budget does not allow',
      given: { ...two, set: { ...parallel, ...rolling({}) }, pods: { 0: { of: 1 }, 1: { of: 1 }, 2: { ready: false } } },
      then: { does: [], blocked: waitsFor(2) },
    },
    {
      name: 'rests while it is paused, and says so',
      given: { ...two, set: rolling({ paused: true }), pods: all(3, { of: 1 }) },
      then: { does: [], blocked: 'Paused: the update is paused; 3 Pods wait for it' },
    },
    {
      name: 'is left to users who delete Pods, with OnDelete',
      given: { ...two, set: { type: 'OnDelete' }, pods: all(3, { of: 1 }) },
      then: {
        does: [],
        blocked: 'OnDelete: 3 Pods of older revisions are updated only when a user deletes them (update strategy OnDelete)',
      },
    },
    {
      name: 'keeps all back with a partition above replicas',
      given: { ...two, set: { ...parallel, ...rolling({ partition: 5, maxUnavailable: 3 }) }, pods: all(3, { of: 1 }) },
      then: { does: [], blocked: 'PartitionReached: the partition is reached: 5 Pods keep older revisions' },
    },
    {
      name: 'that is paused at its partition is at its partition',
      given: { ...two, set: rolling({ partition: 2, paused: true }), pods: { 0: { of: 1 }, 1: { of: 1 }, 2: { of: 2 } } },
      then: { does: [], blocked: 'PartitionReached: the partition is reached: 2 Pods keep older revisions' },
    },
    {
      name: 'requeues when the grace period of an update in place is over',
      given: { ...two, set: rolling({ inPlaceUpdateStrategy: { gracePeriodSeconds: 30 } }), pods: all(3, { of: 1 }) },
      then: { does: ['UpdatePodInPlace web-2'], waits: 30_000 },
    },
    {
      name: 'has no grace period for a Pod that is recreated',
      given: {
        ...two,
        set: rolling({ podUpdatePolicy: 'ReCreate', inPlaceUpdateStrategy: { gracePeriodSeconds: 30 } }),
        pods: all(3, { of: 1 }),
      },
      then: doing('DeletePod web-2'),
    },
    {
      name: 'does not wait for a Pod that returns into service, with room for another',
      given: {
        ...two,
        set: { ...parallel, spec: held, ...rolling({ maxUnavailable: 2 }), replicas: 2 },
        pods: { 0: { state: 'PreparingDelete', ...hooked }, 1: { of: 1 } },
      },
      then: {
        does: ['SetLifecycle web-0 PreparingNormal', 'UpdatePodInPlace web-1'],
        blocked: 'WaitingForHook: Pod web-0 is held in PreparingDelete by label hold=yes',
      },
    },
    {
      name: 'does not wait for a Pod whose lifecycle continues, if the budget allows another',
      given: {
        ...two,
        set: { ...parallel, spec: held, ...rolling({ maxUnavailable: 2 }) },
        pods: { 0: { of: 1 }, 1: { of: 1, state: 'PreparingNormal' }, 2: { of: 1 } },
      },
      then: { does: ['SetLifecycle web-1 Normal', 'UpdatePodInPlace web-2'] },
    },
    {
      name: 'never recreates a Pod with InPlaceOnly',
      given: {
        ...two,
        set: { ...rolling({ podUpdatePolicy: 'InPlaceOnly' }), replicas: 1 },
        pods: { 0: { of: 1 } },
        as: withServiceAccount,
      },
      then: doing('CreateRevision'),
    },
    ...[
      { policy: parallel, does: ['UpdatePodInPlace web-1'], name: 'passes over a Pod that InPlaceOnly does not update, with Parallel' },
      { policy: {}, does: [], name: 'goes no further than a Pod that InPlaceOnly does not update, when ordered' },
    ].map(({ policy, does, name }): Row => ({
      name,
      given: {
        ...two,
        set: { ...policy, ...rolling({ podUpdatePolicy: 'InPlaceOnly' }) },
        pods: { 0: { of: 1 }, 1: { of: 1 }, 2: { of: 9 } },
      },
      then: { does, fails: { update: { message: expect.stringContaining('Pod web-2 cannot be updated in place') as unknown as string } } },
    })),
    {
      name: 'asks the hook first',
      given: { ...two, set: { replicas: 1, spec: held }, pods: { 0: { of: 1, ...hooked } } },
      then: doing('SetLifecycle web-0 PreparingUpdate'),
    },
    {
      name: 'continues when the hook releases the Pod',
      given: { ...two, set: { replicas: 1, spec: held }, pods: { 0: { of: 1, state: 'PreparingUpdate' } } },
      then: doing('UpdatePodInPlace web-0'),
    },
    {
      name: 'unordered: first those that weigh most',
      given: {
        ...two,
        set: {
          ...parallel,
          ...rolling({
            unorderedUpdate: { priorityStrategy: { weightPriority: [{ weight: 9, matchSelector: { matchLabels: { first: 'yes' } } }] } },
          }),
        },
        pods: { 0: { of: 1, labels: { first: 'yes' } }, 1: { of: 1 }, 2: { of: 1 } },
      },
      then: doing('UpdatePodInPlace web-0'),
    },
    {
      name: 'unordered: counts a Pod that is missing and comes back updated',
      given: {
        ...two,
        set: { ...parallel, ...rolling({ partition: 3, maxUnavailable: 3, unorderedUpdate: {} }), replicas: 5 },
        pods: { ...all(3, { of: 1 }), 3: {} },
      },
      then: doing('CreatePod web-4 of r2'),
    },
    {
      name: 'unordered: makes as many old ones as are to stay, and takes none of those away',
      given: {
        ...two,
        set: { ...parallel, ...rolling({ partition: 2, maxUnavailable: 4, unorderedUpdate: {} }), replicas: 4 },
        pods: { 1: { of: 1 }, 3: {} },
      },
      then: doing('CreatePod web-0 of r1', 'CreatePod web-2 of r2'),
    },
    {
      name: 'unordered: those that go or are updated come first, whatever their weight',
      given: {
        ...two,
        set: { ...parallel, ...rolling({ partition: 1, maxUnavailable: 3, unorderedUpdate: {} }) },
        pods: { 0: {}, 1: { of: 1, terminating: true }, 2: { of: 1 } },
      },
      then: doing(),
    },
    {
      name: 'deletes what is marked, within the same limit',
      given: { set: { ...parallel, ...rolling({ maxUnavailable: 1 }) }, pods: { 0: { marked: true }, 1: { marked: true }, 2: {} } },
      then: doing('DeletePod web-1'),
    },
    {
      name: 'deletes what is marked at no cost where it is not available anyway',
      given: { set: { ...parallel, ...rolling({}) }, pods: { 0: { marked: true, ready: false }, 1: { marked: true }, 2: {} } },
      then: { does: ['DeletePod web-0'], blocked: waitsFor(0) },
    },
    {
      name: 'deletes what is marked once',
      given: { set: { ...parallel, ...rolling({}) }, pods: { 0: {}, 1: {}, 2: { marked: true, terminating: true } } },
      then: doing(),
    },
    {
      name: 'deletes what is marked, partition or not, and updates nothing of it in the same pass',
      given: {
        ...two,
        set: { ...parallel, ...rolling({ partition: 1, maxUnavailable: 3 }) },
        pods: { 0: { of: 1, marked: true }, 1: { of: 1, marked: true }, 2: { of: 1 } },
      },
      then: doing('DeletePod web-1', 'DeletePod web-0', 'UpdatePodInPlace web-2'),
    },
    {
      name: 'deletes nothing for its mark while it is paused, and says so',
      given: { set: { ...parallel, ...rolling({ paused: true }) }, pods: { ...all(2), 2: { marked: true } } },
      then: {
        does: [],
        blocked:
          'Paused: Pod web-2 is marked for deletion, which waits while the update is paused; delete the Pod itself to replace it now',
      },
    },
    {
      name: 'leaves marks alone with OnDelete, and says so',
      given: { set: { ...parallel, type: 'OnDelete' }, pods: { ...all(2), 2: { marked: true } } },
      then: {
        does: [],
        blocked:
          'OnDelete: Pod web-2 is marked for deletion, which update strategy OnDelete ignores; delete the Pod itself to replace it now',
      },
    },
    {
      name: 'waits while a Pod is in the middle of an update in place',
      given: { ...two, set: { ...parallel, ...rolling({}) }, pods: { 0: { of: 1 }, 1: { of: 1 }, 2: { state: 'Updating', ready: false } } },
      then: { does: ['SetLifecycle web-2 Normal'], blocked: waitsFor(2) },
    },
    ...[{}, rolling({ podUpdatePolicy: 'ReCreate' })].map((policy): Row => ({
      name: `leaves alone a Pod that has failed, which is replaced anyway (${JSON.stringify(policy)})`,
      given: { ...two, set: { ...parallel, ...policy, replicas: 1 }, pods: { 0: { of: 1, phase: 'Failed', ready: false } } },
      then: { does: ['DeletePod web-0'], blocked: expect.any(String) as unknown as string },
    })),
    {
      name: 'deletes what is marked and has failed once',
      given: { set: { ...parallel, replicas: 1 }, pods: { 0: { marked: true, phase: 'Failed', ready: false } } },
      then: { does: ['DeletePod web-0'], blocked: expect.any(String) as unknown as string },
    },
    {
      name: 'passes over a Pod that there is no room for to one that is not available, with Parallel',
      given: { ...two, set: { ...parallel, ...rolling({}) }, pods: { 0: { of: 1, ready: false }, 1: { of: 1 }, 2: { of: 1 } } },
      then: { does: ['UpdatePodInPlace web-0'], blocked: waitsFor(0) },
    },
    {
      name: 'does not replace a Pod that is not available, when ordered, and says what to do',
      given: { ...two, pods: { 0: { of: 1 }, 1: { of: 1, ready: false }, 2: { of: 2 } } },
      then: { does: [], blocked: `${waitsFor(1)}; ${deleteIt('web-1')}` },
    },
    {
      name: 'says so as well of a Pod whose image cannot be pulled',
      given: { ...two, pods: { 0: { of: 1 }, 1: { of: 1, ready: false, with: withoutImage }, 2: { of: 2 } } },
      then: { does: [], blocked: `ImageCannotBePulled: container main of Pod web-1 cannot pull image app:1; ${deleteIt('web-1')}` },
    },
    ...[
      { name: 'is of the update revision', more: { pods: { 0: { of: 1 }, 1: unready } } },
      { name: 'the partition keeps back', more: { set: rolling({ partition: 3 }) } },
      { name: 'is updated by deleting it', more: { set: { type: 'OnDelete' } as const } },
      { name: 'waits while the update is paused', more: { set: rolling({ paused: true }) } },
    ].map(({ name, more }): Row => ({
      name: `gives no advice about a Pod that ${name}`,
      given: { ...two, pods: { 0: { of: 1 }, 1: { of: 1, ready: false }, 2: {} }, ...more },
      then: { does: [], blocked: waitsFor(1) },
    })),
    {
      name: 'reports no marked Pod that is being deleted',
      given: { set: { type: 'OnDelete' }, pods: { 0: {}, 1: { marked: true, terminating: true }, 2: {} } },
      then: { does: [] },
    },
    {
      name: 'deletes what is marked before it updates others',
      given: { ...two, pods: { 0: { of: 1, marked: true }, 1: { of: 1 }, 2: { of: 1 } } },
      then: doing('DeletePod web-0'),
    },
  ])('$name', check);
});

function withServiceAccount(set: StatefulSet): StatefulSet {
  const { template } = set.spec;
  const spec = { ...template.spec, containers: template.spec?.containers ?? [], serviceAccountName: 'other' };
  return { ...set, spec: { ...set.spec, template: { ...template, spec } } };
}
