/** Bringing Pods to another revision: one row for each rule; what a row does not list does not happen. @see spec/cloneset.md 5.7 */
import { describe, expect, it } from '@jest/globals';
import { annotations, labels, type CloneSet } from '@kruise/api';
import { formatTime, instant, type Pod, type PodCondition } from '@kruise/objects';
import { epoch } from '@kruise/testing';
import { momentOf, planned, times, type MemberShape, type Row, type Situation } from '@kruise/kinds/cloneset/situation.testing';
import { Simulation } from '../runs/simulation.testing.ts';
import { aCloneSet } from '@kruise/kinds/cloneset/testing';

const now = epoch + 3_600_000;
const hold = { hold: 'yes' };
const inPlaceHook: CloneSet['spec']['lifecycle'] = { inPlaceUpdate: { labelsHandler: hold } };
const hooked = { spec: { lifecycle: inPlaceHook } };
const unready: MemberShape = { ready: false };
/** Of the revision before the last. */
const ofOld: MemberShape = { of: 1 };

const withCondition =
  (condition: PodCondition) =>
  (pod: Pod): Pod => {
    const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== condition.type);
    return { ...pod, status: { ...pod.status, conditions: [...others, condition] } };
  };
const withoutCondition = (pod: Pod): Pod => ({
  ...pod,
  status: { ...pod.status, conditions: (pod.status?.conditions ?? []).filter(({ type }) => type !== 'InPlaceUpdateReady') },
});
const outOfService = withCondition({ type: 'InPlaceUpdateReady', status: 'False', reason: 'StartInPlaceUpdate' });
/** Taken out of service by a hook. */
const heldByHook = (pod: Pod): Pod =>
  withCondition({ type: 'KruisePodReady', status: 'False', message: '[{"userAgent":"Lifecycle","key":"preUpdateHook"}]' })({
    ...pod,
    spec: { ...pod.spec, readinessGates: [...(pod.spec.readinessGates ?? []), { conditionType: 'KruisePodReady' }] },
  });
const without =
  (label: string) =>
  (pod: Pod): Pod => ({
    ...pod,
    metadata: { ...pod.metadata, labels: Object.fromEntries(Object.entries(pod.metadata.labels ?? {}).filter(([key]) => key !== label)) },
  });

/** What the state annotation says of an update that began `ago` seconds before now. */
const stateOf = (more: object = {}, ago = 10): Readonly<Record<string, string>> => ({
  [annotations.inPlaceUpdateState]: JSON.stringify({
    revision: 'sample-any',
    updateTimestamp: formatTime(instant(now - ago * 1000)),
    lastContainerStatuses: null,
    ...more,
  }),
});
const unfinished = { lastContainerStatuses: { gone: { imageID: 'old' } } };
/** The Pod waits for its grace period, which began `ago` seconds before now; the update is to the revision it carries. */
const inGrace = (graceSeconds: number, ago: number, state: object | null = {}): MemberShape => ({
  state: 'Updating',
  with: (pod) =>
    outOfService({
      ...pod,
      metadata: {
        ...pod.metadata,
        annotations: {
          ...(state === null ? {} : stateOf(state, ago)),
          [annotations.inPlaceUpdateGrace]: JSON.stringify({
            revision: pod.metadata.labels?.[labels.controllerRevisionHash],
            containerImages: { main: 'app:9' },
            graceSeconds,
          }),
        },
      },
    }),
});

const complete = 'the in-place update is complete, or there was none';
const noHook = 'there is no preNormal hook to wait for';
const wanting = (count: number, limit: number, revision = 'r2'): string =>
  `${count} Pods must be updated to ${revision}, ${limit} may be unavailable`;

const table = (rows: readonly Row[]): void => {
  it.each(rows)('$name', ({ name: _name, then, ...given }) => {
    expect(planned(given)).toEqual(then);
  });
};

