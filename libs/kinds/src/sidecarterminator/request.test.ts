import { describe, expect, it } from '@jest/globals';
import type { ContainerRecreateRequest } from '@kruise/api';
import { formatTime, instant, type Pod } from '@kruise/objects';
import { epoch } from '@kruise/testing';
import { faultOf, isTermination, newRequest, repeatsOf, requestName } from './request.ts';
import { aJobPod, aRequest, ended, running, starting, type State } from './testing.ts';

type Status = NonNullable<ContainerRecreateRequest['status']>;

const pod = (log: State = running, proxy: State = running): Pod =>
  aJobPod([
    { name: 'log', state: log },
    { name: 'proxy', state: proxy },
  ]);
const startedAt = (since: number): State => ({ kind: 'running', since });

describe('the request that ends sidecars', () => {
  it('is controlled by the Pod, forces the recreation and ignores failures', () => {
    expect(newRequest(aJobPod([], { name: 'job', uid: 'u' }), ['b', 'a'], 0)).toStrictEqual({
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'ContainerRecreateRequest',
      metadata: {
        namespace: 'default',
        name: 'sidecar-termination-u',
        ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'job', uid: 'u', controller: true, blockOwnerDeletion: true }],
      },
      spec: {
        podName: 'job',
        containers: [{ name: 'b' }, { name: 'a' }],
        strategy: { forceRecreate: true, failurePolicy: 'Ignore' },
      },
    });
  });

  it('is known by its name', () => {
    const named = (name: string): ContainerRecreateRequest => ({ ...aRequest(pod(), []), metadata: { name } });
    expect(isTermination(named(requestName('u')))).toBe(true);
    expect(isTermination(named('restart'))).toBe(false);
    expect(isTermination(named('of-sidecar-termination-'))).toBe(false);
  });

  it.each<{ text: string | undefined; then: number }>([
    { text: undefined, then: 0 },
    { text: '', then: 0 },
    { text: '3', then: 3 },
    { text: '12', then: 12 },
    { text: '999999', then: 999_999 },
    { text: '1000000', then: 0 },
    { text: '-1', then: 0 },
    { text: '1x', then: 0 },
    { text: 'x1', then: 0 },
  ])('with $text as its number of repetitions was repeated $then times', ({ text, then }) => {
    const annotations = text === undefined ? {} : { annotations: { 'apps.kruise.io/sidecar-termination-repeats': text } };
    expect(repeatsOf({ ...pod(), metadata: { name: 'r', ...annotations } })).toBe(then);
  });
});

describe('a request', () => {
  const stopped = (...states: NonNullable<Status['containerRecreateStates']>): Status => ({
    phase: 'Recreating',
    containerRecreateStates: states,
  });
  const killed = (name: string, isKilled = true) => ({ name, phase: 'Recreating' as const, isKilled });
  const over = (status: Partial<Status> = {}): Status => ({ phase: 'Completed', completionTime: formatTime(instant(epoch)), ...status });

  it.each<{
    name: string;
    pod?: Pod;
    listed?: readonly string[];
    status?: Status;
    containers?: readonly string[];
    then: ReturnType<typeof faultOf>;
  }>([
    { name: 'that no agent has processed may still end them', then: undefined },
    { name: 'without states may still end them', status: { phase: 'Recreating' }, then: undefined },
    {
      name: 'fails when the kubelet starts again what was stopped',
      pod: pod(startedAt(11)),
      status: stopped(killed('proxy', false), killed('log')),
      then: { kind: 'Restarted', containers: ['log'] },
    },
    { name: 'that did not stop it does not', pod: pod(startedAt(11)), status: stopped(killed('log', false)), then: undefined },
    { name: 'that stopped another does not', pod: pod(startedAt(11)), status: stopped(killed('proxy')), then: undefined },
    { name: 'does not when it runs since then', pod: pod(startedAt(10)), status: stopped(killed('log')), then: undefined },
    { name: 'does not when it is about to run', pod: pod(starting), status: stopped(killed('log')), then: undefined },
    {
      name: 'does not when its status says nothing',
      pod: { ...pod(), status: { containerStatuses: [{ name: 'log', image: '', imageID: '', ready: false, restartCount: 0 }] } },
      status: stopped(killed('log')),
      then: undefined,
    },
    { name: 'does not when it has no status', pod: { ...pod(), status: {} }, status: stopped(killed('log')), then: undefined },
    {
      name: 'that is over while they run was not answered',
      status: over({ message: 'no daemon' }),
      containers: ['log', 'proxy'],
      then: { kind: 'Unanswered', containers: ['log'], message: 'no daemon' },
    },
    { name: 'may have been over without a word', status: over(), then: { kind: 'Unanswered', containers: ['log'], message: '' } },
    {
      name: 'that is over is of no use to others',
      status: over(),
      containers: ['proxy'],
      then: { kind: 'Unlisted', containers: ['proxy'] },
    },
    {
      name: 'whose containers have ended is of no use to others',
      pod: pod(ended),
      containers: ['proxy'],
      then: { kind: 'Unlisted', containers: ['proxy'] },
    },
    {
      name: 'that still has to end one of two may yet end, whatever others wait',
      pod: aJobPod(['log', 'proxy', 'late'].map((name) => ({ name, state: name === 'log' ? ended : running }))),
      listed: ['log', 'proxy'],
      containers: ['proxy', 'late'],
      then: undefined,
    },
    { name: 'has no fault when nothing is left to end', status: over(), containers: [], then: undefined },
  ])('$name', ({ pod: seen = pod(), listed = ['log'], status, containers = ['log'], then }) => {
    expect(faultOf(seen, aRequest(seen, listed, { madeAt: 10, ...(status === undefined ? {} : { status }) }), containers)).toEqual(then);
  });

  it('without a creation time does not show what was restarted', () => {
    const seen = pod(startedAt(11));
    const { creationTimestamp: _madeAt, ...metadata } = aRequest(seen, ['log']).metadata;
    expect(faultOf(seen, { ...aRequest(seen, ['log'], { status: stopped(killed('log')) }), metadata }, ['log'])).toBeUndefined();
  });
});
