/** What happens to Pods without a slot, also beside an update. @see spec/statefulset.md 5.3, 5.4 */
import { describe, expect, it } from '@jest/globals';
import { all, data, doing, held, hooked, parallel, planned, type Row, unready, waitsFor } from './situation.testing.ts';

const check = ({ given, then }: Row): void => expect(planned(given)).toEqual(then);

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
      name: 'wait for the one that is already being deleted',
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
      name: 'one whose hook releases it is deleted although a higher one is broken',
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
      name: 'one whose update waits is deleted when its hook releases it, although a lower one waits as well',
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
      name: 'keeps the update back until the Pod is deleted, when ordered',
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
