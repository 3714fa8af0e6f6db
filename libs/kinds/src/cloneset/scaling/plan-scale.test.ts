/** Creating and deleting Pods: one row for each rule; what a row does not list does not happen. @see spec/cloneset.md 5.5, 5.6 */
import { describe, expect, it } from '@jest/globals';
import { cloneSetLabels, type CloneSet } from '@kruise/api';
import { formatTime, instant, type Pod } from '@kruise/objects';
import { epoch } from '@kruise/testing';
import { aNode, nodesOf, planned, times, type MemberShape, type Row } from '../situation.testing.ts';

const hold = { hold: 'yes' };
const held: MemberShape = { labels: hold };
const marked: MemberShape = { marked: true };
const unready: MemberShape = { ready: false };
/** Waits in PreparingDelete; its hook holds it, or has let go. */
const waiting: MemberShape = { state: 'PreparingDelete', labels: hold };
const released: MemberShape = { state: 'PreparingDelete' };
const preDelete: CloneSet['spec']['lifecycle'] = { preDelete: { labelsHandler: hold } };
const hooked = { spec: { lifecycle: preDelete } };

const mounting =
  (claimName: string) =>
  (pod: Pod): Pod => ({ ...pod, spec: { ...pod.spec, volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] } });

const cost = (value: string): MemberShape => ({ annotations: { 'controller.kubernetes.io/pod-deletion-cost': value } });
/** Ready for this many seconds at the time of every row, an hour after {@link epoch}. */
const readyFor = (seconds: number): MemberShape => ({
  with: (pod: Pod) => {
    const since = formatTime(instant(epoch + 3_600_000 - seconds * 1000));
    const conditions = (pod.status?.conditions ?? []).map((one) => (one.type === 'Ready' ? { ...one, lastTransitionTime: since } : one));
    return { ...pod, status: { ...pod.status, conditions } };
  },
});
/** Carries the readiness gate that hooks write to. */
const gated = (pod: Pod): Pod => ({
  ...pod,
  spec: { ...pod.spec, readinessGates: [...(pod.spec.readinessGates ?? []), { conditionType: 'KruisePodReady' }] },
  status: { ...pod.status, conditions: [...(pod.status?.conditions ?? []), { type: 'KruisePodReady', status: 'True' }] },
});

const back = 'the deletion is no longer wanted';
const letGo = 'the preDelete hook let go';
const within = (limit: number): string => `deletion of an available Pod is within the limit of ${limit}`;
const broken = 'the Pod is not available';
const missing = (count: number, replicas: number, now = count, surge = 0): string =>
  `${count} Pods are missing (replicas ${replicas}, surge ${surge}), ${now} may be created now`;

const table = (rows: readonly Row[]): void => {
  it.each(rows)('$name', ({ name: _name, then, ...given }) => {
    expect(planned(given)).toEqual(then);
  });
};

