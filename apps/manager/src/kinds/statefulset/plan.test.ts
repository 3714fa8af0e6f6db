/** One pass over a StatefulSet in every kind of situation, rule by rule. @see spec/statefulset.md 5 */
import { describe, expect, it } from '@jest/globals';
import type { StatefulSet } from '@kruise/api';
import type { Pod } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { plan } from './plan.ts';
import {
  all,
  data,
  doing,
  held,
  hooked,
  momentOf,
  parallel,
  planned,
  type Planned,
  rolling,
  type Row,
  type Situation,
  statusOf,
  unready,
  waitsFor,
  withoutVolumes,
} from './situation.testing.ts';
import { aClaimTemplate } from './testing.ts';

const check = ({ given, then }: Row): void => expect(planned(given)).toEqual(then);

const deleteIt = (pod: string): string =>
  `with podManagementPolicy OrderedReady the update does not replace a Pod that is not available: delete Pod ${pod}, or recreate the StatefulSet with podManagementPolicy Parallel`;

const policyOfDeletion = {
  spec: { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Retain', whenDeleted: 'Delete' } },
} satisfies Situation['set'];
const isReconcilable = (given: Situation): readonly string[] => planned(given).does;

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
    { name: 'not while one before it goes, when ordered', given: { pods: { 0: { terminating: true } } }, then: doing() },
    {
      name: 'a Pod that has failed is deleted first',
      given: { pods: { 0: { phase: 'Failed' } } },
      then: doing('DeletePod web-0'),
    },
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
      name: 'a limit that is used up tells of nothing where no Pod is missing',
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
      name: 'a Pod that goes is one that may be unavailable',
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
        blocked: 'WaitingForNames: claims that are being deleted hold the names that are to be used again: data-web-0',
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
        blocked: 'WaitingForNames: claims that are being deleted hold the names that are to be used again: data-web-0',
        waits: 1000,
      },
    },
    ...[{}, parallel].map((policy): Row => ({
      name: `not while a Pod of another owner that is being deleted has its name (${JSON.stringify(policy)})`,
      given: { set: { ...policy, replicas: 1 }, others: [aPod({ name: 'web-0', terminating: true })] },
      then: { does: [], blocked: 'WaitingForNames: Pods that are being deleted hold the names that are to be used again: web-0' },
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
        blocked: 'WaitingForNames: Pods that are being deleted hold the names that are to be used again: web-0, web-2',
      },
    },
    {
      name: 'no claim that is there',
      given: { set: { ...data, replicas: 1 }, pods: { 0: { phase: 'Pending', ready: false } }, claims: { 0: {} } },
      then: { does: [], blocked: waitsFor(0) },
    },
    ...[{}, parallel].map((policy): Row => ({
      name: `no claim while the one of its name goes, and that is told (${JSON.stringify(policy)})`,
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

describe('Pods without a slot', () => {
  it.each<Row>([
    {
      name: 'go one at a time from the highest down, when ordered',
      given: { set: { replicas: 1 }, pods: all(3) },
      then: doing('DeletePod web-2'),
    },
    {
      name: 'go all at once, with Parallel',
      given: { set: { replicas: 1, ...parallel }, pods: all(3) },
      then: doing('DeletePod web-2', 'DeletePod web-1'),
    },
    {
      name: 'wait for the one that goes already',
      given: { set: { replicas: 1 }, pods: { ...all(2), 2: { terminating: true } } },
      then: doing(),
    },
    {
      name: 'wait for a lower one that is being deleted already',
      given: { set: { replicas: 1 }, pods: { 0: {}, 1: { terminating: true }, 2: {} } },
      then: doing(),
    },
    {
      name: 'stay while a slot is not filled, when ordered',
      given: { set: { replicas: 2 }, pods: { 0: {}, 2: {} } },
      then: doing('CreatePod web-1 of r1'),
    },
    {
      name: 'that are broken hold the highest up no longer than they are the lowest of the broken',
      given: { set: { replicas: 1 }, pods: { ...all(2), 2: unready } },
      then: { does: ['DeletePod web-2'], blocked: waitsFor(2) },
    },
    {
      name: 'the highest stays while it is not available and a lower one is broken, too',
      given: { set: { replicas: 1 }, pods: { 0: {}, 1: unready, 2: unready } },
      then: { does: [], blocked: waitsFor(1) },
    },
    {
      name: 'that have ended go at once, although a lower one has ended, too',
      given: { set: { replicas: 1 }, pods: { 0: {}, 1: { phase: 'Failed' }, 2: { phase: 'Failed' } } },
      then: doing('DeletePod web-2'),
    },
    {
      name: 'that have ended go before one that is not ready',
      given: { set: { replicas: 1 }, pods: { 0: {}, 1: { phase: 'Succeeded' }, 2: unready } },
      then: { does: ['DeletePod web-1'], blocked: expect.any(String) as unknown as string },
    },
    {
      name: 'that wait for a hook and are being deleted already are not deleted again',
      given: { set: { replicas: 1, spec: held }, pods: { 0: {}, 1: { state: 'PreparingDelete', terminating: true } } },
      then: doing(),
    },
    {
      name: 'stay while the slots that they stand in for have no Pods, with Parallel',
      given: { set: { replicas: 3, ...parallel, spec: { reserveOrdinals: ['0-2'] } }, pods: all(3) },
      then: doing('CreatePod web-3 of r1', 'CreatePod web-4 of r1', 'CreatePod web-5 of r1'),
    },
    {
      name: 'go from the highest down as far as slots are filled, with Parallel',
      given: { set: { replicas: 3, ...parallel, spec: { reserveOrdinals: ['0-2'] } }, pods: { ...all(4), 4: unready } },
      then: { does: ['CreatePod web-5 of r1', 'DeletePod web-2', 'DeletePod web-1'], blocked: waitsFor(4) },
    },
    {
      name: 'that have ended or are being deleted stand in for no slot, with Parallel',
      given: {
        set: { replicas: 2, ...parallel, spec: { reserveOrdinals: ['0-3'] } },
        pods: { 0: {}, 1: {}, 2: { phase: 'Failed' }, 3: { terminating: true } },
      },
      then: doing('CreatePod web-4 of r1', 'CreatePod web-5 of r1', 'DeletePod web-2'),
    },
    {
      name: 'on reserved ordinals',
      given: { set: { replicas: 2, ...parallel, spec: { reserveOrdinals: [1] } }, pods: all(3) },
      then: doing('DeletePod web-1'),
    },
    {
      name: 'are asked for by their hook first',
      given: { set: { replicas: 1, spec: held }, pods: { 0: {}, 1: hooked } },
      then: doing('SetLifecycle web-1 PreparingDelete'),
    },
    {
      name: 'go when their hook lets go',
      given: { set: { replicas: 1, spec: held }, pods: { 0: {}, 1: { state: 'PreparingDelete' } } },
      then: doing('DeletePod web-1'),
    },
    {
      name: 'no second one is asked for while the hook of one that is lower holds',
      given: {
        set: { replicas: 1, spec: { ...held, reserveOrdinals: [1] } },
        pods: { 0: {}, 1: { state: 'PreparingDelete', ...hooked }, 2: hooked },
      },
      then: { does: [], blocked: 'WaitingForHook: Pod web-1 is held in PreparingDelete by label hold=yes' },
    },
    {
      name: 'one whose hook lets go goes although a higher one is broken',
      given: { set: { replicas: 1, spec: held }, pods: { 0: {}, 1: { state: 'PreparingDelete' }, 2: unready } },
      then: { does: ['DeletePod web-1'], blocked: waitsFor(2) },
    },
    {
      name: 'one whose update waits for its hook is left to that',
      given: {
        revisions: 2,
        current: 1,
        set: { replicas: 1, spec: held },
        pods: { 0: {}, 1: { of: 1, state: 'PreparingUpdate', ...hooked } },
      },
      then: { does: [], blocked: 'WaitingForHook: Pod web-1 is held in PreparingUpdate by label hold=yes' },
    },
    {
      name: 'one whose update waits goes when its hook lets go, although a lower one waits as well',
      given: {
        revisions: 2,
        current: 1,
        set: { replicas: 0, spec: held },
        pods: { 0: { of: 1, state: 'PreparingDelete' }, 1: { of: 1, state: 'PreparingUpdate' } },
      },
      then: doing('DeletePod web-1'),
    },
    {
      name: 'own their claims before they go, if these go with them',
      given: {
        set: {
          ...data,
          replicas: 1,
          spec: { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete', whenDeleted: 'Retain' } },
        },
        pods: all(2),
        claims: { 0: {}, 1: {} },
      },
      then: doing('SetClaimOwners data-web-1 to Pod web-1'),
    },
  ])('$name', check);
});

describe('scaling in beside an update', () => {
  const two = { revisions: 2, current: 1 } as const;
  it.each<Row>([
    {
      name: 'comes first, when ordered',
      given: { ...two, pods: all(4, { of: 1 }) },
      then: doing('DeletePod web-3'),
    },
    {
      name: 'keeps the update back until the Pod is gone, when ordered',
      given: { ...two, pods: { ...all(3, { of: 1 }), 3: { of: 1, terminating: true } } },
      then: doing(),
    },
    {
      name: 'keeps back what is marked as well, when ordered',
      given: { pods: { ...all(2), 2: { marked: true }, 3: {} } },
      then: doing('DeletePod web-3'),
    },
    {
      name: 'holds no update up, with Parallel',
      given: { ...two, set: parallel, pods: all(4, { of: 1 }) },
      then: doing('DeletePod web-3', 'UpdatePodInPlace web-2'),
    },
  ])('$name', check);
});

describe('the rolling update', () => {
  const two = { revisions: 2, current: 1 } as const;
  it.each<Row>([
    { name: 'begins at the highest ordinal', given: { ...two, pods: all(3, { of: 1 }) }, then: doing('UpdatePodInPlace web-2') },
    {
      name: 'makes Pods anew with ReCreate',
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
      name: 'goes no further than one that was refused before, when ordered',
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
      then: { does: [], blocked: 'PartitionReached: the partition is reached: 2 Pods are to stay at older revisions' },
    },
    {
      name: 'counts Pods that are unavailable anyway, and takes those at no cost',
      given: { ...two, set: { ...parallel, ...rolling({}) }, pods: { 0: { of: 1 }, 1: { of: 1 }, 2: { of: 1, ready: false } } },
      then: { does: ['UpdatePodInPlace web-2'], blocked: waitsFor(2) },
    },
    {
      name: 'goes no further behind one that there is no room for',
      given: { ...two, set: { ...parallel, ...rolling({}) }, pods: { 0: { of: 1 }, 1: { of: 1 }, 2: { ready: false } } },
      then: { does: [], blocked: waitsFor(2) },
    },
    {
      name: 'rests while it is paused, and says so',
      given: { ...two, set: rolling({ paused: true }), pods: all(3, { of: 1 }) },
      then: { does: [], blocked: 'Paused: the update is paused, 3 Pods wait for it' },
    },
    {
      name: 'is left to whoever deletes Pods, with OnDelete',
      given: { ...two, set: { type: 'OnDelete' }, pods: all(3, { of: 1 }) },
      then: {
        does: [],
        blocked: 'OnDelete: 3 Pods of older revisions are updated when somebody deletes them (update strategy OnDelete)',
      },
    },
    {
      name: 'keeps all back with a partition above replicas',
      given: { ...two, set: { ...parallel, ...rolling({ partition: 5, maxUnavailable: 3 }) }, pods: all(3, { of: 1 }) },
      then: { does: [], blocked: 'PartitionReached: the partition is reached: 5 Pods are to stay at older revisions' },
    },
    {
      name: 'that is paused at its partition is at its partition',
      given: { ...two, set: rolling({ partition: 2, paused: true }), pods: { 0: { of: 1 }, 1: { of: 1 }, 2: { of: 2 } } },
      then: { does: [], blocked: 'PartitionReached: the partition is reached: 2 Pods are to stay at older revisions' },
    },
    {
      name: 'looks again when the grace period of an update in place is over',
      given: { ...two, set: rolling({ inPlaceUpdateStrategy: { gracePeriodSeconds: 30 } }), pods: all(3, { of: 1 }) },
      then: { does: ['UpdatePodInPlace web-2'], waits: 30_000 },
    },
    {
      name: 'has no grace period for a Pod that is made anew',
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
      name: 'does not wait for a Pod whose lifecycle goes on, with room for another',
      given: {
        ...two,
        set: { ...parallel, spec: held, ...rolling({ maxUnavailable: 2 }) },
        pods: { 0: { of: 1 }, 1: { of: 1, state: 'PreparingNormal' }, 2: { of: 1 } },
      },
      then: { does: ['SetLifecycle web-1 Normal', 'UpdatePodInPlace web-2'] },
    },
    {
      name: 'never makes a Pod anew with InPlaceOnly',
      given: {
        ...two,
        set: { ...rolling({ podUpdatePolicy: 'InPlaceOnly' }), replicas: 1 },
        pods: { 0: { of: 1 } },
        as: withServiceAccount,
      },
      then: doing('CreateRevision'),
    },
    {
      name: 'asks the hook first',
      given: { ...two, set: { replicas: 1, spec: held }, pods: { 0: { of: 1, ...hooked } } },
      then: doing('SetLifecycle web-0 PreparingUpdate'),
    },
    {
      name: 'goes on when the hook lets go',
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
      name: 'deletes nothing for its mark while it is paused',
      given: { set: { ...parallel, ...rolling({ paused: true }) }, pods: { ...all(2), 2: { marked: true } } },
      then: doing(),
    },
    {
      name: 'leaves marks alone with OnDelete',
      given: { set: { ...parallel, type: 'OnDelete' }, pods: { ...all(2), 2: { marked: true } } },
      then: doing(),
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
      name: 'deletes what is marked before it updates others',
      given: { ...two, pods: { 0: { of: 1, marked: true }, 1: { of: 1 }, 2: { of: 1 } } },
      then: doing('DeletePod web-0'),
    },
  ])('$name', check);
});

describe('a Pod in its slot', () => {
  it.each<Row>([
    {
      name: 'gets the label of its name back',
      given: { set: { replicas: 1 }, pods: { 0: { labels: { 'statefulset.kubernetes.io/pod-name': 'other' } } } },
      then: doing('RepairPod web-0'),
    },
    {
      name: 'gets it back although it is not ready, with Parallel',
      given: {
        set: { ...parallel, replicas: 1 },
        pods: { 0: { ready: false, labels: { 'statefulset.kubernetes.io/pod-name': 'other' } } },
      },
      then: { does: ['RepairPod web-0'], blocked: waitsFor(0) },
    },
    {
      name: 'waits for that until it is ready, with a limit on scaling',
      given: {
        set: { ...parallel, replicas: 1, spec: { scaleStrategy: { maxUnavailable: 2 } } },
        pods: { 0: { ready: false, labels: { 'statefulset.kubernetes.io/pod-name': 'other' } } },
      },
      then: { does: [], blocked: waitsFor(0) },
    },
    {
      name: 'becomes Normal without waiting for a node',
      given: { set: { replicas: 1 }, pods: { 0: { state: 'PreparingNormal', node: '', ready: false } } },
      then: { does: ['SetLifecycle web-0 Normal'], blocked: expect.any(String) as unknown as string },
    },
    {
      name: 'whose update was prepared is made anew where it cannot be in place',
      given: {
        revisions: 2,
        current: 1,
        set: { replicas: 1, spec: held, ...rolling({ podUpdatePolicy: 'ReCreate' }) },
        pods: { 0: { of: 1, state: 'PreparingUpdate' } },
      },
      then: doing('DeletePod web-0'),
    },
    {
      name: 'that lacks a claim of the template is told of',
      given: { set: { replicas: 1, ...data }, pods: { 0: { with: withoutVolumes } }, claims: { 0: {} } },
      then: {
        does: [],
        fails: {
          update: {
            message:
              'Pod web-0 does not mount the claims of the templates data, and volumes of a Pod cannot be changed: delete it to have it made anew',
          },
        },
      },
    },
    ...[
      { name: 'is made anew with its gate', gates: { RecreatePodWhenChangeVCTInStatefulSetGate: true }, does: ['DeletePod web-1'] },
      {
        name: 'is made anew instead of being updated in place',
        gates: { RecreatePodWhenChangeVCTInStatefulSetGate: true },
        more: { revisions: 2, current: 1, pods: { 0: { of: 1, with: withoutVolumes }, 1: { of: 1, with: withoutVolumes } } },
        does: ['DeletePod web-1'],
      },
      {
        name: 'waits until there is room',
        gates: { RecreatePodWhenChangeVCTInStatefulSetGate: true },
        more: { set: { replicas: 2, ...data, ...parallel }, pods: { 0: unready, 1: { with: withoutVolumes } } },
        does: [],
        blocked: waitsFor(0),
      },
    ].map(({ name, gates, does, more = {}, ...rest }): Row => ({
      name: `that lacks a claim ${name}`,
      given: {
        set: { replicas: 2, ...data },
        pods: { 0: { with: withoutVolumes }, 1: { with: withoutVolumes } },
        claims: { 0: {}, 1: {} },
        gates,
        ...more,
      },
      then: { does, ...rest },
    })),
    {
      name: 'that lacks a claim stays with InPlaceOnly, and is told of',
      given: {
        set: { replicas: 1, ...data, ...rolling({ podUpdatePolicy: 'InPlaceOnly' }) },
        pods: { 0: { with: withoutVolumes } },
        claims: { 0: {} },
        gates: { RecreatePodWhenChangeVCTInStatefulSetGate: true },
      },
      then: { does: [], fails: { update: { message: expect.stringContaining('does not mount the claims') as unknown as string } } },
    },
    {
      name: 'goes back into service when its deletion is no longer wanted',
      given: { set: { replicas: 1, spec: held }, pods: { 0: { state: 'PreparingDelete', ...hooked } } },
      then: {
        does: ['SetLifecycle web-0 PreparingNormal'],
        blocked: 'WaitingForHook: Pod web-0 is held in PreparingDelete by label hold=yes',
      },
    },
  ])('$name', check);
});

describe('the counters', () => {
  const counted = (given: Situation): readonly (number | undefined)[] => {
    const { replicas, readyReplicas, availableReplicas, currentReplicas, updatedReplicas, updatedReadyReplicas, updatedAvailableReplicas } =
      statusOf(given);
    return [replicas, readyReplicas, availableReplicas, currentReplicas, updatedReplicas, updatedReadyReplicas, updatedAvailableReplicas];
  };
  it.each<{ name: string; given: Situation; then: readonly number[] }>([
    { name: 'of nothing', given: {}, then: [0, 0, 0, 0, 0, 0, 0] },
    {
      name: 'in the middle of an update',
      given: { revisions: 2, current: 1, pods: { 0: { of: 1 }, 1: { of: 1 }, 2: { of: 2 } } },
      then: [3, 3, 3, 2, 1, 1, 1],
    },
    { name: 'of Pods that go', given: { pods: { 0: {}, 1: { terminating: true } } }, then: [2, 2, 2, 1, 1, 2, 2] },
    { name: 'of Pods that are not ready', given: { pods: { 0: {}, 1: unready } }, then: [2, 1, 1, 2, 2, 1, 1] },
    { name: 'of Pods without a state', given: { pods: { 0: { state: '' } } }, then: [1, 1, 1, 1, 1, 1, 1] },
    { name: 'of Pods that wait for a hook', given: { pods: { 0: {}, 1: { state: 'PreparingUpdate' } } }, then: [2, 2, 1, 2, 2, 2, 1] },
    { name: 'when an update is complete', given: { revisions: 2, current: 1, pods: all(3) }, then: [3, 3, 3, 3, 3, 3, 3] },
  ])('$name', ({ given, then }) => expect(counted(given)).toEqual(then));

  it('keep the current revision while Pods that the partition keeps back are away', () => {
    const given = { revisions: 2, current: 1, set: { replicas: 5, ...rolling({ partition: 3 }) } } as const;
    const { revisions } = momentOf(given);
    expect(statusOf({ ...given, pods: { 3: {}, 4: {} } }).currentRevision).toBe(revisions[0]?.metadata.name);
    expect(statusOf({ ...given, pods: {} }).currentRevision).toBe(revisions[0]?.metadata.name);
  });

  it('keep the current revision until Pods without a slot are gone', () => {
    const { revisions } = momentOf({ revisions: 2 });
    expect(statusOf({ revisions: 2, current: 1, pods: all(4) }).currentRevision).toBe(revisions[0]?.metadata.name);
  });

  it('move the current revision when an update is complete, and not before', () => {
    const { revisions } = momentOf({ revisions: 2 });
    const names = revisions.map(({ metadata }) => metadata.name);
    expect(statusOf({ revisions: 2, current: 1, pods: all(3) }).currentRevision).toBe(names[1]);
    expect(statusOf({ revisions: 2, current: 1, pods: { ...all(2), 2: unready } }).currentRevision).toBe(names[0]);
    expect(statusOf({ revisions: 2, current: 1, pods: all(3), set: { type: 'OnDelete' } }).currentRevision).toBe(names[0]);
  });

  it('count seconds of readiness, and say when time alone changes them', () => {
    const given = (seconds: number): Situation => ({ set: { ...rolling({ minReadySeconds: seconds }), replicas: 1 }, pods: { 0: {} } });
    expect(counted(given(3600))).toEqual([1, 1, 1, 1, 1, 1, 1]);
    expect(counted(given(3601))).toEqual([1, 1, 0, 1, 1, 1, 0]);
    expect(planned(given(3601)).waits).toBe(1000);
  });

  it('of claims follow their templates', () => {
    const given = { set: { ...data, replicas: 2 }, pods: all(2), claims: { 0: {}, 1: { asks: '500Mi' } } };
    expect(statusOf(given).volumeClaims).toEqual([{ volumeClaimName: 'data', compatibleReplicas: 1, compatibleReadyReplicas: 1 }]);
  });
});

describe('whose Pods and revisions they are', () => {
  const renamed =
    (name: string) =>
    (pod: Pod): Pod => ({ ...pod, metadata: { ...pod.metadata, name } });
  const alone = (pod: Pod): Pod => {
    const { ownerReferences: _gone, ...metadata } = pod.metadata;
    return { ...pod, metadata };
  };
  it.each<Row>([
    {
      name: 'a member that nobody controls becomes ours',
      given: { set: { replicas: 1 }, pods: { 0: { with: alone } } },
      then: doing('AdoptPod web-0'),
    },
    {
      name: 'one that goes does not, and its slot waits',
      given: { set: { replicas: 1, ...parallel }, pods: { 0: { with: alone, terminating: true } } },
      then: { does: [], blocked: 'WaitingForNames: Pods that are being deleted hold the names that are to be used again: web-0' },
    },
    {
      name: 'one that is selected no more is let go',
      given: { set: { replicas: 1 }, pods: { 0: {}, 1: { labels: { app: 'other' } } } },
      then: doing('ReleasePod web-1'),
    },
    {
      name: 'one whose name is no ordinal as it is written is let go',
      given: { set: { replicas: 1 }, pods: { 0: {}, 1: { with: renamed('web-01') } } },
      then: doing('ReleasePod web-01'),
    },
    {
      name: 'one whose name is that of another is let go',
      given: { set: { replicas: 1 }, pods: { 0: {}, 1: { with: renamed('other-1') } } },
      then: doing('ReleasePod other-1'),
    },
    {
      name: 'revisions that are not in use go, but for as many as the limit says',
      given: { revisions: 4, set: { replicas: 1, spec: { revisionHistoryLimit: 1 } }, pods: { 0: {} } },
      then: doing('DeleteRevision', 'DeleteRevision'),
    },
    {
      name: 'ten of them stay unless something else is said',
      given: { revisions: 12, set: { replicas: 1 }, pods: { 0: {} }, as: withoutLimit },
      then: doing('DeleteRevision'),
    },
    {
      name: 'those of Pods and of the current revision stay',
      given: {
        revisions: 3,
        current: 1,
        set: { replicas: 2, type: 'OnDelete', spec: { revisionHistoryLimit: 0 } },
        pods: { 0: { of: 2 }, 1: { of: 3 } },
      },
      then: expect.objectContaining({ does: [] }) as unknown as Planned,
    },
  ])('$name', check);

  it('a current revision of another owner is still the one of Pods that the partition keeps back, and updates from it are in place', () => {
    const set = { replicas: 3, ...rolling({ partition: 2 }) };
    const { seen, context, revisions } = momentOf({ revisions: 3, current: 2, set, pods: { 0: { of: 2 }, 2: { of: 2 } } });
    const [first, second, third] = revisions;
    if (first === undefined || second === undefined || third === undefined) throw new Error('there are three');
    const borrowed = { ...seen, revisions: [first, third], heldRevisions: new Map([[second.metadata.name, second]]) };
    const { slots } = plan(borrowed, context);
    expect(slots.map(({ kind, pod }: { kind: string; pod?: Pod }) => [kind, pod?.metadata.labels?.['controller-revision-hash']])).toEqual([
      ['CreatePod', second.metadata.name],
    ]);
    const filled = { ...borrowed, pods: momentOf({ revisions: 3, current: 2, set, pods: all(3, { of: 2 }) }).seen.pods };
    expect(plan(filled, context).update.map(({ kind }) => kind)).toEqual(['UpdatePodInPlace']);
  });

  it('revisions that nobody controls become ours, but for those that go', () => {
    const { seen, context, revisions } = momentOf({ revisions: 2, set: { replicas: 0 } });
    const [first, second] = revisions.map((revision) => {
      const { ownerReferences: _gone, ...metadata } = revision.metadata;
      return { ...revision, metadata };
    });
    if (first === undefined || second === undefined) throw new Error('there are two');
    const going = { ...first, metadata: { ...first.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    expect(plan({ ...seen, revisions: [going, second] }, context).groundwork).toEqual([
      { kind: 'AdoptRevision', revision: second, because: 'its labels are those of the StatefulSet, and nobody controls it' },
    ]);
  });
});

describe('reasons', () => {
  const reasonsOf = (given: Situation): readonly string[] => {
    const { seen, context } = momentOf(given);
    const { slots, upkeep, update, claimOwners, deletions } = plan(seen, context);
    return [...upkeep, ...slots, ...claimOwners, ...deletions, ...update].map(({ because }) => because);
  };
  it.each<{ given: Situation; then: readonly string[] }>([
    { given: { set: { replicas: 1 }, pods: { 0: { phase: 'Failed' } } }, then: ['it has failed'] },
    { given: { set: { replicas: 1 }, pods: { 0: { phase: 'Succeeded' } } }, then: ['it has ended'] },
    {
      given: { set: { ...data, replicas: 1 }, pods: { 0: { phase: 'Pending', ready: false } } },
      then: ['Pod web-0 needs data-web-0'],
    },
    {
      given: { set: { ...parallel, replicas: 1 }, pods: { 0: { marked: true } } },
      then: ['it is marked for deletion, 0 of 1 may be unavailable'],
    },
    {
      given: { set: { replicas: 1, spec: held }, pods: { 0: { marked: true, state: 'PreparingDelete' } } },
      then: ['its preDelete hook let go'],
    },
    {
      given: { set: { ...policyOfDeletion, ...data, replicas: 1 }, pods: { 0: {} }, claims: { 0: {} } },
      then: ['the retention policy asks for the StatefulSet as owner'],
    },
  ])('$then', ({ given, then }) => {
    expect(reasonsOf(given)).toEqual(then);
  });

  it('name the sizes of a claim', () => {
    const given: Situation = {
      set: {
        replicas: 1,
        claims: [aClaimTemplate('data', '2Gi')],
        spec: { volumeClaimUpdateStrategy: { type: 'OnPodRollingUpdate' } },
      },
      classes: [{ metadata: { name: 'fast' }, allowVolumeExpansion: true }],
      pods: { 0: {} },
      claims: { 0: {} },
      gates: { StatefulSetAutoResizePVCGate: true },
    };
    expect(reasonsOf(given)).toEqual(['it asks for 1Gi, its template for 2Gi']);
  });
});

describe('a plan', () => {
  it('of a StatefulSet that is as it should be is empty', () => {
    expect(planned({ pods: all(3) })).toEqual({ does: [] });
    expect(isReconcilable({ set: { ...data }, pods: all(3), claims: { 0: {}, 1: {}, 2: {} } })).toEqual([]);
  });
});

function withoutLimit(set: StatefulSet): StatefulSet {
  const { revisionHistoryLimit: _gone, ...spec } = set.spec;
  return { ...set, spec };
}

function goingSet(set: StatefulSet): StatefulSet {
  return { ...set, metadata: { ...set.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
}

/** As an object that was stored before there were defaults, with two Pods of the current revision. */
function withoutSettings(set: StatefulSet): StatefulSet {
  const status = { ...set.status, currentReplicas: 2 } as NonNullable<StatefulSet['status']>;
  return { ...set, status, spec: { ...set.spec, updateStrategy: { type: 'RollingUpdate' } } };
}

function withServiceAccount(set: StatefulSet): StatefulSet {
  const { template } = set.spec;
  const spec = { ...template.spec, containers: template.spec?.containers ?? [], serviceAccountName: 'other' };
  return { ...set, spec: { ...set.spec, template: { ...template, spec } } };
}
