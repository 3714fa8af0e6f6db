import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '@kruise/objects';
import { isWellFormedPod } from './well-formed-pod.ts';

type Change = Readonly<Record<string, unknown>>;

const container: Change = {
  name: 'main',
  image: 'app:1',
  env: [
    { name: 'A', value: 'b' },
    { name: 'C', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  ],
  envFrom: [{ configMapRef: { name: 'c' } }],
  ports: [{ containerPort: 80 }],
  volumeMounts: [{ name: 'v', mountPath: '/v' }],
  volumeDevices: [{ name: 'd', devicePath: '/dev/d' }],
  resources: { limits: { cpu: 1 }, requests: { cpu: 1 } },
};
const metadata: Change = {
  name: 'web',
  generateName: 'web-',
  namespace: 'default',
  deletionTimestamp: '2026-01-01T00:00:00Z',
  labels: { app: 'web' },
  annotations: { a: 'b' },
  ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n' }],
};
const spec: Change = {
  containers: [container],
  initContainers: [container],
  ephemeralContainers: [container],
  volumes: [{ name: 'v' }],
  imagePullSecrets: [{ name: 's' }],
  readinessGates: [{ conditionType: 'A' }],
  tolerations: [{ operator: 'Exists' }],
};
const pod: Change = { metadata, spec, status: { phase: 'Pending' } };

const isGood = (object: unknown): boolean => isWellFormedPod(object as KubeObject);
const withMetadata = (change: Change): Change => ({ ...pod, metadata: { ...metadata, ...change } });
const withSpec = (change: Change): Change => ({ ...pod, spec: { ...spec, ...change } });
const lists = ['containers', 'initContainers', 'ephemeralContainers'] as const;
/** The Pod with a second container in each of its lists in turn. */
const withContainer = (change: Change): readonly Change[] =>
  lists.map((list) => withSpec({ [list]: [container, { ...container, ...change }] }));

describe('a Pod as the API server lets it through', () => {
  it('is well-formed with every member', () => {
    expect(isGood(pod)).toBe(true);
  });

  it.each(Object.keys(metadata))('may omit metadata.%s, or have null there', (member) => {
    expect([undefined, null].map((value) => isGood(withMetadata({ [member]: value })))).toEqual([true, true]);
  });

  it.each(Object.keys(spec))('may omit spec.%s, or have null or nothing there', (member) => {
    expect([undefined, null, []].map((value) => isGood(withSpec({ [member]: value })))).toEqual([true, true, true]);
  });

  it.each(Object.keys(container).filter((member) => member !== 'name'))('may omit %s of a container, or have null there', (member) => {
    expect([undefined, null].flatMap((value) => withContainer({ [member]: value })).every(isGood)).toBe(true);
  });

  it('may omit what an entry of the environment is, limits, requests and the status', () => {
    const entries = [{ name: 'A' }, { name: 'A', value: null, valueFrom: null }];
    expect(withContainer({ env: entries }).every(isGood)).toBe(true);
    expect([{}, { limits: null, requests: null }].flatMap((resources) => withContainer({ resources })).every(isGood)).toBe(true);
    expect([undefined, null].map((status) => isGood({ ...pod, status }))).toEqual([true, true]);
  });
});

describe('what is no Pod', () => {
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'pod'],
    ['a list', [pod]],
    ['one without metadata', { spec }],
    ['one whose metadata is null', { metadata: null, spec }],
    ['one without spec', { metadata }],
    ['one whose spec is a list', { metadata, spec: [] }],
    ['one whose status is a text', { ...pod, status: 'Running' }],
  ])('%s', (_name, object) => {
    expect(isGood(object)).toBe(false);
  });

  it.each<[string, unknown]>([
    ['name', 1],
    ['generateName', {}],
    ['namespace', 1],
    ['deletionTimestamp', 1],
    ['labels', 'a=b'],
    ['labels', { a: 'b', n: 1 }],
    ['annotations', { a: null }],
    ['annotations', ['a']],
    ['ownerReferences', {}],
    ['ownerReferences', [{ kind: 'Node', name: 'n' }]],
    ['ownerReferences', [{ apiVersion: 'v1', name: 'n' }]],
    ['ownerReferences', [{ apiVersion: 'v1', kind: 'Node' }]],
    ['ownerReferences', [{ apiVersion: 'v1', kind: 'Node', name: 'n' }, null]],
  ])('one whose metadata.%s is %j', (member, value) => {
    expect(isGood(withMetadata({ [member]: value }))).toBe(false);
  });

  it.each<[string, unknown]>([
    ...lists.flatMap((list): [string, unknown][] => [
      [list, {}],
      [list, ['main']],
      [list, [{ image: 'app:1' }]],
    ]),
    ['volumes', [{ name: 'v' }, {}]],
    ['volumes', 'v'],
    ['imagePullSecrets', ['s']],
    ['readinessGates', ['A']],
    ['readinessGates', {}],
    ['tolerations', [{}, 'all']],
  ])('one whose spec.%s is %j', (member, value) => {
    expect(isGood(withSpec({ [member]: value }))).toBe(false);
  });

  it.each<[string, unknown]>([
    ['name', 1],
    ['image', 1],
    ['env', [{ value: 'b' }]],
    ['env', [{ name: 'A', value: 1 }]],
    ['env', [{ name: 'A', valueFrom: 'b' }]],
    ['env', { A: 'b' }],
    ['envFrom', ['c']],
    ['ports', [80]],
    ['volumeMounts', [{ name: 'v' }]],
    ['volumeMounts', [{ mountPath: '/v' }]],
    ['volumeDevices', [{ name: 'd' }]],
    ['volumeDevices', [{ devicePath: '/dev/d' }]],
    ['resources', []],
    ['resources', { limits: 'all' }],
    ['resources', { requests: ['cpu'] }],
  ])('one with a container whose %s is %j', (member, value) => {
    expect(withContainer({ [member]: value }).map(isGood)).toEqual([false, false, false]);
  });
});