describe('taking back deletions', () => {
  table([
    {
      name: 'as many Pods come back from PreparingDelete as are missing without them',
      set: { replicas: 3, ...hooked },
      pods: { a: {}, b: {}, c: waiting, d: waiting },
      then: { scale: [`SetLifecycle c PreparingNormal: ${back}`] },
    },
    {
      name: 'all come back when all are wanted',
      set: { replicas: 4, ...hooked },
      pods: { a: {}, b: {}, c: waiting, d: waiting },
      then: { scale: [`SetLifecycle c PreparingNormal: ${back}`, `SetLifecycle d PreparingNormal: ${back}`] },
    },
    { name: 'none comes back when none is missing', set: { replicas: 2, ...hooked }, pods: { a: {}, b: {}, c: waiting }, then: {} },
    { name: 'none comes back when there are too many anyway', set: { replicas: 0, ...hooked }, pods: { a: waiting }, then: {} },
    {
      name: 'a Pod that is to go by label does not come back',
      set: { replicas: 3, ...hooked },
      pods: { a: {}, b: {}, c: { ...waiting, marked: true } },
      then: {},
    },
    {
      name: 'a Pod that is to go by name does not come back',
      set: { replicas: 3, spec: { lifecycle: preDelete, scaleStrategy: { podsToDelete: ['sample-c'] } } },
      pods: { a: {}, b: {}, c: waiting },
      then: {},
    },
    {
      name: 'Pods that are to go by label leave room for others to come back, and wait for the next pass',
      set: { replicas: 2, ...hooked },
      pods: { a: marked, b: waiting },
      then: { scale: [`SetLifecycle b PreparingNormal: ${back}`] },
    },
    {
      name: 'a Pod that is to go by label and prepared counts once',
      set: { replicas: 2, ...hooked },
      pods: { a: {}, b: { ...waiting, marked: true }, c: waiting },
      then: { scale: [`SetLifecycle c PreparingNormal: ${back}`] },
    },
    {
      name: 'nothing is created in the pass that takes Pods back',
      set: { replicas: 4, ...hooked },
      pods: { a: {}, b: waiting },
      then: { scale: [`SetLifecycle b PreparingNormal: ${back}`] },
    },
    {
      name: 'none comes back when the preDelete hook takes Pods out of service',
      set: { replicas: 2, spec: { lifecycle: { preDelete: { labelsHandler: hold, markPodNotReady: true } } } },
      pods: { a: {}, b: waiting },
      then: {},
    },
    {
      name: 'none comes back when the inPlaceUpdate hook takes Pods out of service',
      set: { replicas: 2, spec: { lifecycle: { ...preDelete, inPlaceUpdate: { markPodNotReady: true } } } },
      pods: { a: {}, b: waiting },
      then: {},
    },
  ]);
});

const claimTemplate = (name: string): object => ({ metadata: { name }, spec: { resources: { requests: { storage: '1Gi' } } } });
const withClaims = {
  volumeClaimTemplates: [claimTemplate('data'), claimTemplate('logs')] as NonNullable<CloneSet['spec']['volumeClaimTemplates']>,
};
const reusing = { ...withClaims, scaleStrategy: { enablePVCReuse: true } };

