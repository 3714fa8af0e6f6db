/** Which containers are read. */
import { describe, expect, it } from '@jest/globals';
import type { Untyped } from '../objects/untyped.ts';
import type { Revision } from '../rollout/revisions.ts';
import { isOfRevision, streamsOf } from './choose-streams.ts';

const status = (name: string, restartCount = 0, containerID = 'containerd://1'): object => ({ name, restartCount, containerID });
const pod = (name: string, { statuses = [status('main')], annotations = {}, labels = {} } = {}): Untyped => ({
  metadata: { name, namespace: 'shop', uid: `uid-${name}`, annotations, labels },
  spec: { containers: [{ name: 'main' }, { name: 'side' }], initContainers: [{ name: 'init' }] },
  status: { containerStatuses: statuses, initContainerStatuses: [status('init')] },
});

const byDefault = { container: '', all: false };
const keys = (pods: readonly Untyped[], choice = byDefault): readonly string[] => streamsOf(pods, choice).map(({ key }) => key);

describe('the streams', () => {
  it('are of the first container, or the default container of the annotation', () => {
    const side = pod('b', {
      annotations: { 'kubectl.kubernetes.io/default-container': 'side' },
      statuses: [status('main'), status('side')],
    });
    expect(streamsOf([pod('a'), side], byDefault)).toEqual([
      { key: 'uid-a/main/0', namespace: 'shop', pod: 'a', container: 'main' },
      { key: 'uid-b/side/0', namespace: 'shop', pod: 'b', container: 'side' },
    ]);
    expect(keys([pod('c', { annotations: { 'kubectl.kubernetes.io/default-container': 'none' } })])).toEqual(['uid-c/main/0']);
  });

  it('are of all containers, or of the one that is named', () => {
    expect(keys([pod('a')], { container: '', all: true })).toEqual(['uid-a/main/0', 'uid-a/init/0']);
    expect(keys([pod('a')], { container: 'init', all: false })).toEqual(['uid-a/init/0']);
    expect(() => keys([pod('a')], { container: 'x', all: false })).toThrow('no Pod has a container "x", out of: main, side, init');
    expect(keys([], { container: 'x', all: false })).toEqual([]);
  });

  it('are of containers that have started, and others after a restart', () => {
    expect(keys([pod('a', { statuses: [] })])).toEqual([]);
    expect(keys([pod('a', { statuses: [status('main', 0, '')] })])).toEqual([]);
    expect(keys([pod('a', { statuses: [status('main', 3)] })])).toEqual(['uid-a/main/3']);
  });
});

describe('a Pod is of a revision', () => {
  const revision = { object: { metadata: { name: 'web-b2', labels: { 'controller-revision-hash': 'h' } } } } as unknown as Revision;
  it.each([
    { name: 'by its name', labels: { 'controller-revision-hash': 'web-b2' }, then: true },
    { name: 'by the hash at the end of the name', labels: { 'pod-template-hash': 'b2' }, then: true },
    { name: 'by the label of the revision', labels: { 'controller-revision-hash': 'h' }, then: true },
    { name: 'not by another label', labels: { 'pod-template-hash': 'h' }, then: false },
    { name: 'not without a label', labels: {}, then: false },
    { name: 'not with another name', labels: { 'controller-revision-hash': 'web-a1' }, then: false },
  ])('$name: $then', ({ labels, then }) => {
    expect(isOfRevision(pod('a', { labels }), revision)).toBe(then);
  });
});
