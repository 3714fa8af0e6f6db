/** Pods with a slot that wait for a hook. @see spec/statefulset.md 5.6, 8 */
import { describe, expect, it } from '@jest/globals';
import {
  data,
  held,
  hooked,
  parallel,
  planned,
  type Planned,
  rolling,
  type Row,
  type Situation,
  withoutVolumes,
} from './situation.testing.ts';

const check = ({ given, then }: Row): void => expect(planned(given)).toEqual(then);

describe('a Pod that waits in PreparingDelete', () => {
  const two = { revisions: 2, current: 1 } as const;
  const waiting = { state: 'PreparingDelete' };
  const holding = { ...waiting, ...hooked };
  const held0 = 'WaitingForHook: Pod web-0 is held in PreparingDelete by label hold=yes';
  const silent = { lifecycle: { preDelete: { labelsHandler: { hold: 'yes' }, markPodNotReady: true } } };
  const both = (set: Omit<NonNullable<Situation['set']>, 'parallel'>) =>
    [
      { policy: 'OrderedReady', set },
      { policy: 'Parallel', set: { ...set, ...parallel } },
    ] as const;
  const rows = (name: string, set: Omit<NonNullable<Situation['set']>, 'parallel'>, row: Omit<Row, 'name'>): readonly Row[] =>
    both({ replicas: 1, ...set }).map(({ policy, set: one }) => ({
      ...row,
      name: `${name}, with ${policy}`,
      given: { ...row.given, set: one },
    }));

  it.each<Row>([
    ...rows(
      'is back in service while the update is paused',
      { spec: held, ...rolling({ paused: true }) },
      {
        given: { pods: { 0: holding } },
        then: { does: ['SetLifecycle web-0 PreparingNormal'], blocked: held0 },
      },
    ),
    ...rows(
      'is back in service although its hook has let go',
      { spec: held },
      {
        given: { pods: { 0: waiting } },
        then: { does: ['SetLifecycle web-0 PreparingNormal'] },
      },
    ),
    ...rows(
      'stays there for the one who marked it',
      { spec: held },
      {
        given: { pods: { 0: { ...holding, marked: true } } },
        then: { does: [], blocked: held0 },
      },
    ),
    ...rows(
      'goes with its mark once the hook lets go',
      { spec: held },
      {
        given: { pods: { 0: { ...waiting, marked: true } } },
        then: { does: ['DeletePod web-0'] },
      },
    ),
    ...rows(
      'stays with its mark while the update is paused',
      { spec: held, ...rolling({ paused: true }) },
      {
        given: { pods: { 0: { ...waiting, marked: true } } },
        then: {
          does: [],
          blocked:
            'Paused: Pod web-0 is marked for deletion, which waits while the update is paused; delete the Pod itself to replace it now',
        },
      },
    ),
    ...rows(
      'of an older revision is not updated in place',
      { spec: held },
      {
        given: { ...two, pods: { 0: { ...holding, of: 1 } } },
        then: { does: [], blocked: held0 },
      },
    ),
    ...rows(
      'of an older revision goes once the hook lets go',
      { spec: held },
      {
        given: { ...two, pods: { 0: { ...waiting, of: 1 } } },
        then: { does: ['DeletePod web-0'] },
      },
    ),
    ...rows(
      'of an older revision is back in service with InPlaceOnly',
      { spec: held, ...rolling({ podUpdatePolicy: 'InPlaceOnly' }) },
      {
        given: { ...two, pods: { 0: { ...waiting, of: 1 } } },
        then: { does: ['SetLifecycle web-0 PreparingNormal'] },
      },
    ),
    ...rows(
      'whose hook keeps it out of service stays while that holds it',
      { spec: silent },
      {
        given: { pods: { 0: holding } },
        then: { does: [], blocked: held0 },
      },
    ),
    ...rows(
      'whose hook keeps it out of service goes when that lets go, as nothing puts it back',
      { spec: silent },
      {
        given: { pods: { 0: waiting } },
        then: { does: ['DeletePod web-0'] },
      },
    ),
    ...rows(
      'whose hook was taken away goes for its mark',
      {},
      {
        given: { pods: { 0: { ...holding, marked: true } } },
        then: { does: ['DeletePod web-0'] },
      },
    ),
    ...rows(
      'stays there while it is replaced because it does not mount its claims',
      { ...data, spec: held },
      {
        given: {
          pods: { 0: { ...holding, with: withoutVolumes } },
          claims: { 0: {} },
          gates: { RecreatePodWhenChangeVCTInStatefulSetGate: true },
        },
        then: { does: [], blocked: held0 },
      },
    ),
    ...rows(
      'goes once its hook lets go because it does not mount its claims',
      { ...data, spec: held },
      {
        given: {
          pods: { 0: { ...waiting, with: withoutVolumes } },
          claims: { 0: {} },
          gates: { RecreatePodWhenChangeVCTInStatefulSetGate: true },
        },
        then: { does: ['DeletePod web-0'] },
      },
    ),
    {
      name: 'is deleted behind one that the budget does not allow',
      given: {
        ...two,
        set: { ...parallel, spec: held },
        pods: { 0: {}, 1: { ...waiting, of: 1 }, 2: { of: 1 } },
      },
      then: { does: ['DeletePod web-1'] },
    },
    {
      name: 'holds no other up, with room for it',
      given: {
        ...two,
        set: { ...parallel, spec: held, ...rolling({ maxUnavailable: 2 }) },
        pods: { 0: { of: 1 }, 1: { of: 1 }, 2: { ...holding, of: 1 } },
      },
      then: { does: ['UpdatePodInPlace web-1'], blocked: 'WaitingForHook: Pod web-2 is held in PreparingDelete by label hold=yes' },
    },
  ])('$name', check);
});