describe('what a Pod needs before anything new is decided about it', () => {
  table([
    { name: 'nothing is done for Pods that are where they should be', set: { replicas: 2 }, pods: { a: {}, b: unready }, then: {} },
    {
      name: 'a Pod that was never updated gets the condition InPlaceUpdateReady',
      set: { replicas: 1 },
      pods: { a: { with: withoutCondition } },
      then: { update: [`RefreshPod a SetReady: ${complete}`] },
    },
    {
      name: 'a new Pod on a node becomes Normal with the same write',
      set: { replicas: 1 },
      pods: { a: { state: 'PreparingNormal', with: withoutCondition } },
      then: { update: [`RefreshPod a SetReady Normal: the Pod becomes Normal: ${noHook}`] },
    },
    {
      name: 'a new Pod on a node that carries the key of a hook is put into service by a write of its own',
      set: { replicas: 1 },
      pods: { a: { state: 'PreparingNormal', with: (pod) => withoutCondition(heldByHook(pod)) } },
      then: { update: [`RefreshPod a SetReady: ${complete}`, `SetLifecycle a Normal RemoveKey preUpdateHook: ${noHook}`] },
    },
    {
      name: 'a new Pod that has the condition only becomes Normal',
      set: { replicas: 1 },
      pods: { a: { state: 'PreparingNormal' } },
      then: { update: [`SetLifecycle a Normal: ${noHook}`] },
    },
    {
      name: 'a new Pod without a node waits: its condition comes with the step to Normal',
      set: { replicas: 1 },
      pods: { a: { state: 'PreparingNormal', node: '', phase: 'Pending', ready: false, with: withoutCondition } },
      then: {},
    },
    {
      name: 'a new Pod with an empty node name waits as well',
      set: { replicas: 1 },
      pods: { a: { state: 'PreparingNormal', with: (pod) => withoutCondition({ ...pod, spec: { ...pod.spec, nodeName: '' } }) } },
      then: {},
    },
    {
      name: 'a new Pod without a node that waits for a preNormal hook gets its condition at once',
      set: { replicas: 1, spec: { lifecycle: { preNormal: { labelsHandler: hold } } } },
      pods: { a: { state: 'PreparingNormal', node: '', with: withoutCondition } },
      then: { update: [`RefreshPod a SetReady: ${complete}`] },
    },
    {
      name: 'a Pod without a node that is Normal already gets its condition at once',
      set: { replicas: 1 },
      pods: { a: { node: '', with: withoutCondition } },
      then: { update: [`RefreshPod a SetReady: ${complete}`] },
    },
    {
      name: 'a Pod without a node that was updated gets its condition at once',
      set: { replicas: 1 },
      pods: { a: { state: 'PreparingNormal', node: '', annotations: stateOf(), with: outOfService } },
      then: { update: [`RefreshPod a SetReady: ${complete}`] },
    },
    {
      name: 'a Pod on a node that waits for its preNormal hook gets its condition, and not the state',
      set: { replicas: 1, spec: { lifecycle: { preNormal: { labelsHandler: hold } } } },
      pods: { a: { state: 'PreparingNormal', with: withoutCondition } },
      then: { update: [`RefreshPod a SetReady: ${complete}`] },
    },
    {
      name: 'a new Pod becomes Normal when all of its preNormal hook is there',
      set: { replicas: 2, spec: { lifecycle: { preNormal: { labelsHandler: hold, finalizersHandler: ['example.com/f'] } } } },
      pods: {
        a: { state: 'PreparingNormal', labels: hold, finalizers: ['example.com/f'] },
        b: { state: 'PreparingNormal', labels: hold },
      },
      then: { update: ['SetLifecycle a Normal: the preNormal hook is complete'] },
    },
    {
      name: 'a Pod whose update is complete is put back and becomes Normal in one write',
      set: { replicas: 1 },
      pods: { a: { state: 'Updating', annotations: stateOf(), with: outOfService } },
      then: { update: ['RefreshPod a SetReady Normal: the Pod becomes Normal: the in-place update is complete'] },
    },
    {
      name: 'a Pod whose update is complete becomes Updated when its hook must be restored',
      set: { replicas: 1, ...hooked },
      pods: { a: { state: 'Updating', annotations: stateOf(), with: outOfService } },
      then: { update: ['RefreshPod a SetReady Updated: the Pod becomes Updated: the in-place update is complete'] },
    },
    {
      name: 'a Pod that a hook took out of service is put back by a write of its own',
      set: { replicas: 1 },
      pods: {
        a: {
          state: 'Updating',
          annotations: stateOf(),
          with: (pod) => outOfService(heldByHook(pod)),
        },
      },
      then: {
        update: [`RefreshPod a SetReady: ${complete}`, 'SetLifecycle a Normal RemoveKey preUpdateHook: the in-place update is complete'],
      },
    },
    {
      name: 'a Pod whose containers still run what was before is waited for',
      set: { replicas: 1 },
      pods: { a: { state: 'Updating', annotations: stateOf(unfinished), with: outOfService } },
      then: {},
    },
    {
      name: 'new resources are waited for where they can be changed',
      set: { replicas: 1 },
      context: { resources: 'BySubresource' },
      pods: {
        a: { state: 'Updating', annotations: stateOf({ updateResources: true, containerBatchesRecord: [{ containers: ['main'] }] }) },
      },
      then: {},
    },
    {
      name: 'new resources are not waited for where they cannot be changed',
      set: { replicas: 1 },
      pods: {
        a: { state: 'Updating', annotations: stateOf({ updateResources: true, containerBatchesRecord: [{ containers: ['main'] }] }) },
      },
      then: { update: ['SetLifecycle a Normal: the in-place update is complete'] },
    },
    {
      name: 'a Pod that was rolled back while it was prepared becomes Normal',
      set: { replicas: 1 },
      pods: { a: { state: 'PreparingUpdate' } },
      then: { update: ['SetLifecycle a Normal: the Pod already has the update revision'] },
    },
    {
      name: 'a Pod that is prepared for another revision stays so',
      set: { replicas: 1, rollingUpdate: { paused: true } },
      revisions: 2,
      current: 1,
      pods: { a: { ...ofOld, state: 'PreparingUpdate' } },
      then: {},
    },
    {
      name: 'the grace period is waited for, in whole seconds',
      set: { replicas: 1 },
      pods: { a: inGrace(10, 4) },
      then: { requeueAfter: 6000 },
    },
    {
      name: 'the shortest grace period determines the requeue time',
      set: { replicas: 3 },
      pods: { a: inGrace(10, 2), b: inGrace(10, 4), c: inGrace(10, 3) },
      then: { requeueAfter: 6000 },
    },
    {
      name: 'the update is applied when the grace period is over',
      set: { replicas: 1 },
      pods: { a: inGrace(10, 10) },
      then: { update: ['RefreshPod a ApplyGrace: the grace period of 10 seconds is over'] },
    },
    {
      name: 'a grace period for a revision that the Pod no longer has is dropped',
      set: { replicas: 1 },
      pods: {
        a: {
          state: 'Updating',
          annotations: { ...stateOf(unfinished), [annotations.inPlaceUpdateGrace]: '{"revision":"sample-gone","graceSeconds":5}' },
        },
      },
      then: { update: ['RefreshPod a DropGrace: the Pod no longer has revision gone'] },
    },
    {
      name: 'the next batch of containers follows when the one before is ready',
      set: { replicas: 1 },
      pods: { a: { state: 'Updating', annotations: stateOf({ nextContainerImages: { main: 'app:9' } }), with: outOfService } },
      then: { update: ['RefreshPod a NextBatch: the containers of the previous batch are ready'] },
    },
    {
      name: 'a Pod whose grace period ends while it moves on is written twice, first the update',
      set: { replicas: 1 },
      pods: { a: { ...inGrace(1, 1), state: 'Updated' } },
      then: {
        update: [
          'RefreshPod a ApplyGrace: the grace period of 1 seconds is over',
          'SetLifecycle a Normal: no inPlaceUpdate hook is missing',
        ],
      },
    },
    {
      name: 'a Pod of an older manager gets the label pod-template-hash',
      set: { replicas: 1 },
      pods: { a: { with: without(labels.podTemplateHash) } },
      then: { update: [expect.stringMatching(/^LabelPod a with pod-template-hash=\w{8,10}: the Pod lacks the label$/) as never] },
    },
    {
      name: 'a Pod whose revision is not known gets no label',
      set: { replicas: 2, rollingUpdate: { paused: true } },
      pods: {
        a: { with: (pod) => without(labels.podTemplateHash)(without(labels.controllerRevisionHash)(pod)) },
        b: { labels: { [labels.controllerRevisionHash]: '' }, with: without(labels.podTemplateHash) },
      },
      then: {},
    },
    {
      name: 'updates of Pods go before their lifecycle, that before their labels',
      set: { replicas: 3 },
      pods: {
        a: { state: 'PreparingNormal', with: without(labels.podTemplateHash) },
        b: { with: (pod) => withoutCondition(without(labels.podTemplateHash)(pod)) },
        c: inGrace(1, 1),
      },
      then: {
        update: [
          `RefreshPod b SetReady: ${complete}`,
          'RefreshPod c ApplyGrace: the grace period of 1 seconds is over',
          `SetLifecycle a Normal: ${noHook}`,
          expect.stringMatching(/^LabelPod a /) as never,
          expect.stringMatching(/^LabelPod b /) as never,
        ],
      },
    },
    {
      name: 'a Pod that becomes Normal with its condition is labelled in the same pass',
      set: { replicas: 1 },
      pods: { a: { state: 'PreparingNormal', with: (pod) => withoutCondition(without(labels.podTemplateHash)(pod)) } },
      then: {
        update: [`RefreshPod a SetReady Normal: the Pod becomes Normal: ${noHook}`, expect.stringMatching(/^LabelPod a /) as never],
      },
    },
  ]);
});