describe('creating Pods', () => {
  table([
    { name: 'nothing is done when all are there', set: { replicas: 2 }, pods: { a: {}, b: {} }, then: {} },
    { name: 'nothing is done for no replicas and no Pods', set: { replicas: 0 }, then: {} },
    {
      name: 'as many are created as are missing',
      set: { replicas: 3 },
      pods: { a: {} },
      then: { scale: times(2, `CreatePod of r1: ${missing(2, 3)}`) },
    },
    {
      name: 'finished and terminating Pods are replaced and left alone',
      set: { replicas: 3 },
      pods: { a: {}, b: { phase: 'Failed' }, c: { phase: 'Succeeded' }, d: { terminating: true } },
      then: { scale: times(2, `CreatePod of r1: ${missing(2, 3)}`) },
    },
    {
      name: 'scaleStrategy.maxUnavailable limits how many are created, which is reported',
      set: { replicas: 5, spec: { scaleStrategy: { maxUnavailable: 2 } } },
      pods: { a: unready },
      then: { scale: [`CreatePod of r1: ${missing(4, 5, 1)}`], notes: ['ScaleUpLimited to 1'] },
    },
    {
      name: 'a limit that just suffices is not reported',
      set: { replicas: 3, spec: { scaleStrategy: { maxUnavailable: 2 } } },
      pods: { a: {} },
      then: { scale: times(2, `CreatePod of r1: ${missing(2, 3)}`) },
    },
    {
      name: 'a limit of no Pods creates none and lets updates go on',
      set: { replicas: 3, rollingUpdate: { maxUnavailable: 2 }, spec: { scaleStrategy: { maxUnavailable: 1 } } },
      revisions: 2,
      current: 1,
      pods: { a: { of: 1, ...unready }, b: { of: 1 } },
      then: {
        update: ['UpdatePodInPlace a to r2: 2 Pods must be updated to r2, 1 may be unavailable'],
        notes: ['ScaleUpLimited to 0'],
      },
    },
    {
      name: 'nothing is deleted in a pass that creates',
      set: { replicas: 4, ...hooked },
      pods: { a: { ...released, marked: true }, b: marked, c: unready },
      then: { scale: [`CreatePod of r1: ${missing(1, 4)}`] },
    },
    {
      name: 'prepared Pods whose hook let go are deleted when none may be created, those that are held stay',
      set: { replicas: 4, spec: { lifecycle: preDelete, scaleStrategy: { maxUnavailable: 1 } } },
      pods: { a: { ...released, marked: true }, b: { ...waiting, marked: true }, c: {} },
      claims: ['data-a', 'data-b'],
      then: { scale: [`DeletePod a with data-a: ${letGo}`], notes: ['ScaleUpLimited to 0'] },
    },
    {
      name: 'surge for a Pod that may not go yet is created first',
      set: { replicas: 3, rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      pods: { a: marked, b: {}, c: {} },
      then: { scale: [`CreatePod of r1: ${missing(1, 3, 1, 1)}`] },
    },
    {
      name: 'Pods that the partition keeps are made of the current revision, after those of the update revision',
      set: { replicas: 4, rollingUpdate: { partition: 2 } },
      revisions: 2,
      current: 1,
      then: { scale: [...times(2, `CreatePod of r2: ${missing(4, 4)}`), ...times(2, `CreatePod of r1: ${missing(4, 4)}`)] },
    },
    {
      name: 'Pods of the current revision take a limit before others',
      set: { replicas: 4, rollingUpdate: { partition: 2 }, spec: { scaleStrategy: { maxUnavailable: 3 } } },
      revisions: 2,
      current: 1,
      then: {
        scale: [`CreatePod of r2: ${missing(4, 4, 3)}`, ...times(2, `CreatePod of r1: ${missing(4, 4, 3)}`)],
        notes: ['ScaleUpLimited to 3'],
      },
    },
    {
      name: 'no more Pods of the current revision than the limit lets be created',
      set: { replicas: 4, rollingUpdate: { partition: 2 }, spec: { scaleStrategy: { maxUnavailable: 1 } } },
      revisions: 2,
      current: 1,
      then: { scale: [`CreatePod of r1: ${missing(4, 4, 1)}`], notes: ['ScaleUpLimited to 1'] },
    },
    {
      name: 'Pods in PreparingUpdate count as updated with the gate, so that their place is filled with the current revision',
      set: { replicas: 2, rollingUpdate: { partition: 1, maxUnavailable: '50%' } },
      revisions: 2,
      current: 1,
      gates: { PreparingUpdateAsUpdate: true },
      pods: { a: { of: 1, state: 'PreparingUpdate' } },
      then: { scale: [`CreatePod of r1: ${missing(1, 2)}`] },
    },
    {
      name: 'a Pod brings a claim of each template',
      set: { replicas: 1, spec: withClaims },
      then: { scale: [`CreatePod of r1 with data, logs: ${missing(1, 1)}`] },
    },
    {
      name: 'ids of unused claims are reused, and only missing claims are created',
      set: { replicas: 3, spec: reusing },
      pods: { b: {} },
      claims: ['logs-c', 'data-b', 'data-a', 'logs-a'],
      then: { scale: [`CreatePod a of r1: ${missing(2, 3)}`, `CreatePod c of r1 with data: ${missing(2, 3)}`] },
    },
    {
      name: 'the first ids go to Pods of the current revision',
      set: { replicas: 3, rollingUpdate: { partition: 1 }, spec: reusing },
      revisions: 2,
      current: 1,
      claims: ['data-a', 'logs-a', 'data-b', 'logs-b', 'data-c', 'logs-c'],
      then: {
        scale: [`CreatePod b of r2: ${missing(3, 3)}`, `CreatePod c of r2: ${missing(3, 3)}`, `CreatePod a of r1: ${missing(3, 3)}`],
      },
    },
    {
      name: 'an id whose Pod still terminates is waited for, and others are created',
      set: { replicas: 2, spec: reusing },
      pods: { a: { terminating: true } },
      claims: ['data-a', 'logs-a', 'data-b', 'logs-b'],
      then: { scale: [`CreatePod b of r1: ${missing(2, 2)}`], notes: ['WaitingForNames a'] },
    },
    {
      name: 'Pods that are prepared for deletion are not replaced unless they are excluded',
      set: { replicas: 2, ...hooked },
      pods: { a: {}, b: { ...waiting, marked: true } },
      then: {},
    },
    {
      name: 'Pods that are prepared for deletion are replaced at once when they are excluded',
      set: { replicas: 2, spec: { lifecycle: preDelete, scaleStrategy: { excludePreparingDelete: true } } },
      pods: { a: {}, b: { ...waiting, marked: true } },
      then: { scale: [`CreatePod of r1: ${missing(1, 2)}`] },
    },
  ]);
});

describe('deleting prepared Pods', () => {
  table([
    {
      name: 'those whose hook let go are deleted with their claims, those that are held stay, others wait for the next pass',
      set: { replicas: 1, ...hooked },
      pods: { a: {}, b: { ...released, marked: true }, c: { ...waiting, marked: true }, d: marked, e: { ...released, marked: true } },
      claims: ['data-a', 'data-b', 'logs-b', 'data-d', 'data-e'],
      then: { scale: [`DeletePod b with data-b, logs-b: ${letGo}`, `DeletePod e with data-e: ${letGo}`] },
    },
    {
      name: 'they are deleted whatever the limit',
      set: { replicas: 2, rollingUpdate: { maxUnavailable: 0 }, ...hooked },
      pods: { a: unready, b: { ...released, marked: true } },
      then: { scale: [`DeletePod b: ${letGo}`] },
    },
    {
      name: 'claims go with their Pod although claims are reused',
      set: { replicas: 1, spec: { lifecycle: preDelete, ...reusing } },
      pods: { a: {}, b: { ...released, marked: true } },
      claims: ['data-a', 'data-b', 'data-z'],
      then: { scale: [`DeletePod b with data-b: ${letGo}`] },
    },
    {
      name: 'a claim that another Pod mounts stays when a Pod with the instance id of that Pod is deleted',
      set: { replicas: 1, spec: { lifecycle: preDelete } },
      pods: { a: { with: mounting('data-sample-a') }, b: { ...released, marked: true, labels: { [cloneSetLabels.instanceId]: 'a' } } },
      claims: ['data-a', 'logs-a'],
      then: { scale: [`DeletePod b with logs-a: ${letGo}`] },
    },
    {
      name: 'a held Pod that still serves is taken out of service',
      set: { replicas: 1, spec: { lifecycle: { preDelete: { labelsHandler: hold, markPodNotReady: true } } } },
      pods: { a: { ...waiting, marked: true, with: gated } },
      then: { scale: [`SetLifecycle a AddKey preDeleteHook: ${letGo}, but the preDelete hook holds the Pod`] },
    },
  ]);

  it('claims without an instance id belong to no Pod', () => {
    const withoutId = (pod: Pod): Pod => ({
      ...pod,
      metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, [cloneSetLabels.instanceId]: '' } },
    });
    const seen = { claims: [{ metadata: { name: 'data-sample-x', uid: 'x' } }] };
    expect(planned({ set: { replicas: 1, spec: reusing }, pods: { a: {}, b: { marked: true, with: withoutId } }, seen })).toEqual({
      scale: [`DeletePod b: ${within(2)}`],
    });
  });
});

