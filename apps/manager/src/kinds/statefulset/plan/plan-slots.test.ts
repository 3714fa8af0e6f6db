/** How slots are filled, and of which revision their new Pods are. @see spec/statefulset.md 5.3, 5.4 */
import { describe, expect, it } from '@jest/globals';
import type { StatefulSet } from '@kruise/api';
import { aPod } from '@kruise/testing';
import { data, doing, parallel, planned, rolling, type Row, unready, waitsFor } from './situation.testing.ts';

const check = ({ given, then }: Row): void => expect(planned(given)).toEqual(then);

describe('filling slots', () => {
  it.each<Row>([
    { name: 'one at a time, when ordered', given: {}, then: doing('CreatePod web-0 of r1') },
    { name: 'all at once, with Parallel', given: { set: parallel }, then: doing(...[0, 1, 2].map((i) => `CreatePod web-${i} of r1`)) },
    { name: 'the next when those before it are available', given: { pods: { 0: {} } }, then: doing('CreatePod web-1 of r1') },
    {
      name: 'not while one before it is not ready, when ordered',
      given: { pods: { 0: unready } },
      then: { does: [], blocked: waitsFor(0) },
    },
    {
      name: 'without regard to readiness, with Parallel',
      given: { set: parallel, pods: { 0: unready } },
      then: { does: ['CreatePod web-1 of r1', 'CreatePod web-2 of r1'], blocked: waitsFor(0) },
    },
    { name: 'in a gap before anything else', given: { pods: { 0: {}, 2: {} } }, then: doing('CreatePod web-1 of r1') },
    { name: 'not while one before it is being deleted, when ordered', given: { pods: { 0: { terminating: true } } }, then: doing() },
    {
      name: 'a Pod that has failed is deleted first',
      given: { pods: { 0: { phase: 'Failed' } } },
      then: doing('DeletePod web-0'),
    },
    ...[{}, parallel].map((policy): Row => ({
      name: `a Pod that has failed is not deleted again while it terminates (${JSON.stringify(policy)})`,
      given: { set: { ...policy, replicas: 1 }, pods: { 0: { phase: 'Failed', terminating: true } } },
      then: doing(),
    })),
    {
      name: 'with Parallel others are made beside it',
      given: { set: { ...parallel, replicas: 2 }, pods: { 0: { phase: 'Succeeded' } } },
      then: doing('DeletePod web-0', 'CreatePod web-1 of r1'),
    },
    {
      name: 'within scaleStrategy.maxUnavailable',
      given: { set: { ...parallel, replicas: 4, spec: { scaleStrategy: { maxUnavailable: 2 } } }, pods: { 0: {} } },
      then: {
        does: ['CreatePod web-1 of r1', 'CreatePod web-2 of r1'],
        blocked: 'ScaleLimited: no more Pods may be created: scaleStrategy.maxUnavailable is used up by Pods that are not available',
      },
    },
    {
      name: 'one that was refused before comes last, with Parallel',
      given: { set: { ...parallel, spec: { scaleStrategy: { maxUnavailable: 2 } } }, refused: ['web-0'] },
      then: {
        does: ['CreatePod web-1 of r1', 'CreatePod web-2 of r1'],
        blocked: 'ScaleLimited: no more Pods may be created: scaleStrategy.maxUnavailable is used up by Pods that are not available',
      },
    },
    {
      name: 'one that was refused before keeps its turn, when ordered',
      given: { refused: ['web-0'] },
      then: doing('CreatePod web-0 of r1'),
    },
    {
      name: 'a percentage of replicas rounded down, and at least 1',
      given: { set: { ...parallel, replicas: 3, spec: { scaleStrategy: { maxUnavailable: '50%' } } } },
      then: {
        does: ['CreatePod web-0 of r1'],
        blocked: 'ScaleLimited: no more Pods may be created: scaleStrategy.maxUnavailable is used up by Pods that are not available',
      },
    },
    {
      name: 'a limit that is used up is not reported if no Pod is missing',
      given: { set: { ...parallel, replicas: 2, spec: { scaleStrategy: { maxUnavailable: 1 } } }, pods: { 0: {}, 1: unready } },
      then: { does: [], blocked: waitsFor(1) },
    },
    {
      name: 'a Pod that has failed is deleted even where the limit is 1',
      given: { set: { ...parallel, replicas: 2, spec: { scaleStrategy: { maxUnavailable: 1 } } }, pods: { 0: { phase: 'Failed' }, 1: {} } },
      then: doing('DeletePod web-0'),
    },
    {
      name: 'Pods that have failed are deleted although the limit is used up',
      given: {
        set: { ...parallel, replicas: 2, spec: { scaleStrategy: { maxUnavailable: 1 } } },
        pods: { 0: unready, 1: { phase: 'Failed' } },
      },
      then: { does: ['DeletePod web-1'], blocked: waitsFor(0) },
    },
    {
      name: 'a terminating Pod is one that may be unavailable',
      given: { set: { ...parallel, spec: { scaleStrategy: { maxUnavailable: 2 } } }, pods: { 0: { terminating: true, ready: false } } },
      then: {
        does: ['CreatePod web-1 of r1'],
        blocked: 'ScaleLimited: no more Pods may be created: scaleStrategy.maxUnavailable is used up by Pods that are not available',
      },
    },
    {
      name: 'beside reserved ordinals',
      given: { set: { ...parallel, replicas: 2, spec: { reserveOrdinals: [0, '2-3'] } } },
      then: doing('CreatePod web-1 of r1', 'CreatePod web-4 of r1'),
    },
    {
      name: 'from the start ordinal on, with its gate',
      given: { set: { ...parallel, replicas: 2, spec: { ordinals: { start: 3 } } }, gates: { StatefulSetStartOrdinal: true } },
      then: doing('CreatePod web-3 of r1', 'CreatePod web-4 of r1'),
    },
    {
      name: 'from 0 on without that gate',
      given: { set: { replicas: 1, spec: { ordinals: { start: 3 } } } },
      then: doing('CreatePod web-0 of r1'),
    },
    { name: 'nothing for one that is being deleted', given: { as: goingSet }, then: doing() },
    {
      name: 'a Pod with the claims that are missing',
      given: { set: { ...data, ...parallel, replicas: 2 }, claims: { 0: {} } },
      then: doing('CreatePod web-0 of r1', 'CreatePod web-1 of r1 with data-web-1'),
    },
    {
      name: 'not while its claim is being deleted',
      given: { set: { ...data, replicas: 1 }, claims: { 0: { going: true } } },
      then: {
        does: [],
        fails: { scale: { message: 'claims of Pod web-0 are being deleted: data-web-0' } },
        blocked: 'WaitingForNames: claims that are being deleted hold the names that new Pods need: data-web-0',
        waits: 1000,
      },
    },
    {
      name: 'not while a claim is about to go with the former Pod',
      given: {
        set: { ...data, replicas: 1, spec: { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete', whenDeleted: 'Retain' } } },
        claims: { 0: { owners: [{ apiVersion: 'v1', kind: 'Pod', name: 'web-0', uid: 'former' }] } },
      },
      then: {
        does: [],
        blocked: 'WaitingForNames: claims that are being deleted hold the names that new Pods need: data-web-0',
        waits: 1000,
      },
    },
    ...[{}, parallel].map((policy): Row => ({
      name: `not while a Pod of another owner that is being deleted has its name (${JSON.stringify(policy)})`,
      given: { set: { ...policy, replicas: 1 }, others: [aPod({ name: 'web-0', terminating: true })] },
      then: { does: [], blocked: 'WaitingForNames: Pods that are being deleted hold the names that new Pods need: web-0' },
    })),
    {
      name: 'not while a Pod of another owner has its name, and that is reported, with Parallel',
      given: { set: { ...parallel, replicas: 2 }, others: [aPod({ name: 'web-0' })] },
      then: {
        does: ['CreatePod web-1 of r1'],
        fails: { scale: { message: 'Pod web-0 exists already and does not belong to the StatefulSet' } },
      },
    },
    {
      name: 'beside names that Pods of another owner hold until they are deleted, with Parallel',
      given: { set: { ...parallel, replicas: 3 }, others: [0, 2].map((i) => aPod({ name: `web-${i}`, terminating: true })) },
      then: {
        does: ['CreatePod web-1 of r1'],
        blocked: 'WaitingForNames: Pods that are being deleted hold the names that new Pods need: web-0, web-2',
      },
    },
    {
      name: 'no claim that is there',
      given: { set: { ...data, replicas: 1 }, pods: { 0: { phase: 'Pending', ready: false } }, claims: { 0: {} } },
      then: { does: [], blocked: waitsFor(0) },
    },
    ...[{}, parallel].map((policy): Row => ({
      name: `no claim while the one of its name is being deleted, and that is reported (${JSON.stringify(policy)})`,
      given: { set: { ...data, ...policy, replicas: 1 }, pods: { 0: { phase: 'Pending', ready: false } }, claims: { 0: { going: true } } },
      then: {
        does: [],
        fails: { update: { message: 'claims of Pod web-0 are being deleted: data-web-0' } },
        blocked: expect.stringMatching(/^(NotReady|WaitingForNames): /) as unknown as string,
        waits: 1000,
      },
    })),
    {
      name: 'owners of claims of a Pod that waits for them',
      given: {
        set: { ...data, replicas: 1, spec: { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Retain', whenDeleted: 'Delete' } } },
        pods: { 0: { phase: 'Pending', ready: false } },
        claims: { 0: {} },
      },
      then: { does: ['SetClaimOwners data-web-0 to StatefulSet web'], blocked: waitsFor(0) },
    },
    {
      name: 'claims of a Pod that waits for them',
      given: { set: { ...data, replicas: 1 }, pods: { 0: { phase: 'Pending', ready: false } } },
      then: { does: ['CreateClaims data-web-0'], blocked: waitsFor(0) },
    },
  ])('$name', check);
});

describe('of which revision a new Pod is', () => {
  it.each<Row>([
    {
      name: 'below the partition of the current one',
      given: { set: { ...parallel, ...rolling({ partition: 1 }), replicas: 2 }, revisions: 2, current: 1 },
      then: doing('CreatePod web-0 of r1', 'CreatePod web-1 of r2'),
    },
    {
      name: 'the partition counts slots, not ordinals',
      given: {
        set: { ...parallel, ...rolling({ partition: 1 }), replicas: 2, spec: { reserveOrdinals: [0] } },
        revisions: 2,
        current: 1,
      },
      then: doing('CreatePod web-1 of r1', 'CreatePod web-2 of r2'),
    },
    {
      name: 'where nothing is said of updates, as many of the current one as there are, counted from the start ordinal',
      given: {
        set: { ...parallel, replicas: 3, spec: { ordinals: { start: 2 }, reserveOrdinals: [2] } },
        revisions: 2,
        current: 1,
        gates: { StatefulSetStartOrdinal: true },
        as: withoutSettings,
      },
      then: doing('CreatePod web-3 of r1', 'CreatePod web-4 of r2', 'CreatePod web-5 of r2'),
    },
    {
      name: 'with OnDelete of the newest',
      given: { set: { ...parallel, type: 'OnDelete', replicas: 2 }, revisions: 2, current: 1 },
      then: doing('CreatePod web-0 of r2', 'CreatePod web-1 of r2'),
    },
    {
      name: 'unordered: old ones until as many as the partition are there',
      given: {
        set: { ...parallel, ...rolling({ partition: 1, unorderedUpdate: {} }), replicas: 3 },
        revisions: 2,
        current: 1,
        pods: { 1: { of: 2 } },
      },
      then: doing('CreatePod web-0 of r1', 'CreatePod web-2 of r2'),
    },
  ])('$name', check);
});

function goingSet(set: StatefulSet): StatefulSet {
  return { ...set, metadata: { ...set.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
}

/** As an object that was stored before there were defaults, with two Pods of the current revision. */

function withoutSettings(set: StatefulSet): StatefulSet {
  const status = { ...set.status, currentReplicas: 2 } as NonNullable<StatefulSet['status']>;
  return { ...set, status, spec: { ...set.spec, updateStrategy: { type: 'RollingUpdate' } } };
}