const rolling = { revisions: 2, current: 1 };
const all = { replicas: 2, rollingUpdate: { maxUnavailable: 2 } };

describe('no update is begun', () => {
  table([
    {
      name: 'of a Pod whose lifecycle moves, and others go on',
      set: all,
      ...rolling,
      pods: { a: { ...ofOld, state: 'PreparingNormal' }, b: ofOld },
      then: { update: [`SetLifecycle a Normal: ${noHook}`, `UpdatePodInPlace b to r2: ${wanting(2, 2)}`] },
    },
    {
      name: 'of a Pod that moves together with its condition, and others go on',
      set: all,
      ...rolling,
      pods: { a: { ...ofOld, state: 'PreparingNormal', with: withoutCondition }, b: ofOld },
      then: {
        update: [`RefreshPod a SetReady Normal: the Pod becomes Normal: ${noHook}`, `UpdatePodInPlace b to r2: ${wanting(2, 2)}`],
      },
    },
    {
      name: 'of a Pod that is labelled, and others go on',
      set: all,
      ...rolling,
      pods: { a: { ...ofOld, with: without(labels.podTemplateHash) }, b: ofOld },
      then: { update: [expect.stringMatching(/^LabelPod a /) as never, `UpdatePodInPlace b to r2: ${wanting(2, 2)}`] },
    },
    {
      name: 'of a Pod that is labelled and gets its condition, and others go on',
      set: all,
      ...rolling,
      pods: { a: { with: (pod) => withoutCondition(without(labels.podTemplateHash)(pod)) }, b: ofOld },
      then: {
        update: [
          `RefreshPod a SetReady: ${complete}`,
          expect.stringMatching(/^LabelPod a /) as never,
          `UpdatePodInPlace b to r2: ${wanting(1, 2)}`,
        ],
      },
    },
    {
      name: 'of a Pod whose annotations contradict each other, which is reported for the first, and others continue',
      set: { replicas: 4, rollingUpdate: { maxUnavailable: 4 } },
      ...rolling,
      pods: { a: ofOld, b: inGrace(5, 1, null), c: inGrace(5, 1, null), d: { with: withoutCondition } },
      then: {
        update: [`RefreshPod d SetReady: ${complete}`, `UpdatePodInPlace a to r2: ${wanting(1, 4)}`],
        failure: expect.stringMatching(
          /^Pod b: a grace annotation without a readable state annotation; delete Pod b, or remove its /,
        ) as never,
      },
    },
    {
      name: 'with the strategy OnDelete, and Pods are tended',
      set: { replicas: 2, type: 'OnDelete' },
      ...rolling,
      pods: { a: ofOld, b: { with: withoutCondition } },
      then: { update: [`RefreshPod b SetReady: ${complete}`] },
    },
    {
      name: 'with the strategy OnDelete, and a Pod that was prepared for an update returns to service',
      set: { replicas: 2, type: 'OnDelete' },
      ...rolling,
      pods: { a: { ...ofOld, state: 'PreparingUpdate' }, b: ofOld },
      then: { update: ['SetLifecycle a Normal: the strategy is OnDelete: the Pod is not updated'] },
    },
    {
      name: 'with OnDelete although the limits of a rolling update are there',
      set: all,
      as: (cloneSet) => ({
        ...cloneSet,
        spec: { ...cloneSet.spec, updateStrategy: { ...cloneSet.spec.updateStrategy, type: 'OnDelete' } },
      }),
      ...rolling,
      pods: { a: ofOld, b: ofOld },
      then: {},
    },
    {
      name: 'while it is paused, and Pods are tended',
      set: { replicas: 2, rollingUpdate: { maxUnavailable: 2, paused: true } },
      ...rolling,
      pods: { a: ofOld, b: inGrace(7, 2) },
      then: { requeueAfter: 5000 },
    },
    { name: 'when all Pods are updated', set: all, ...rolling, pods: { a: {}, b: {} }, then: {} },
    {
      name: 'when the partition is reached',
      set: { replicas: 2, rollingUpdate: { maxUnavailable: 2, partition: 1 } },
      ...rolling,
      pods: { a: ofOld, b: {} },
      then: {},
    },
    {
      name: 'when the partition has grown',
      set: { replicas: 2, rollingUpdate: { maxUnavailable: 2, partition: 2 } },
      ...rolling,
      pods: { a: ofOld, b: {} },
      then: {},
    },
  ]);

  it('but a Pod that only gets its condition stops no other', () => {
    expect(planned({ set: all, ...rolling, pods: { a: { with: withoutCondition }, b: ofOld } })).toEqual({
      update: [`RefreshPod a SetReady: ${complete}`, `UpdatePodInPlace b to r2: ${wanting(1, 2)}`],
    });
  });
});