describe('deleting Pods that are to go by label or name', () => {
  table([
    {
      name: 'as many that serve as the limit lets, the others wait',
      set: { replicas: 5, rollingUpdate: { maxUnavailable: 2 } },
      pods: { a: marked, b: {}, c: marked, d: {}, e: marked },
      then: { scale: [`DeletePod a: ${within(2)}`, `DeletePod c: ${within(2)}`] },
    },
    {
      name: 'all of them when the limit just suffices',
      set: { replicas: 5, rollingUpdate: { maxUnavailable: 3 } },
      pods: { a: marked, b: {}, c: marked, d: {}, e: marked },
      then: { scale: [`DeletePod a: ${within(3)}`, `DeletePod c: ${within(3)}`, `DeletePod e: ${within(3)}`] },
    },
    {
      name: 'by name as by label',
      set: { replicas: 3, spec: { scaleStrategy: { podsToDelete: ['sample-b'] } } },
      pods: { a: {}, b: {}, c: {} },
      claims: ['data-a', 'data-b'],
      then: { scale: [`DeletePod b with data-b: ${within(1)}`] },
    },
    {
      name: 'those that do not serve go whatever the limit',
      set: { replicas: 3, rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } },
      pods: { a: { ...marked, ...unready }, b: {}, c: { ...marked, state: 'PreparingNormal', node: '' } },
      then: {
        scale: [`DeletePod a: ${broken}`, `DeletePod c: ${broken}`],
      },
    },
    {
      name: 'none that serves is deleted when others use up the limit',
      set: { replicas: 3, rollingUpdate: { maxUnavailable: 1 } },
      pods: { a: marked, b: unready, c: {} },
      then: {},
    },
    {
      name: 'one that serves is deleted when the limit exceeds what others use by one',
      set: { replicas: 3, rollingUpdate: { maxUnavailable: 2 } },
      pods: { a: marked, b: unready, c: {} },
      then: { scale: [`DeletePod a: ${within(1)}`] },
    },
    {
      name: 'one that is ready but not yet available is deleted before one that is',
      set: { replicas: 4, rollingUpdate: { maxUnavailable: 1 }, spec: { minReadySeconds: 10 } },
      pods: { a: marked, b: { ...marked, ...readyFor(5) }, c: {}, d: {} },
      then: { scale: [`DeletePod b: ${within(1)}`], requeueAfter: 5050 },
    },
    {
      name: 'one that is not ready is deleted before those that are, in any order',
      set: { replicas: 4, rollingUpdate: { maxUnavailable: 2 }, spec: { minReadySeconds: 10 } },
      pods: { a: marked, b: { ...marked, ...readyFor(5) }, c: { ...marked, ...unready }, d: {} },
      then: { scale: [`DeletePod c: ${broken}`, `DeletePod b: ${within(2)}`], requeueAfter: 5050 },
    },
    {
      name: 'a hook is notified, and the next Pod is still examined',
      set: { replicas: 3, rollingUpdate: { maxUnavailable: 2 }, ...hooked },
      pods: { a: { ...marked, ...held }, b: marked, c: {} },
      claims: ['data-a', 'data-b'],
      then: {
        scale: [
          `SetLifecycle a PreparingDelete: ${within(2)}, but the preDelete hook holds the Pod`,
          `DeletePod b with data-b: ${within(2)}`,
        ],
      },
    },
    {
      name: 'a hook that takes Pods out of service does so with the step to PreparingDelete',
      set: { replicas: 1, spec: { lifecycle: { preDelete: { labelsHandler: hold, markPodNotReady: true } } } },
      pods: { a: { ...marked, ...held, with: gated } },
      then: { scale: [`SetLifecycle a PreparingDelete AddKey preDeleteHook: ${within(1)}, but the preDelete hook holds the Pod`] },
    },
    {
      name: 'a Pod that is prepared already takes no more of the limit',
      set: { replicas: 2, rollingUpdate: { maxUnavailable: 2 }, ...hooked },
      pods: { a: { ...waiting, marked: true }, b: marked },
      then: { scale: [`DeletePod b: ${within(1)}`] },
    },
    {
      name: 'nothing is scaled in in the same pass',
      set: { replicas: 1 },
      pods: { a: {}, b: marked, c: {} },
      then: { scale: [`DeletePod b: ${within(3)}`] },
    },
  ]);
});

