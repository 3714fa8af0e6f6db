import { describe, expect, it } from '@jest/globals';
import { formatFieldErrors } from '@kruise/objects';
import { validateContainerRecreateRequest, validateContainerRecreateRequestUpdate } from './validation.ts';

const request = (spec: object = {}, metadata: object = {}) => ({
  metadata: { name: 'r', ...metadata },
  spec: { podName: 'web', containers: [{ name: 'app' }], ...spec },
});
const faultsOf = (spec: object): string => formatFieldErrors(validateContainerRecreateRequest(request(spec)));

describe('a new request', () => {
  it.each<{ name: string; spec: object }>([
    { name: 'the least there can be', spec: {} },
    { name: 'the shortest deadline', spec: { activeDeadlineSeconds: 3 } },
    { name: 'a deadline in quotes, which only the schema refuses', spec: { activeDeadlineSeconds: '1' } },
    { name: 'no grace at all', spec: { strategy: { terminationGracePeriodSeconds: 0, unreadyGracePeriodSeconds: 0 } } },
    { name: 'a policy that is not given', spec: { strategy: { failurePolicy: '' } } },
    { name: 'a policy that is null', spec: { strategy: { failurePolicy: null } } },
    { name: 'what only the schema refuses', spec: { activeDeadlineSeconds: 'soon', strategy: 'none' } },
  ])('may have $name', ({ spec }) => {
    expect(faultsOf(spec)).toBe('');
  });

  it.each<{ name: string; spec: object; fault: string }>([
    { name: 'no Pod', spec: { podName: '' }, fault: 'spec.podName: Required value: the name of the Pod' },
    { name: 'a Pod that is a number', spec: { podName: 7 }, fault: 'spec.podName: Required value: the name of the Pod' },
    { name: 'no containers', spec: { containers: [] }, fault: 'spec.containers: Required value: at least one container' },
    { name: 'containers that are null', spec: { containers: null }, fault: 'spec.containers: Required value: at least one container' },
    {
      name: 'a container that is null',
      spec: { containers: [null] },
      fault: 'spec.containers[0].name: Required value: the name of the container',
    },
    {
      name: 'a nameless container',
      spec: { containers: [{}] },
      fault: 'spec.containers[0].name: Required value: the name of the container',
    },
    {
      name: 'a container of an empty name',
      spec: { containers: [{ name: '' }] },
      fault: 'spec.containers[0].name: Required value: the name of the container',
    },
    {
      name: 'a deadline that no number holds',
      spec: { activeDeadlineSeconds: -(2n ** 70n) },
      fault: 'spec.activeDeadlineSeconds: Invalid value: -1180591620717411303424: must be at least 3',
    },
    {
      name: 'a container twice',
      spec: { containers: [{ name: 'a' }, { name: 'a' }] },
      fault: 'spec.containers[1].name: Duplicate value: "a": can not recreate a multi times',
    },
    {
      name: 'a hook',
      spec: { containers: [{ name: 'a', preStop: { exec: {} } }] },
      fault: 'spec.containers[0]: Forbidden: preStop are ready-only fields',
    },
    {
      name: 'what was to be filled in',
      spec: { containers: [{ name: 'a', ports: [], statusContext: {} }] },
      fault: 'spec.containers[0]: Forbidden: ports, statusContext are ready-only fields',
    },
    {
      name: 'a deadline of 2 s',
      spec: { activeDeadlineSeconds: 2 },
      fault: 'spec.activeDeadlineSeconds: Invalid value: 2: must be at least 3',
    },
    {
      name: 'a negative grace',
      spec: { strategy: { terminationGracePeriodSeconds: -1 } },
      fault: 'spec.strategy.terminationGracePeriodSeconds: Invalid value: -1: must not be negative',
    },
    {
      name: 'a negative unready grace',
      spec: { strategy: { unreadyGracePeriodSeconds: -1 } },
      fault: 'spec.strategy.unreadyGracePeriodSeconds: Invalid value: -1: must not be negative',
    },
    {
      name: 'an unknown policy',
      spec: { strategy: { failurePolicy: 'ignore' } },
      fault: 'spec.strategy.failurePolicy: Unsupported value: "ignore": supported values: "Fail", "Ignore"; did you mean "Ignore"?',
    },
  ])('cannot have $name', ({ spec, fault }) => {
    expect(faultsOf(spec)).toBe(fault);
  });

  it('has every fault listed', () => {
    expect(validateContainerRecreateRequest({ metadata: { name: 'r' } })).toHaveLength(2);
    expect(validateContainerRecreateRequest({ metadata: { name: 'r' }, spec: [] })).toHaveLength(2);
  });
});

const uid = 'crr.apps.kruise.io/pod-uid';
const node = 'crr.apps.kruise.io/node-name';
const held = 'crr.apps.kruise.io/unready-acquired';

describe('a stored request', () => {
  const old = request({ strategy: { failurePolicy: 'Fail' } }, { labels: { [uid]: '1', [node]: 'n' }, annotations: { [held]: 't' } });

  it.each<{ name: string; next: object; version?: 'v1alpha1' | 'v1beta1'; reasons: readonly string[] }>([
    { name: 'nothing', next: old, reasons: [] },
    {
      name: 'other labels and finalizers',
      next: { ...old, metadata: { ...old.metadata, finalizers: ['f'], labels: { [uid]: '1', [node]: 'n', more: 'x' } } },
      reasons: [],
    },
    {
      name: 'nothing, but writes out what says nothing',
      next: { ...old, spec: { ...old.spec, strategy: { failurePolicy: 'Fail', minStartedSeconds: 0, forceRecreate: false } } },
      reasons: [],
    },
    {
      name: 'how containers are recreated',
      next: { ...old, spec: { ...old.spec, strategy: { failurePolicy: 'Fail', minStartedSeconds: 1 } } },
      reasons: ['spec of ContainerRecreateRequest is immutable'],
    },
    {
      name: 'the spec',
      next: { ...old, spec: { ...old.spec, podName: 'other' } },
      reasons: ['spec of ContainerRecreateRequest is immutable'],
    },
    {
      name: 'the labels',
      next: { ...old, metadata: { ...old.metadata, labels: { [node]: 'other' } } },
      reasons: [uid, node].map((key) => `not allowed to update immutable label ${key}`),
    },
    {
      name: 'other annotations of v1alpha1',
      next: { ...old, metadata: { ...old.metadata, annotations: { [held]: 't', more: 'x' } } },
      version: 'v1alpha1',
      reasons: [],
    },
    { name: 'the annotation', next: { ...old, metadata: { ...old.metadata, annotations: {} } }, reasons: [] },
    {
      name: 'the annotation of v1alpha1',
      next: { ...old, metadata: { ...old.metadata, annotations: {} } },
      version: 'v1alpha1',
      reasons: [`not allowed to update immutable annotation ${held}`],
    },
  ])('changes $name', ({ next, version = 'v1beta1', reasons }) => {
    expect(validateContainerRecreateRequestUpdate(next as typeof old, old, version)).toEqual(reasons);
  });

  it('gets the annotation once', () => {
    const before = request({}, { annotations: {} });
    const after = request({}, { annotations: { [held]: 't' } });
    expect(validateContainerRecreateRequestUpdate(after, before, 'v1alpha1')).toEqual([]);
  });
});