describe('a Pod that waits in PreparingUpdate', () => {
  it.each<Row>([
    {
      name: 'continues when its hook releases it although a newer template would begin at a higher ordinal, with Parallel',
      given: {
        revisions: 3,
        current: 1,
        set: { replicas: 3, ...parallel, spec: held, ...rolling({}) },
        pods: { 0: { of: 1 }, 1: { of: 1, state: 'PreparingUpdate' }, 2: { of: 2 } },
      },
      then: { does: ['UpdatePodInPlace web-1'] },
    },
    {
      name: 'of the update revision by now is done',
      given: { set: { replicas: 1, spec: held }, pods: { 0: { state: 'PreparingUpdate' } } },
      then: { does: ['SetLifecycle web-0 Updated'] },
    },
    ...[
      { name: 'that the partition keeps back by now', set: rolling({ partition: 2 }) },
      { name: 'that the partition keeps back by now, with Parallel', set: { ...parallel, ...rolling({ partition: 2 }) } },
      { name: 'that the partition keeps back by now, while the update is paused', set: rolling({ partition: 2, paused: true }) },
      { name: 'of a StatefulSet that is OnDelete by now', set: { type: 'OnDelete' } as const },
    ].map(({ name, set }): Row => ({
      name: `${name} gets its hook back`,
      given: {
        revisions: 2,
        current: 1,
        set: { replicas: 2, spec: held, ...set },
        pods: { 0: { of: 1 }, 1: { of: 1, state: 'PreparingUpdate' } },
      },
      then: expect.objectContaining({ does: ['SetLifecycle web-1 Updated'] }) as unknown as Planned,
    })),
    {
      name: 'that the partition keeps back by now is back in service while the hook holds it',
      given: {
        revisions: 2,
        current: 1,
        set: { replicas: 1, spec: held, ...rolling({ partition: 1 }) },
        pods: { 0: { of: 1, state: 'PreparingUpdate', ...hooked } },
      },
      then: { does: ['SetLifecycle web-0 Normal'], blocked: 'WaitingForHook: Pod web-0 is held in PreparingUpdate by label hold=yes' },
    },
    {
      name: 'that must be updated waits while the update is paused',
      given: {
        revisions: 2,
        current: 1,
        set: { replicas: 1, spec: held, ...rolling({ paused: true }) },
        pods: { 0: { of: 1, state: 'PreparingUpdate' } },
      },
      then: { does: [], blocked: 'Paused: the update is paused; 1 Pod waits for it' },
    },
    {
      name: 'counts as updated with its gate when another is made',
      given: {
        revisions: 2,
        current: 1,
        set: { ...parallel, spec: held, ...rolling({ partition: 2, unorderedUpdate: {} }), replicas: 3 },
        pods: { 1: { of: 1, state: 'PreparingUpdate', ...hooked }, 2: { of: 1 } },
        gates: { PreparingUpdateAsUpdate: true },
      },
      then: {
        does: ['CreatePod web-0 of r1'],
        blocked: 'WaitingForHook: Pod web-1 is held in PreparingUpdate by label hold=yes',
      },
    },
    ...[
      { on: true, does: [] },
      { on: false, does: ['SetLifecycle web-0 Normal', 'UpdatePodInPlace web-2'] },
    ].map(({ on, does }): Row => ({
      name: `keeps its turn in an unordered update with its gate, which is on: ${String(on)}`,
      given: {
        revisions: 2,
        current: 1,
        set: { ...parallel, spec: held, ...rolling({ partition: 2, maxUnavailable: 2, unorderedUpdate: {} }), replicas: 3 },
        pods: { 0: { of: 1, state: 'PreparingUpdate', ...hooked }, 1: { of: 1 }, 2: { of: 1 } },
        gates: { PreparingUpdateAsUpdate: on },
      },
      then: { does, blocked: 'WaitingForHook: Pod web-0 is held in PreparingUpdate by label hold=yes' },
    })),
    {
      name: 'counts as old without it',
      given: {
        revisions: 2,
        current: 1,
        set: { ...parallel, spec: held, ...rolling({ partition: 2, unorderedUpdate: {} }), replicas: 3 },
        pods: { 1: { of: 1, state: 'PreparingUpdate', ...hooked }, 2: {} },
      },
      then: {
        does: ['SetLifecycle web-1 Normal', 'CreatePod web-0 of r1'],
        blocked: 'WaitingForHook: Pod web-1 is held in PreparingUpdate by label hold=yes',
      },
    },
  ])('$name', check);
});