const ofOld: MemberShape = { of: 1 };
const wanting = (count: number, limit: number): string => `${count} Pods must be updated to r2, ${limit} may be unavailable`;

describe('scaling in', () => {
  table([
    {
      name: 'those that are worth least go, with their claims',
      set: { replicas: 2 },
      pods: { a: cost('5'), b: {}, c: cost('-5'), d: cost('7') },
      claims: ['data-a', 'data-b', 'data-c', 'data-d'],
      then: { scale: [`DeletePod c with data-c: ${within(3)}`, `DeletePod b with data-b: ${within(3)}`] },
    },
    {
      name: 'all go when none is wanted',
      set: { replicas: 0 },
      pods: { a: {}, b: unready },
      then: { scale: [`DeletePod b: ${broken}`, `DeletePod a: ${within(1)}`] },
    },
    {
      name: 'all go in the order in which they are listed, whatever they are worth',
      set: { replicas: 0, rollingUpdate: { maxUnavailable: '100%' } },
      pods: { a: cost('5'), b: {}, c: cost('-5') },
      then: { scale: ['a', 'b', 'c'].map((name) => `DeletePod ${name}: ${within(3)}`) },
    },
    {
      name: 'nothing happens while a deletion is pending in PreparingDelete',
      set: { replicas: 1, ...hooked },
      pods: { a: {}, b: {}, c: waiting },
      then: {},
    },
    {
      name: 'nothing happens while a Pod that is to go by label waits for the limit',
      set: { replicas: 1, rollingUpdate: { maxUnavailable: 0 } },
      pods: { a: marked, b: unready, c: unready },
      then: {},
    },
    {
      name: 'a hook holds Pods that are scaled in',
      set: { replicas: 1, ...hooked },
      pods: { a: held, b: held },
      then: { scale: [`SetLifecycle a PreparingDelete: ${within(2)}, but the preDelete hook holds the Pod`] },
    },
    {
      name: 'Pods of old revisions go before updated ones, however dear',
      set: { replicas: 3, rollingUpdate: { paused: true } },
      revisions: 2,
      current: 1,
      pods: { a: { ...ofOld, ...cost('9') }, b: {}, c: { ...ofOld, ...cost('9') }, d: {}, e: { ...ofOld, ...cost('8') } },
      then: { scale: [`DeletePod e: ${within(3)}`, `DeletePod a: ${within(3)}`] },
    },
    {
      name: 'no more Pods of old revisions go than the partition leaves, the rest are updated ones',
      set: { replicas: 3, rollingUpdate: { partition: 2 } },
      revisions: 2,
      current: 1,
      pods: { a: ofOld, b: ofOld, c: ofOld, d: {}, e: {} },
      then: { scale: [`DeletePod a: ${within(3)}`, `DeletePod d: ${within(3)}`] },
    },
    {
      name: 'only updated ones go when the partition keeps all the others',
      set: { replicas: 3, rollingUpdate: { partition: 3 } },
      revisions: 2,
      current: 1,
      pods: { a: ofOld, b: ofOld, c: ofOld, d: {}, e: {} },
      then: { scale: [`DeletePod d: ${within(3)}`, `DeletePod e: ${within(3)}`] },
    },
    {
      name: 'those that do not serve go whatever the limit, those that do wait for it',
      set: { replicas: 2, rollingUpdate: { maxUnavailable: 0 } },
      revisions: 2,
      current: 1,
      pods: { a: ofOld, b: { ...ofOld, ...unready }, c: unready, d: unready },
      then: { scale: [`DeletePod b: ${broken}`] },
    },
    {
      name: 'as many that serve go as the limit lets',
      set: { replicas: 2, rollingUpdate: { maxUnavailable: 1 } },
      revisions: 2,
      current: 1,
      pods: { a: ofOld, b: ofOld, c: unready, d: unready },
      then: { scale: [`DeletePod a: ${within(1)}`] },
    },
    {
      name: 'none that serves is deleted when the limit is used up',
      set: { replicas: 2, rollingUpdate: { maxUnavailable: 0 } },
      revisions: 2,
      current: 1,
      pods: { a: ofOld, b: ofOld, c: unready, d: unready },
      then: {},
    },
    {
      name: 'of several on one node, one is deleted before one that is alone on its node',
      set: { replicas: 2 },
      pods: { a: { node: 'n2' }, b: { node: 'n1' }, c: { node: 'n1' } },
      then: { scale: [`DeletePod b: ${within(2)}`] },
    },
    {
      name: 'with topology constraints the fullest domain gives first',
      set: {
        replicas: 2,
        spec: {
          template: {
            metadata: { labels: { app: 'sample' } },
            spec: {
              containers: [{ name: 'main', image: 'app:1' }],
              topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' }],
            },
          },
        },
      },
      pods: { a: { node: 'n3' }, b: { node: 'n1' }, c: { node: 'n2' } },
      seen: { nodes: nodesOf(aNode('n1', { zone: 'x' }), aNode('n2', { zone: 'x' }), aNode('n3', { zone: 'y' })) },
      then: { scale: [`DeletePod b: ${within(2)}`] },
    },
    {
      name: 'with topology constraints a Pod on a node that is not known stays longest',
      set: {
        replicas: 1,
        spec: {
          template: {
            metadata: { labels: { app: 'sample' } },
            spec: {
              containers: [{ name: 'main', image: 'app:1' }],
              topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' }],
            },
          },
        },
      },
      pods: { a: { node: 'gone' }, b: { node: 'n1' } },
      seen: { nodes: nodesOf(aNode('n1', { zone: 'x' })) },
      then: { scale: [`DeletePod b: ${within(2)}`] },
    },
    {
      name: 'without topology constraints domains do not matter',
      set: { replicas: 2 },
      pods: { a: { node: 'n3' }, b: { node: 'n1' }, c: { node: 'n2' } },
      seen: { nodes: nodesOf(aNode('n1', { zone: 'x' }), aNode('n2', { zone: 'x' }), aNode('n3', { zone: 'y' })) },
      then: { scale: [`DeletePod a: ${within(2)}`] },
    },
    {
      name: 'one that is ready but not yet available is deleted before a cheaper one',
      set: { replicas: 2, spec: { minReadySeconds: 10 } },
      pods: { a: cost('-9'), b: readyFor(5), c: {} },
      then: { scale: [`DeletePod b: ${within(1)}`], requeueAfter: 5050 },
    },
    {
      name: 'one that waits in PreparingUpdate is old, and worth less than those that serve',
      set: { replicas: 1, rollingUpdate: { maxUnavailable: 1 } },
      revisions: 2,
      current: 1,
      pods: { a: ofOld, b: { ...ofOld, state: 'PreparingUpdate' } },
      then: { scale: [`DeletePod b: ${broken}`], update: [`UpdatePodInPlace b to r2: ${wanting(1, 2)}`] },
    },
    {
      name: 'one that waits in PreparingUpdate counts as updated with the gate, and stays',
      set: { replicas: 1, rollingUpdate: { maxUnavailable: 1 } },
      gates: { PreparingUpdateAsUpdate: true },
      revisions: 2,
      current: 1,
      pods: { a: ofOld, b: { ...ofOld, state: 'PreparingUpdate' } },
      then: { scale: [`DeletePod a: ${within(1)}`], update: [`UpdatePodInPlace b to r2: ${wanting(1, 2)}`] },
    },
  ]);
});