const update = (...names: readonly string[]): readonly string[] => names.map((name) => `UpdatePodInPlace ${name} to r2`);
/** Only the first words of what is done for updates. */
const begun = (given: Situation): readonly string[] => (planned(given).update ?? []).map((line) => line.slice(0, line.indexOf(':')));
const spread = (set: Situation['set'], pods: Situation['pods']): Situation => ({ set, ...rolling, pods: pods ?? {} });

describe('how many Pods are updated', () => {
  it.each<{ name: string; given: Situation; then: readonly string[] }>([
    {
      name: 'as many that serve as maxUnavailable lets',
      given: spread({ replicas: 5, rollingUpdate: { maxUnavailable: 2 } }, { a: ofOld, b: ofOld, c: ofOld, d: ofOld, e: ofOld }),
      then: update('a', 'b'),
    },
    {
      name: 'all when it lets all',
      given: spread({ replicas: 2, rollingUpdate: { maxUnavailable: 2 } }, { a: ofOld, b: ofOld }),
      then: update('a', 'b'),
    },
    {
      name: 'none when it lets none, not even a broken one',
      given: spread({ replicas: 1, rollingUpdate: { maxUnavailable: 0 } }, { a: { ...ofOld, ...unready } }),
      then: [],
    },
    {
      name: 'none when it lets none',
      given: spread({ replicas: 2, rollingUpdate: { maxUnavailable: 0 } }, { a: ofOld, b: ofOld }),
      then: [],
    },
    {
      name: 'as many as the partition leaves',
      given: spread({ replicas: 4, rollingUpdate: { maxUnavailable: 4, partition: 2 } }, { a: ofOld, b: ofOld, c: ofOld, d: ofOld }),
      then: update('a', 'b'),
    },
    {
      name: 'Pods above replicas add to the limit',
      given: spread({ replicas: 2, rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } }, { a: ofOld, b: ofOld, c: {} }),
      then: update('a'),
    },
    {
      name: 'a broken old Pod first, as it costs no availability, and with it the limit of new Pods is reached',
      given: spread({ replicas: 3, rollingUpdate: { maxUnavailable: 1 } }, { a: ofOld, b: { ...ofOld, ...unready }, c: ofOld }),
      then: update('b'),
    },
    {
      name: 'a broken old Pod, and one that serves within the limit',
      given: spread({ replicas: 3, rollingUpdate: { maxUnavailable: 2 } }, { a: ofOld, b: { ...ofOld, ...unready }, c: ofOld }),
      then: update('b', 'a'),
    },
    {
      name: 'broken old Pods up to the limit, and none that serves',
      given: spread(
        { replicas: 4, rollingUpdate: { maxUnavailable: 2 } },
        { a: ofOld, b: { ...ofOld, ...unready }, c: { ...ofOld, ...unready }, d: { ...ofOld, ...unready } },
      ),
      then: update('b', 'c'),
    },
    {
      name: 'a broken new Pod takes the place of one that serves',
      given: spread({ replicas: 3, rollingUpdate: { maxUnavailable: 2 } }, { a: unready, b: ofOld, c: ofOld }),
      then: update('b'),
    },
    {
      name: 'none when broken new Pods take all places, not even a broken old one',
      given: spread({ replicas: 3, rollingUpdate: { maxUnavailable: 1 } }, { a: unready, b: ofOld, c: { ...ofOld, ...unready } }),
      then: [],
    },
    {
      name: 'Pods of a third revision are old as well',
      given: {
        set: { replicas: 3, rollingUpdate: { maxUnavailable: 3 } },
        revisions: 3,
        current: 2,
        pods: { a: { of: 1 }, b: { of: 2 }, c: {} },
      },
      then: ['UpdatePodInPlace a to r3', 'UpdatePodInPlace b to r3'],
    },
    {
      name: 'no Pod that is prepared for deletion, which takes a place',
      given: spread(
        { replicas: 3, rollingUpdate: { maxUnavailable: 2 }, spec: { lifecycle: { preDelete: { labelsHandler: hold } } } },
        { a: { ...ofOld, state: 'PreparingDelete', marked: true, labels: hold }, b: ofOld, c: ofOld },
      ),
      then: update('b'),
    },
    {
      name: 'Pods that are prepared for the update before others',
      given: spread(
        { replicas: 3, rollingUpdate: { maxUnavailable: 1 }, ...hooked },
        { a: { ...ofOld, ...unready }, b: { ...ofOld, state: 'PreparingUpdate' }, c: ofOld },
      ),
      then: update('b'),
    },
    {
      name: 'Pods of more weight first',
      given: spread(
        {
          replicas: 3,
          rollingUpdate: {
            maxUnavailable: 1,
            priorityStrategy: { weightPriority: [{ weight: 50, matchSelector: { matchLabels: { first: 'yes' } } }] },
          },
        },
        { a: ofOld, b: { ...ofOld, labels: { first: 'yes' } }, c: ofOld },
      ),
      then: update('b'),
    },
    {
      name: 'Pods in the order of a label',
      given: spread(
        { replicas: 3, rollingUpdate: { maxUnavailable: 2, priorityStrategy: { orderPriority: [{ orderedKey: 'order' }] } } },
        { a: { ...ofOld, labels: { order: '1' } }, b: { ...ofOld, labels: { order: '3' } }, c: { ...ofOld, labels: { order: '2' } } },
      ),
      then: update('b', 'c'),
    },
    {
      name: 'Pods scattered by a label',
      given: spread(
        { replicas: 4, rollingUpdate: { maxUnavailable: 2, scatterStrategy: [{ key: 'zone', value: 'x' }] } },
        { a: { ...ofOld, labels: { zone: 'x' } }, b: { ...ofOld, labels: { zone: 'x' } }, c: ofOld, d: ofOld },
      ),
      then: update('a', 'c'),
    },
    {
      name: 'a grown partition brings Pods back with the gate, those that are worth least first',
      given: {
        set: { replicas: 5, rollingUpdate: { partition: 5, maxUnavailable: 1 } },
        ...rolling,
        gates: { CloneSetPartitionRollback: true },
        pods: { a: ofOld, b: {}, c: ofOld, d: unready, e: ofOld },
      },
      then: ['UpdatePodInPlace d to r1'],
    },
    {
      name: 'broken Pods of the revision of a rollback take places',
      given: {
        set: { replicas: 3, rollingUpdate: { partition: 3, maxUnavailable: 1 } },
        ...rolling,
        gates: { CloneSetPartitionRollback: true },
        pods: { a: { ...ofOld, ...unready }, b: {}, c: {} },
      },
      then: [],
    },
    {
      name: 'no Pod that is prepared for deletion is brought back',
      given: {
        set: {
          replicas: 3,
          rollingUpdate: { partition: 2, maxUnavailable: 3 },
          spec: { lifecycle: { preDelete: { labelsHandler: hold } } },
        },
        ...rolling,
        gates: { CloneSetPartitionRollback: true },
        pods: { a: { state: 'PreparingDelete', marked: true, labels: hold }, b: {}, c: {} },
      },
      then: ['UpdatePodInPlace b to r1'],
    },
  ])('$name', ({ given, then }) => {
    expect(begun(given)).toEqual(then);
  });
});

