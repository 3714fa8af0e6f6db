/** What the rules ask about one Pod. @see spec/daemonset.md 5.5, 5.6, 5.11 */
import { describe, expect, it } from '@jest/globals';
import { isTerminating, type Pod } from '@kruise/objects';
import { aPod, epoch } from '@kruise/testing';
import { compareOnNode, countsAsAvailable, isAvailable, isFailed, isUpdated, nextAvailable } from './pod-facts.ts';
import { ago, aMember, aRevision, hashOf, now, type MemberShape } from '../situation.testing.ts';
import { aDaemonSet } from '../testing.ts';

const [r1, r2] = [aRevision(1), aRevision(2)];
const podOf = (shape: MemberShape = {}): Pod => aMember('n1', shape, [r1, r2]);
const withMinReady = (minReadySeconds: number) => aDaemonSet({ spec: { minReadySeconds } });

/** The Pod with its condition InPlaceUpdateReady so, or without it. */
const inPlaceReady =
  (status?: string) =>
  (pod: Pod): Pod => ({
    ...pod,
    status: {
      ...pod.status,
      conditions: [
        ...(pod.status?.conditions ?? []).filter(({ type }) => type !== 'InPlaceUpdateReady'),
        ...(status === undefined ? [] : [{ type: 'InPlaceUpdateReady', status }]),
      ],
    },
  });
const readySince =
  (lastTransitionTime?: string) =>
  (pod: Pod): Pod => ({
    ...pod,
    status: {
      ...pod.status,
      conditions: [{ type: 'Ready', status: 'True', ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }) }],
    },
  });

describe('available', () => {
  it.each<[name: string, shape: MemberShape, minReadySeconds: number, rules: boolean, status: boolean]>([
    ['is a Pod that is ready', { readyFor: 0 }, 0, true, true],
    ['is not one that is not ready', { ready: false }, 0, false, false],
    ['is one that has been ready for longer than minReadySeconds', { readyFor: 11 }, 10, true, true],
    ['is not one that has been ready for exactly so long', { readyFor: 10 }, 10, false, false],
    ['is not one that tells no time', { with: readySince() }, 10, false, false],
    ['is one that waits for its hook', { state: 'PreparingDelete' }, 0, true, true],
    ['is one that is ready and going', { terminating: true }, 0, true, true],
    ['is not, for the status, one in the middle of an update in place', { with: inPlaceReady('False') }, 0, true, false],
    ['is one whose condition of the update is not there yet', { with: inPlaceReady() }, 0, true, true],
    ['is one without the gate, whatever the condition', { gate: false, with: inPlaceReady('False') }, 0, true, true],
  ])('%s', (_name, shape, minReadySeconds, ...[rules, status]) => {
    const [set, pod] = [withMinReady(minReadySeconds), podOf(shape)];
    expect([isAvailable(set, pod, now), countsAsAvailable(set, pod, now)]).toEqual([rules, status]);
  });
});

describe('updated', () => {
  const generation = (value?: string) =>
    aDaemonSet(value === undefined ? {} : { annotations: { 'deprecated.daemonset.template.generation': value } });
  const numbered = { 'pod-template-generation': '4' };
  it.each<[name: string, shape: MemberShape, generation: string | undefined, expected: boolean]>([
    ['is a Pod with the hash of the update revision', { of: 2 }, undefined, true],
    ['is not one with another hash', { of: 1 }, undefined, false],
    ['is not one with another hash, whatever its generation', { of: 1, labels: numbered }, '4', false],
    ['is one with that hash, whatever its generation', { of: 2, labels: numbered }, '5', true],
    ['is one without a hash and with the generation of the DaemonSet', { of: 0, labels: numbered }, '4', true],
    ['is not one without a hash and of another generation', { of: 0, labels: numbered }, '5', false],
    ['is not one without either', { of: 0 }, undefined, false],
    ['is not one without either when the DaemonSet has a generation', { of: 0 }, '4', false],
    ['is not one without a hash when the DaemonSet has no generation', { of: 0, labels: numbered }, undefined, false],
    ['is not one whose generation cannot be read', { of: 0, labels: { 'pod-template-generation': 'x' } }, 'x', false],
    ['is one whose hash is empty, by its generation', { of: 0, labels: { ...numbered, 'controller-revision-hash': '' } }, '4', true],
  ])('%s', (_name, shape, ...[value, expected]) => {
    expect(isUpdated(generation(value), podOf(shape), hashOf(r2))).toBe(expected);
  });

  it('is not a Pod without labels', () => {
    const { labels: _labels, ...metadata } = podOf().metadata;
    expect(isUpdated(generation('4'), { ...podOf(), metadata }, hashOf(r2))).toBe(false);
  });
});

