import { describe, expect, it } from '@jest/globals';
import type { KubeObject, OwnerReference } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { versionedKinds, versionOfPod, versionOfWorkload } from './versions.ts';

const ownerOf = (kind: string): OwnerReference => ({ apiVersion: 'apps/v1', kind, name: 'x', uid: 'x', controller: true });
const byDefault = versionedKinds('deployment,replicaset');

describe('kinds whose versions are counted apart', () => {
  it.each([
    ['deployment,replicaset', ['deployment', 'replicaset']],
    ['deployment', ['deployment', 'replicaset']],
    [' CloneSet , ', ['cloneset']],
    ['', []],
  ])('of the flag %p are %p', (flag, then) => {
    expect([...versionedKinds(flag)].toSorted()).toEqual(then);
  });
});

describe('the version of a Pod', () => {
  it.each<{ kind: string; labels: Readonly<Record<string, string>>; flag?: string; then: string }>([
    { kind: 'ReplicaSet', labels: { 'pod-template-hash': 'abc' }, then: 'abc' },
    { kind: 'ReplicaSet', labels: {}, then: 'versionIgnored' },
    { kind: 'CloneSet', labels: { 'pod-template-hash': 'abc' }, then: 'versionIgnored' },
    { kind: 'CloneSet', labels: { 'controller-revision-hash': 'web-5c9' }, flag: 'cloneset', then: '5c9' },
    { kind: 'CloneSet', labels: { 'pod-template-hash': 'abc', 'controller-revision-hash': 'web-5c9' }, flag: 'cloneset', then: 'abc' },
    { kind: 'Job', labels: { 'pod-template-hash': 'abc' }, then: 'versionIgnored' },
  ])('of a $kind with $labels is $then', ({ kind, labels, flag, then }) => {
    const versioned = flag === undefined ? byDefault : versionedKinds(flag);
    expect(versionOfPod(aPod({ owner: ownerOf(kind), labels }), versioned)).toBe(then);
  });

  it('without a workload is none', () => {
    expect(versionOfPod(aPod({ labels: { 'pod-template-hash': 'abc' } }), byDefault)).toBe('versionIgnored');
  });
});

describe('the version of new Pods', () => {
  const templateOf = (image: string, hash?: string) => ({
    metadata: { labels: { app: 'web', ...(hash === undefined ? {} : { 'pod-template-hash': hash }) } },
    spec: { containers: [{ name: 'main', image }] },
  });
  const setOf = (hash: string, image: string, revision = '1'): KubeObject =>
    ({
      metadata: {
        name: `web-${hash}`,
        labels: { 'pod-template-hash': hash },
        annotations: { 'deployment.kubernetes.io/revision': revision },
      },
      spec: { template: templateOf(image, hash) },
    }) as KubeObject;
  const deploymentOf = (image: string, observedGeneration: number): KubeObject =>
    ({ metadata: { name: 'web', generation: 2 }, spec: { template: templateOf(image) }, status: { observedGeneration } }) as KubeObject;
  const sets = [setOf('old', 'app:1', '3'), setOf('new', 'app:2', '4')];
  const of = (kind: string, object: KubeObject | undefined, replicaSets: readonly KubeObject[] = [], versioned = byDefault) => {
    const found = versionOfWorkload({ kind, object, replicaSets }, versioned);
    return found.kind === 'Known' ? found.version : found.kind;
  };

  it.each<{ name: string; is: string; then: string }>([
    { name: 'a Deployment is that of the ReplicaSet with its template', is: of('Deployment', deploymentOf('app:1', 2), sets), then: 'old' },
    { name: 'a Deployment is not known before there is one', is: of('Deployment', deploymentOf('app:3', 1), sets), then: 'NotYet' },
    {
      name: 'a Deployment that makes none, as it is paused, is the newest',
      is: of('Deployment', deploymentOf('app:3', 2), sets),
      then: 'new',
    },
    { name: 'a Deployment without ReplicaSets is none', is: of('Deployment', deploymentOf('app:3', 2)), then: '' },
    { name: 'a ReplicaSet is its hash', is: of('ReplicaSet', sets[0]), then: 'old' },
    { name: 'a ReplicaSet without a hash is that of its Pods', is: of('ReplicaSet', { metadata: { name: 'x' } }), then: 'versionIgnored' },
    { name: 'what is not there is none', is: of('Deployment', undefined), then: '' },
    { name: 'kinds that are not counted apart is one for all', is: of('CloneSet', undefined), then: 'versionIgnored' },
  ])('of $name', ({ is, then }) => {
    expect(is).toBe(then);
  });

  it('of a Deployment is determined by all of the template but the hash', () => {
    const annotated = (object: KubeObject, annotations: object): KubeObject => {
      const { template, ...spec } = (object as unknown as { readonly spec: { readonly template: { readonly metadata: object } } }).spec;
      return { ...object, spec: { ...spec, template: { ...template, metadata: { ...template.metadata, annotations } } } } as KubeObject;
    };
    const [deployment, old, current] = [deploymentOf('app:2', 2), annotated(setOf('one', 'app:2'), { at: '1' }), setOf('two', 'app:2')];
    expect(of('Deployment', deployment, [old, current])).toBe('two');
    expect(of('Deployment', annotated(deployment, { at: '1' }), [current, old])).toBe('one');
    const { annotations: _none, ...metadata } = current.metadata;
    expect(of('Deployment', deploymentOf('app:3', 2), [{ ...current, metadata }, setOf('four', 'app:4')])).toBe('four');
  });

  it('of a kind without versions is one for all, with any flag', () => {
    const versioned = versionedKinds('cloneset,statefulset');
    const object = { metadata: { name: 'web' }, status: { observedGeneration: 0, updateRevision: 'web-5c9' } } as KubeObject;
    expect(of('StatefulSet', object, [], versioned)).toBe('versionIgnored');
    for (const status of [
      { observedGeneration: 0 },
      { observedGeneration: 0, updateRevision: '' },
      { observedGeneration: 0, updateRevision: 7 },
    ])
      expect(of('CloneSet', { metadata: { name: 'web' }, status } as KubeObject, [], versioned)).toBe('versionIgnored');
  });

  it('of a CloneSet that is counted apart is its update revision, once that is the newest', () => {
    const set = (observedGeneration: number): KubeObject =>
      ({ metadata: { name: 'web', generation: 2 }, status: { observedGeneration, updateRevision: 'web-5c9' } }) as KubeObject;
    const versioned = versionedKinds('cloneset');
    expect([of('CloneSet', set(2), [], versioned), of('CloneSet', set(1), [], versioned)]).toEqual(['5c9', 'NotYet']);
  });
});