describe('how a Pod is updated', () => {
  table([
    {
      name: 'in place where that is possible, whatever the words of the numbers',
      set: { replicas: 3, rollingUpdate: { maxUnavailable: 1, partition: 1 } },
      ...rolling,
      pods: { a: ofOld, b: ofOld, c: ofOld },
      then: { update: [`UpdatePodInPlace a to r2: ${wanting(2, 1)}`] },
    },
    {
      name: 'back to the current revision in place',
      set: { replicas: 2, rollingUpdate: { maxUnavailable: 1, partition: 2 } },
      ...rolling,
      gates: { CloneSetPartitionRollback: true },
      pods: { a: {}, b: {} },
      then: { update: [`UpdatePodInPlace a to r1: ${wanting(2, 1, 'r1')}`] },
    },
    {
      name: 'by recreation with the policy ReCreate: the Pod is marked, and scaling does the rest',
      set: { replicas: 2, rollingUpdate: { podUpdatePolicy: 'ReCreate', maxUnavailable: 2 } },
      ...rolling,
      pods: { a: ofOld, b: ofOld },
      then: {
        update: ['a', 'b'].map((name) => `RecreatePod ${name} for r2: ${wanting(2, 2)}; not in place: the update policy is ReCreate`),
      },
    },
    {
      name: 'a Pod that is marked already is not marked again, and takes its place',
      set: { replicas: 3, rollingUpdate: { podUpdatePolicy: 'ReCreate', maxUnavailable: 1 } },
      ...rolling,
      pods: { a: { ...ofOld, marked: true }, b: ofOld, c: ofOld },
      then: { scale: ['DeletePod a: deletion of an available Pod is within the limit of 1'] },
    },
    {
      name: 'a Pod whose label has no value is marked as well',
      set: { replicas: 1, rollingUpdate: { podUpdatePolicy: 'ReCreate', maxUnavailable: 1 } },
      ...rolling,
      pods: { a: { ...ofOld, labels: { [labels.specifiedDelete]: '' } } },
      then: { scale: ['DeletePod a: deletion of an available Pod is within the limit of 1'] },
    },
    {
      name: 'a Pod is prepared when the hook holds it',
      set: { replicas: 2, rollingUpdate: { maxUnavailable: 2 }, ...hooked },
      ...rolling,
      pods: { a: { ...ofOld, labels: hold }, b: ofOld },
      then: {
        update: ['SetLifecycle a PreparingUpdate: the inPlaceUpdate hook holds the Pod', `UpdatePodInPlace b to r2: ${wanting(2, 2)}`],
      },
    },
    {
      name: 'a prepared Pod waits while the hook holds it, and keeps its place',
      set: { replicas: 2, rollingUpdate: { maxUnavailable: 1 }, ...hooked },
      ...rolling,
      pods: { a: { ...ofOld, state: 'PreparingUpdate', labels: hold }, b: ofOld },
      then: {},
    },
    {
      name: 'a prepared Pod is updated when the hook lets go',
      set: { replicas: 2, rollingUpdate: { maxUnavailable: 1 }, ...hooked },
      ...rolling,
      pods: { a: { ...ofOld, state: 'PreparingUpdate' }, b: ofOld },
      then: { update: [`UpdatePodInPlace a to r2: ${wanting(2, 1)}`] },
    },
    {
      name: 'a Pod that is being updated continues to a newer revision immediately',
      set: { replicas: 1, ...hooked },
      ...rolling,
      pods: { a: { ...ofOld, state: 'Updating', labels: hold, annotations: stateOf(unfinished), with: outOfService } },
      then: { update: [`UpdatePodInPlace a to r2: ${wanting(1, 1)}`] },
    },
    {
      name: 'the grace period begins with the update, and determines the requeue time',
      set: { replicas: 2, rollingUpdate: { maxUnavailable: 1, inPlaceUpdateStrategy: { gracePeriodSeconds: 5 } } },
      ...rolling,
      pods: { a: ofOld, b: ofOld },
      then: { update: [`UpdatePodInPlace a to r2 after 5s: ${wanting(2, 1)}`], requeueAfter: 5000 },
    },
    {
      name: 'a grace period that ends earlier determines the requeue time',
      set: { replicas: 2, rollingUpdate: { maxUnavailable: 2, inPlaceUpdateStrategy: { gracePeriodSeconds: 5 } } },
      ...rolling,
      pods: { a: ofOld, b: inGrace(5, 3) },
      then: { update: [`UpdatePodInPlace a to r2 after 5s: ${wanting(1, 2)}`], requeueAfter: 2000 },
    },
    {
      name: 'the grace period is waited for although another Pod is only prepared',
      set: { replicas: 2, ...hooked, rollingUpdate: { maxUnavailable: 2, inPlaceUpdateStrategy: { gracePeriodSeconds: 5 } } },
      ...rolling,
      pods: { a: { ...ofOld, labels: hold }, b: ofOld },
      then: {
        update: [
          'SetLifecycle a PreparingUpdate: the inPlaceUpdate hook holds the Pod',
          `UpdatePodInPlace b to r2 after 5s: ${wanting(2, 2)}`,
        ],
        requeueAfter: 5000,
      },
    },
    {
      name: 'without an update that begins there is no grace period to wait for',
      set: {
        replicas: 1,
        ...hooked,
        rollingUpdate: { maxUnavailable: 1, inPlaceUpdateStrategy: { gracePeriodSeconds: 5 } },
      },
      ...rolling,
      pods: { a: { ...ofOld, labels: hold } },
      then: { update: ['SetLifecycle a PreparingUpdate: the inPlaceUpdate hook holds the Pod'] },
    },
    {
      name: 'a Pod that is out of service and begins an update stays so, others are put back',
      set: { replicas: 2, rollingUpdate: { maxUnavailable: 2 } },
      ...rolling,
      pods: { a: { ...ofOld, with: outOfService }, b: { with: outOfService } },
      then: { update: [`RefreshPod b SetReady: ${complete}`, `UpdatePodInPlace a to r2: ${wanting(1, 2)}`] },
    },
    {
      name: 'a Pod whose grace period ends is updated directly to a newer revision',
      set: { replicas: 1, rollingUpdate: { maxUnavailable: 1 } },
      ...rolling,
      pods: { a: { ...inGrace(5, 5), ...ofOld } },
      then: { update: [`UpdatePodInPlace a to r2: ${wanting(1, 1)}`] },
    },
    {
      name: 'a Pod whose next batch of containers is due is updated directly to a newer revision',
      set: { replicas: 1, rollingUpdate: { maxUnavailable: 1 } },
      ...rolling,
      pods: { a: { ...ofOld, state: 'Updating', annotations: stateOf({ nextContainerImages: { main: 'app:9' } }), with: outOfService } },
      then: { update: [`UpdatePodInPlace a to r2: ${wanting(1, 1)}`] },
    },
    {
      name: 'what a Pod waits for is dropped before its update if another client gave it another revision',
      set: { replicas: 1, rollingUpdate: { maxUnavailable: 1 } },
      ...rolling,
      pods: {
        a: {
          ...ofOld,
          state: 'Updating',
          annotations: { ...stateOf(unfinished), [annotations.inPlaceUpdateGrace]: '{"revision":"sample-gone","graceSeconds":5}' },
        },
      },
      then: {
        update: ['RefreshPod a DropGrace: the Pod no longer has revision gone', `UpdatePodInPlace a to r2: ${wanting(1, 1)}`],
      },
    },
    {
      name: 'a Pod whose grace period ends and whose update waits for the limit continues with the previous one',
      set: { replicas: 2, rollingUpdate: { maxUnavailable: 1 } },
      ...rolling,
      pods: { a: unready, b: { ...inGrace(5, 5), ...ofOld } },
      then: { update: ['RefreshPod b ApplyGrace: the grace period of 5 seconds is over'] },
    },
    {
      name: 'a Pod that is out of service and begins no update is put back',
      set: { replicas: 3, rollingUpdate: { maxUnavailable: 1 } },
      ...rolling,
      pods: { a: unready, b: { ...ofOld, with: outOfService }, c: ofOld },
      then: { update: [`RefreshPod b SetReady: ${complete}`] },
    },
    {
      name: 'a Pod that is marked for recreation is put back all the same',
      set: { replicas: 1, rollingUpdate: { maxUnavailable: 1, podUpdatePolicy: 'ReCreate' } },
      ...rolling,
      pods: { a: { ...ofOld, with: outOfService } },
      then: {
        update: [
          `RefreshPod a SetReady: ${complete}`,
          `RecreatePod a for r2: ${wanting(1, 1)}; not in place: the update policy is ReCreate`,
        ],
      },
    },
  ]);

  const lost: Situation = { set: { replicas: 3, rollingUpdate: { maxUnavailable: 2 } }, ...rolling, pods: { a: ofOld, b: ofOld, c: {} } };

  it('a Pod of a revision that is not in the history is recreated', () => {
    const { update: actions } = planned({ ...lost, seen: { revisions: momentOf(lost).revisions.slice(1) } });
    expect(actions).toEqual(times(2, expect.stringMatching(/^RecreatePod \w for r\d: .*; not in place: /)));
  });

  it('with InPlaceOnly such Pods are failures, of which the first is reported, and others are updated', () => {
    const only = { ...lost, set: { replicas: 4, rollingUpdate: { maxUnavailable: 4, podUpdatePolicy: 'InPlaceOnly' as const } } };
    const { seen } = momentOf({ ...only, revisions: 3, pods: {} });
    const given = { ...only, revisions: 3, current: 2, pods: { a: { of: 2 }, b: { of: 1 }, c: { of: 1 }, d: {} } };
    const reported = planned({ ...given, seen: { revisions: seen.revisions.slice(1) } });
    expect(reported).toEqual({
      update: [`UpdatePodInPlace a to r3: ${wanting(3, 4, 'r3')}`],
      failure: expect.stringMatching(/^Pod b cannot be updated in place: ./),
    });
  });

  it.each<{ policy: 'InPlaceIfPossible' | 'InPlaceOnly'; gate: boolean; then: RegExp }>([
    { policy: 'InPlaceIfPossible', gate: false, then: /^UpdatePodInPlace a to r2/ },
    { policy: 'InPlaceIfPossible', gate: true, then: /^RecreatePod a for r2: .*; not in place: the volumeClaimTemplates differ$/ },
    { policy: 'InPlaceOnly', gate: true, then: /^UpdatePodInPlace a to r2/ },
  ])('with other claim templates and $policy, gate $gate', ({ policy, gate, then }) => {
    const given: Situation = {
      set: { replicas: 1, rollingUpdate: { podUpdatePolicy: policy, maxUnavailable: 1 } },
      ...rolling,
      gates: { RecreatePodWhenChangeVCTInCloneSetGate: gate },
      pods: { a: ofOld },
    };
    const revisions = momentOf(given).seen.revisions.map((one, index) => ({
      ...one,
      metadata: { ...one.metadata, annotations: { 'kruise.io/cloneset-volumeclaimtemplate-hash': `${index}` } },
    }));
    expect(planned({ ...given, seen: { revisions } })).toEqual({ update: [expect.stringMatching(then)] });
  });

  it('a Pod without labels is recreated as any other', () => {
    const given: Situation = {
      set: { replicas: 1, rollingUpdate: { podUpdatePolicy: 'ReCreate', maxUnavailable: 1 } },
      pods: { a: { with: (pod) => ({ ...pod, metadata: { ...pod.metadata, labels: { app: 'sample' } } }) } },
    };
    expect(planned(given)).toEqual({
      update: [`RecreatePod a for r1: ${wanting(1, 1, 'r1')}; not in place: the update policy is ReCreate`],
    });
  });
});

