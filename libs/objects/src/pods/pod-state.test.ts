import { describe, expect, it } from '@jest/globals';
import type { Pod, PodCondition, PodSpec, PodStatus } from './pod.ts';
import {
  containerStatusOf,
  hasReadinessGate,
  initContainerStatusOf,
  isPodActive,
  isPodAvailable,
  isPodReady,
  podPhaseRank,
  recomputeReady,
} from './pod-state.ts';
import { qosClassOf } from './qos.ts';
import { instant } from '../values/time.ts';

const at = (text: string) => instant(Date.parse(text));
const pod = (status: PodStatus, spec: Partial<PodSpec> = {}, deletionTimestamp?: string): Pod => ({
  metadata: { name: 'p', ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
  spec: { containers: [], ...spec },
  status,
});
const condition = (type: string, status: string, lastTransitionTime?: string): PodCondition => ({
  type,
  status,
  ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }),
});

describe('isPodActive', () => {
  it.each<[string, Pod, boolean]>([
    ['a running Pod', pod({ phase: 'Running' }), true],
    ['a Pod without status', { metadata: { name: 'p' }, spec: { containers: [] } }, true],
    ['a failed Pod', pod({ phase: 'Failed' }), false],
    ['a succeeded Pod', pod({ phase: 'Succeeded' }), false],
    ['a terminating Pod', pod({ phase: 'Running' }, {}, '2026-01-01T00:00:00Z'), false],
  ])('%s', (_name, given, active) => {
    expect(isPodActive(given)).toBe(active);
  });
});

describe('isPodAvailable', () => {
  const since = '2026-01-01T00:00:00Z';
  it.each<[string, PodCondition[], number, string, boolean]>([
    ['not ready', [condition('Ready', 'False', since)], 0, '2026-01-02T00:00:00Z', false],
    ['no condition', [], 0, '2026-01-02T00:00:00Z', false],
    ['ready without minimum', [condition('Ready', 'True')], 0, '2026-01-01T00:00:00Z', true],
    ['exactly as old as the minimum', [condition('Ready', 'True', since)], 10, '2026-01-01T00:00:10Z', false],
    ['older than the minimum', [condition('Ready', 'True', since)], 10, '2026-01-01T00:00:10.001Z', true],
    ['ready since nobody knows when', [condition('Ready', 'True')], 10, '2026-01-02T00:00:00Z', false],
  ])('%s', (_name, ...[conditions, minimum, now, available]) => {
    expect(isPodAvailable(pod({ conditions }), minimum, at(now))).toBe(available);
  });
});

describe('recomputeReady', () => {
  const now = at('2026-01-02T00:00:00Z');
  const gated = (...gates: string[]): Pod => pod({}, { readinessGates: gates.map((conditionType) => ({ conditionType })) });
  const ready = condition('Ready', 'True', '2026-01-01T00:00:00Z');
  const containersReady = condition('ContainersReady', 'True');

  it("sets Ready to False in the kubelet's words", () => {
    const conditions = [ready, containersReady, condition('InPlaceUpdateReady', 'False')];
    expect(recomputeReady(gated('KruisePodReady', 'InPlaceUpdateReady'), conditions, now)[0]).toEqual({
      type: 'Ready',
      status: 'False',
      reason: 'ReadinessGatesNotReady',
      message:
        'corresponding condition of pod readiness gate "KruisePodReady" does not exist., the status of pod readiness gate "InPlaceUpdateReady" is not "True", but False',
      lastTransitionTime: '2026-01-02T00:00:00Z',
    });
  });

  it('names only the gates that do not hold', () => {
    const conditions = [ready, containersReady, condition('A', 'True'), condition('B', 'False'), condition('C', 'True')];
    expect(recomputeReady(gated('A', 'B', 'C'), conditions, now)[0]?.message).toBe(
      'the status of pod readiness gate "B" is not "True", but False',
    );
  });

  it.each<[string, Pod, PodCondition[]]>([
    ['there is no Ready', gated('G'), [containersReady]],
    ['nothing is known of the containers', gated('G'), [ready]],
    ['there is no list of gates', pod({}), [ready, containersReady]],
    ['containers are not ready', gated('G'), [ready, condition('ContainersReady', 'False')]],
    ['every gate holds', gated('G'), [ready, containersReady, condition('G', 'True')]],
    ['there are no gates', gated(), [ready, containersReady]],
    ['Ready is False already', gated('G'), [condition('Ready', 'False'), containersReady]],
  ])('changes nothing when %s', (_name, given, conditions) => {
    expect(recomputeReady(given, conditions, now)).toBe(conditions);
  });
});

