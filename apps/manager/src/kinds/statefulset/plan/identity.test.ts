/** What a Pod in its slot has to carry and to mount. @see spec/statefulset.md 5.3 */
import { describe, expect, it } from '@jest/globals';
import { data, doing, held, hooked, parallel, planned, rolling, type Row, unready, waitsFor, withoutVolumes } from './situation.testing.ts';

const check = ({ given, then }: Row): void => expect(planned(given)).toEqual(then);

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
      name: 'whose update was prepared is recreated where it cannot be in place',
      given: {
        revisions: 2,
        current: 1,
        set: { replicas: 1, spec: held, ...rolling({ podUpdatePolicy: 'ReCreate' }) },
        pods: { 0: { of: 1, state: 'PreparingUpdate' } },
      },
      then: doing('DeletePod web-0'),
    },
    {
      name: 'that lacks a claim of the template is reported',
      given: { set: { replicas: 1, ...data }, pods: { 0: { with: withoutVolumes } }, claims: { 0: {} } },
      then: {
        does: [],
        fails: {
          update: {
            message:
              'Pod web-0 does not mount the claims of the templates data, and volumes of a Pod cannot be changed: delete it to have it recreated',
          },
        },
      },
    },
    ...[
      { name: 'is recreated with its gate', gates: { RecreatePodWhenChangeVCTInStatefulSetGate: true }, does: ['DeletePod web-1'] },
      {
        name: 'is recreated instead of being updated in place',
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
      name: 'that lacks a claim stays with InPlaceOnly, and is reported',
      given: {
        set: { replicas: 1, ...data, ...rolling({ podUpdatePolicy: 'InPlaceOnly' }) },
        pods: { 0: { with: withoutVolumes } },
        claims: { 0: {} },
        gates: { RecreatePodWhenChangeVCTInStatefulSetGate: true },
      },
      then: { does: [], fails: { update: { message: expect.stringContaining('does not mount the claims') as unknown as string } } },
    },
    {
      name: 'returns to service when its deletion is no longer wanted',
      given: { set: { replicas: 1, spec: held }, pods: { 0: { state: 'PreparingDelete', ...hooked } } },
      then: {
        does: ['SetLifecycle web-0 PreparingNormal'],
        blocked: 'WaitingForHook: Pod web-0 is held in PreparingDelete by label hold=yes',
      },
    },
  ])('$name', check);
});