describe('the list of Pods to delete', () => {
  table([
    {
      name: 'loses names that are no longer active Pods, and keeps the order of the others',
      set: {
        replicas: 3,
        rollingUpdate: { maxUnavailable: 0, maxSurge: 0 },
        spec: { scaleStrategy: { podsToDelete: ['sample-y', 'sample-b', 'sample-x', 'sample-a', 'sample-d'] } },
      },
      pods: { a: {}, b: {}, c: {}, d: { terminating: true } },
      then: { housekeeping: ['SetPodsToDelete [b, a]: 3 of 5 Pods to delete no longer exist'] },
    },
    {
      name: 'is emptied when all are deleted',
      set: { replicas: 1, spec: { scaleStrategy: { podsToDelete: ['sample-y'] } } },
      pods: { a: {} },
      then: { housekeeping: ['SetPodsToDelete []: 1 of 1 Pods to delete no longer exist'] },
    },
    {
      name: 'stays while all its Pods are there',
      set: { replicas: 2, rollingUpdate: { maxUnavailable: 0 }, spec: { scaleStrategy: { podsToDelete: ['sample-a'] } } },
      pods: { a: {}, b: {} },
      then: {},
    },
    {
      name: 'is left alone when it is empty',
      set: { replicas: 1, spec: { scaleStrategy: { podsToDelete: [] } } },
      pods: { a: {} },
      then: {},
    },
  ]);
});