describe('a Pod without a status', () => {
  const bare: Pod = { metadata: { name: 'p' }, spec: { containers: [] } };

  it('is neither ready nor available, and has no running containers', () => {
    expect([isPodReady(bare), isPodAvailable(bare, 0, at('2026-01-01T00:00:00Z')), podPhaseRank(bare)]).toEqual([false, false, 0]);
    expect([containerStatusOf(bare, 'a'), initContainerStatusOf(bare, 'a'), containerStatusOf(pod({}), 'a')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect([hasReadinessGate(bare, 'G'), recomputeReady(bare, [], at('2026-01-01T00:00:00Z'))]).toEqual([false, []]);
  });
});

it('finds one readiness gate among several', () => {
  const given = pod({ conditions: [condition('Ready', 'False')] }, { readinessGates: [{ conditionType: 'G' }, { conditionType: 'H' }] });
  expect([hasReadinessGate(given, 'G'), hasReadinessGate(given, 'H'), hasReadinessGate(given, 'I'), isPodReady(given)]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

it('ranks phases', () => {
  expect(['Pending', 'Unknown', 'Running', 'Failed'].map((phase) => podPhaseRank(pod({ phase })))).toEqual([0, 1, 2, 0]);
});

it('finds containers by name and the most restarts', () => {
  const status = (name: string, restartCount: number) => ({ name, restartCount, image: '', imageID: '', ready: true });
  const given = pod(
    {
      conditions: [condition('Ready', 'True')],
      containerStatuses: [status('b', 3), status('a', 1)],
      initContainerStatuses: [status('c', 4), status('d', 2)],
    },
    { readinessGates: [{ conditionType: 'G' }] },
  );
  expect([containerStatusOf(given, 'a')?.restartCount, containerStatusOf(given, 'x')]).toEqual([1, undefined]);
  expect([initContainerStatusOf(given, 'd')?.restartCount, initContainerStatusOf(given, 'a')]).toEqual([2, undefined]);
  expect([isPodReady(given), hasReadinessGate(given, 'G'), hasReadinessGate(given, 'H')]).toEqual([true, true, false]);
});

describe('qosClassOf', () => {
  const full = { limits: { cpu: '1', memory: '1Gi' } };
  const spec = (...resources: object[]): PodSpec => ({ containers: resources.map((r, i) => ({ name: `c${String(i)}`, resources: r })) });

  it.each<[string, PodSpec, string]>([
    ['nothing asked for', spec({}, {}), 'BestEffort'],
    ['zero is nothing', spec({ requests: { cpu: '0' } }), 'BestEffort'],
    ['other resources do not count', spec({ limits: { 'example.com/gpu': '1' } }), 'BestEffort'],
    ['all limits', spec(full), 'Guaranteed'],
    [
      'equal amounts in other words',
      spec({ limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1000m', memory: '1024Mi' } }),
      'Guaranteed',
    ],
    ['a lower request', spec({ ...full, requests: { cpu: '500m', memory: '1Gi' } }), 'Burstable'],
    ['one container without limits', spec(full, {}), 'Burstable'],
    [
      'requests and limits equal in sum over all containers',
      spec(
        { limits: { cpu: '1', memory: '1' }, requests: { cpu: '500m', memory: '1' } },
        { limits: { cpu: '1', memory: '1' }, requests: { cpu: '1500m', memory: '1' } },
      ),
      'Guaranteed',
    ],
    ['a limit alone', spec({ limits: { memory: '1Gi' } }), 'Burstable'],
    ['a request alone', spec({ requests: { memory: '1Gi' } }), 'Burstable'],
    ['only cpu limited', spec({ limits: { cpu: '1' } }), 'Burstable'],
    ['an init container without limits', { ...spec(full), initContainers: [{ name: 'i' }] }, 'Burstable'],
    ['an init container with limits', { ...spec(full), initContainers: [{ name: 'i', resources: full }] }, 'Guaranteed'],
    ['what is no quantity', spec({ limits: { cpu: 'lots' } }), 'BestEffort'],
    ['resources of the Pod decide', { ...spec({}), resources: full } as PodSpec, 'Guaranteed'],
  ])('%s', (_name, given, expected) => {
    expect(qosClassOf(given)).toBe(expected);
  });
});