describe('a template that changes while Pods wait for their grace period', () => {
  const template = (image: string): CloneSet['spec']['template'] => ({
    metadata: { labels: { app: 'sample' } },
    spec: { containers: [{ name: 'main', image }] },
  });
  const imagesOf = (simulation: Simulation): readonly (string | undefined)[] =>
    simulation.active.map(({ spec }) => spec.containers[0]?.image);

  it.each([0, 1, 2, 3, 4, 5])('%i seconds after it began: no Pod is given the image in between once the newer one is known', (seconds) => {
    const rollingUpdate = { maxUnavailable: 2, inPlaceUpdateStrategy: { gracePeriodSeconds: 4 } };
    const simulation = new Simulation(aCloneSet({ replicas: 2, rollingUpdate }));
    simulation.settle();
    simulation.change({ template: template('app:2') });
    simulation.pass();
    for (let second = 0; second <= seconds; second++) {
      simulation.pass();
      simulation.tick();
    }
    simulation.change({ template: template('app:3') });
    simulation.pass();
    const before = imagesOf(simulation);
    const between: (string | undefined)[] = [];
    for (let second = 0; second < 20; second++) {
      simulation.pass();
      between.push(...imagesOf(simulation).filter((image, index) => image === 'app:2' && before[index] !== 'app:2'));
      simulation.tick();
    }
    expect(between).toEqual([]);
    expect(imagesOf(simulation)).toEqual(['app:3', 'app:3']);
  });
});