describe('when time alone makes a Pod available', () => {
  it.each<[name: string, shapes: readonly MemberShape[], minReadySeconds: number, expected: number | undefined]>([
    ['a moment after minReadySeconds, as availability is strict', [{ readyFor: 4 }], 10, 6050],
    ['right now, a moment later', [{ readyFor: 10 }], 10, 50],
    ['never for one that is available', [{ readyFor: 11 }], 10, undefined],
    ['never for one that is not ready', [{ ready: false, readyFor: 4 }], 10, undefined],
    ['never for one without conditions', [{ with: ({ status: _status, ...pod }) => pod }], 10, undefined],
    ['never without minReadySeconds', [{ readyFor: 0 }], 0, undefined],
    ['never for one that tells no time', [{ with: readySince() }], 10, undefined],
    ['when the first of several is', [{ readyFor: 1 }, { readyFor: 4 }, { readyFor: 2 }], 10, 6050],
    ['never without a Pod', [], 10, undefined],
  ])('%s', (_name, shapes, ...[minReadySeconds, expected]) => {
    expect(nextAvailable(withMinReady(minReadySeconds), shapes.map(podOf), now)).toBe(expected);
  });

  it('is when the rule says so', () => {
    const [set, pod] = [withMinReady(10), podOf({ with: readySince(ago(3)) })];
    const wait = nextAvailable(set, [pod], now) ?? 0;
    expect([isAvailable(set, pod, (now + wait) as typeof now), isAvailable(set, pod, (now + wait - 51) as typeof now)]).toEqual([
      true,
      false,
    ]);
  });
});

describe('which of several Pods of a node counts first', () => {
  const at = (seconds: number) => (epoch + seconds * 1000) as typeof epoch;
  const unborn = (): Pod => {
    const { creationTimestamp: _time, ...metadata } = aPod({ name: 'a' }).metadata;
    return { ...aPod(), metadata };
  };
  it.each<[string, Pod, Pod]>([
    [
      'one that is on it before one that waits for it',
      aPod({ name: 'b', createdAt: at(9) }),
      aPod({ name: 'a', node: '', createdAt: at(1) }),
    ],
    ['the older one', aPod({ name: 'b', createdAt: at(1) }), aPod({ name: 'a', createdAt: at(2) })],
    ['by name', aPod({ name: 'a' }), aPod({ name: 'b' })],
    ['one that tells its age before one that does not', aPod({ name: 'b' }), unborn()],
    ['an older one that waits', aPod({ name: 'b', node: '', createdAt: at(1) }), aPod({ name: 'a', node: '', createdAt: at(2) })],
  ])('%s', (_name, first, second) => {
    expect([compareOnNode(first, second) < 0, compareOnNode(second, first) > 0]).toEqual([true, true]);
  });

  it('takes an empty nodeName for none', () => {
    const waiting = aPod({ name: 'a', createdAt: at(1) });
    const empty: Pod = { ...waiting, spec: { ...waiting.spec, nodeName: '' } };
    expect(compareOnNode(aPod({ name: 'b', createdAt: at(2) }), empty)).toBeLessThan(0);
  });
});

it('a Pod is terminating with a time of deletion, and has failed in its phase alone', () => {
  const pods = [podOf(), podOf({ terminating: true }), podOf({ phase: 'Failed' }), podOf({ phase: 'Succeeded' })];
  expect(pods.map((pod) => [isTerminating(pod), isFailed(pod)])).toEqual([
    [false, false],
    [true, false],
    [false, true],
    [false, false],
  ]);
  const { status: _status, ...unseen } = podOf();
  expect(isFailed(unseen)).toBe(false);
});
