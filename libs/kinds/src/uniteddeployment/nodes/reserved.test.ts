import { describe, expect, it } from '@jest/globals';
import { unitedDeploymentLabels as labels } from '@kruise/api';
import { formatTime, instant, seconds, type Pod } from '@kruise/objects';
import type { Mode } from '../snapshot/modes.ts';
import { judgeReserves, probing } from './reserved.ts';
import type { SubsetStatus } from './schedulable.ts';

const now = instant(1_700_000_000_000);
const ago = (length: number): string => formatTime(instant(now - seconds(length)));
const mode: Mode = { kind: 'Reservation', critical: seconds(15), unschedulable: seconds(20) };
const marked: SubsetStatus = { name: 'a', conditions: [{ type: 'Schedulable', status: 'False', reason: 'reschedule' }] };

interface Given {
  readonly label?: 'true' | 'false';
  readonly revision?: string;
  /** Seconds since it became ready, or was created. */
  readonly ready?: number;
  readonly waiting?: number;
  readonly phase?: string;
  readonly going?: boolean;
}

const aPod = ({
  label,
  revision = 'r2',
  ready,
  waiting,
  phase = waiting === undefined ? 'Running' : 'Pending',
  going = false,
}: Given): Pod => ({
  metadata: {
    name: 'p',
    creationTimestamp: ago(waiting ?? 100),
    labels: { [labels.revision]: revision, ...(label === undefined ? {} : { [labels.reservedPod]: label }) },
    ...(going ? { deletionTimestamp: ago(1) } : {}),
  },
  spec: { containers: [], ...(waiting === undefined ? { nodeName: 'n' } : {}) },
  status: {
    phase,
    conditions: [
      ...(waiting === undefined ? [] : [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }]),
      { type: 'Ready', status: ready === undefined ? 'False' : 'True', lastTransitionTime: ago(ready ?? 100) },
    ],
  },
});
const judge = (pods: readonly Pod[], held: SubsetStatus | undefined, replicas = pods.length) =>
  judgeReserves({ subset: 'a', object: { metadata: { name: 'c' }, spec: { replicas } }, pods }, held, {
    revision: 'r2',
    mode,
    now,
  });

describe('a Pod', () => {
  it.each<{
    name: string;
    pod: Given;
    held?: SubsetStatus;
    then: { reserved: boolean; labelled: boolean; wait?: number };
  }>([
    {
      name: 'of a subset that has too few nodes begins as reserved',
      pod: { ready: 5 },
      held: marked,
      then: { reserved: true, labelled: true, wait: 15_000 },
    },
    {
      name: 'of a subset that has too few nodes that has been ready for long is none',
      pod: { ready: 21 },
      held: marked,
      then: { reserved: false, labelled: true },
    },
    {
      name: 'with a label is not marked by its subset',
      pod: { label: 'false', ready: 5 },
      held: marked,
      then: { reserved: false, labelled: false },
    },
    { name: 'of a subset with nodes begins as not reserved', pod: { ready: 5 }, then: { reserved: false, labelled: true } },
    { name: 'that waits for a node', pod: { label: 'false', waiting: 5 }, then: { reserved: false, labelled: false, wait: 10_000 } },
    { name: 'that has waited too long', pod: { label: 'false', waiting: 16 }, then: { reserved: true, labelled: true, wait: 20_000 } },
    { name: 'that is reserved and not ready', pod: { label: 'true' }, then: { reserved: true, labelled: false, wait: 20_000 } },
    {
      name: 'that is reserved and ready a while',
      pod: { label: 'true', ready: 5 },
      then: { reserved: true, labelled: false, wait: 15_000 },
    },
    {
      name: 'that is reserved and ready for exactly the time',
      pod: { label: 'true', ready: 20 },
      then: { reserved: true, labelled: false, wait: 1 },
    },
    { name: 'that is reserved and ready for long', pod: { label: 'true', ready: 21 }, then: { reserved: false, labelled: true } },
    {
      name: 'that is reserved and of an old revision',
      pod: { label: 'true', ready: 21, revision: 'r1' },
      then: { reserved: true, labelled: false, wait: 20_000 },
    },
    {
      name: 'that is reserved and does not run',
      pod: { label: 'true', ready: 21, phase: 'Pending' },
      then: { reserved: true, labelled: false, wait: 20_000 },
    },
    {
      name: 'of an old revision that runs, however long the rollout takes',
      pod: { label: 'false', ready: 5000, revision: 'r1' },
      then: { reserved: false, labelled: false },
    },
    {
      name: 'of an old revision that is not ready and has a node',
      pod: { label: 'false', revision: 'r1' },
      then: { reserved: false, labelled: false },
    },
    {
      name: 'of an old revision that waits for a node',
      pod: { label: 'false', waiting: 5, revision: 'r1' },
      then: { reserved: false, labelled: false, wait: 10_000 },
    },
    {
      name: 'of an old revision that has waited too long',
      pod: { label: 'false', waiting: 16, revision: 'r1' },
      then: { reserved: true, labelled: true, wait: 20_000 },
    },
    { name: 'being deleted does not count', pod: { label: 'true', going: true }, then: { reserved: false, labelled: false } },
  ])('$name', ({ pod, held, then }) => {
    const verdict = judge([aPod(pod)], held);
    expect({ reserved: verdict.reserved, labels: verdict.labels.map(({ isReserved }) => isReserved), waits: verdict.waits }).toEqual({
      reserved: then.reserved ? 1 : 0,
      labels: then.labelled ? [then.reserved] : [],
      waits: then.wait === undefined ? [] : [then.wait],
    });
    expect(verdict.stuck).toBe(then.reserved && pod.ready === undefined ? 1 : 0);
  });
});

describe('a subset', () => {
  it('is short of nodes while one of its Pods is reserved', () => {
    expect(judge([aPod({ label: 'true' }), aPod({ label: 'false', ready: 1 })], undefined)).toMatchObject({
      isUnschedulable: true,
      condition: { status: 'False', reason: 'reschedule' },
    });
    expect(judge([aPod({ label: 'false', ready: 1 })], marked)).toMatchObject({
      isUnschedulable: false,
      condition: { status: 'True', reason: 'reschedule' },
    });
  });

  it('stays so until all Pods that it is to have are there, when it was', () => {
    const pods = [aPod({ label: 'false', ready: 1 })];
    expect(judge(pods, marked, 3)).toMatchObject({ isUnschedulable: true, missing: 2, condition: { status: 'False' } });
    expect(judge(pods, undefined, 3)).toMatchObject({ isUnschedulable: false, missing: 0 });
    expect(judge(pods, marked, 0)).toMatchObject({ isUnschedulable: false, missing: 0 });
  });

  it('is short of nodes again when it gets more Pods', () => {
    expect(probing(judge([], marked, 0)).condition).toMatchObject({ status: 'False', reason: 'reschedule' });
  });
});
