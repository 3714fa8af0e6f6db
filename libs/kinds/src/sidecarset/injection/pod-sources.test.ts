/** What sidecars take over from the containers of a Pod. @see spec/sidecarset.md 5.4 */
import { describe, expect, it } from '@jest/globals';
import type { Container, EnvVar, Pod } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { PodSources } from './pod-sources.ts';

const podOf = (containers: readonly Partial<Container>[], metadata: object = {}): Pod => {
  const pod = aPod({ name: 'web' });
  const named = containers.map((container, index): Container => ({ name: `c${index}`, image: 'app:1', ...container }));
  return { ...pod, metadata: { ...pod.metadata, ...metadata }, spec: { ...pod.spec, containers: named } };
};
const variable = (name: string, value = name.toLowerCase()): EnvVar => ({ name, value });

describe('what containers share', () => {
  const sharedBy = (...containers: readonly Partial<Container>[]) => new PodSources(podOf(containers)).shared;
  const mount = (name: string, subPathExpr?: string) => ({
    name,
    mountPath: `/${name}`,
    ...(subPathExpr === undefined ? {} : { subPathExpr }),
  });

  it('are the mounts and devices of all of them, in their order', () => {
    expect(
      sharedBy(
        { volumeMounts: [mount('b'), mount('a')] },
        {},
        { volumeMounts: [mount('c')], volumeDevices: [{ name: 'd', devicePath: '/d' }] },
      ),
    ).toEqual({
      mounts: [mount('b'), mount('a'), mount('c')],
      devices: [{ name: 'd', devicePath: '/d' }],
      env: [],
    });
  });

  it.each<{ name: string; expr: string; then: readonly string[] }>([
    { name: 'a variable', expr: '$(A)', then: ['A'] },
    { name: 'one in a path', expr: 'logs/$(A)/x', then: ['A'] },
    { name: 'two', expr: '$(B)-$(A)', then: ['B', 'A'] },
    { name: 'a long name', expr: '$(A.b-c_1)', then: ['A.b-c_1'] },
    { name: 'one that begins with a dot', expr: '$(.x)', then: ['.x'] },
    { name: 'one that is not there', expr: '$(NONE)', then: [] },
    { name: 'a name that begins with a number', expr: '$(1A)', then: [] },
    { name: 'no name', expr: '$()', then: [] },
    { name: 'other brackets', expr: '${A} $A (A)', then: [] },
  ])('are the variables that a sub path names: $name', ({ expr, then }) => {
    const env = ['A', 'B', 'A.b-c_1', '.x', '1A', ''].map((name) => variable(name));
    expect(sharedBy({ env, volumeMounts: [mount('v'), mount('w', expr)] }).env).toEqual(then.map((name) => variable(name)));
    expect(sharedBy({ volumeMounts: [mount('w', expr)] }).env).toEqual([]);
  });

  it('are the first variables of their names, each once', () => {
    const env = [variable('A', '1'), variable('B', '2'), variable('A', '3')];
    const volumeMounts = [mount('v', '$(B)/$(A)'), mount('w', '$(A)')];
    expect(sharedBy({ env, volumeMounts }).env).toEqual([variable('B', '2'), variable('A', '1')]);
  });

  it('are not those of injected containers', () => {
    const mounted = { volumeMounts: [mount('v')], volumeDevices: [{ name: 'd', devicePath: '/d' }] };
    expect(sharedBy({ ...mounted, env: [variable('A'), variable('IS_INJECTED', 'true')] })).toEqual({ mounts: [], devices: [], env: [] });
    for (const env of [[variable('IS_INJECTED', 'false')], [variable('OTHER', 'true')], []])
      expect(sharedBy({ ...mounted, env }).mounts).toEqual([mount('v')]);
  });

  it('is nothing in a Pod that names no containers', () => {
    const pod = podOf([]);
    expect(new PodSources({ ...pod, spec: { ...pod.spec, containers: null as never } }).shared).toEqual({
      mounts: [],
      devices: [],
      env: [],
    });
  });
});

describe('the variables that are taken over', () => {
  const pod = podOf([{ env: [variable('B'), variable('A')] }, { name: 'side', env: [variable('A', 'of side')] }, { name: 'bare' }], {
    labels: { source: 'side' },
    annotations: { source: 'c0' },
  });
  const from = (fieldPath: string) => ({ sourceContainerNameFrom: { fieldRef: { fieldPath } } });

  it.each<{ name: string; transfer: object; then: readonly string[]; missing?: readonly string[] }>([
    { name: 'one', transfer: { sourceContainerName: 'c0', envName: 'B' }, then: ['b'] },
    { name: 'a list, sorted, each once', transfer: { sourceContainerName: 'c0', envName: 'B', envNames: ['A', 'B'] }, then: ['a', 'b'] },
    { name: 'none', transfer: { sourceContainerName: 'c0' }, then: [] },
    { name: 'an empty name is none', transfer: { sourceContainerName: 'c0', envName: '' }, then: [] },
    { name: 'from the container that a label names', transfer: { ...from("metadata.labels['source']"), envName: 'A' }, then: ['of side'] },
    { name: 'from the one that an annotation names', transfer: { ...from("metadata.annotations['source']"), envName: 'A' }, then: ['a'] },
    {
      name: 'the reference comes before the name',
      transfer: { sourceContainerName: 'c0', ...from("metadata.labels['source']"), envName: 'A' },
      then: ['of side'],
    },
    { name: 'a label that is not there', transfer: { ...from("metadata.labels['none']"), envName: 'A' }, then: [], missing: ['/A'] },
    { name: 'a reference to something else', transfer: { ...from('spec.nodeName'), envName: 'A' }, then: [], missing: [] },
    {
      name: 'a reference that says nothing',
      transfer: { sourceContainerNameFrom: {}, sourceContainerName: 'c0', envName: 'A' },
      then: ['a'],
    },
    { name: 'one that is not there', transfer: { sourceContainerName: 'bare', envNames: ['A'] }, then: [], missing: ['bare/A'] },
    {
      name: 'one of a container that is not there',
      transfer: { sourceContainerName: 'none', envNames: ['A'] },
      then: [],
      missing: ['none/A'],
    },
    { name: 'one of a container without a name', transfer: { envName: 'A' }, then: [], missing: ['/A'] },
  ])('$name', ({ transfer, then, missing = [] }) => {
    const sources = new PodSources(pod);
    expect(sources.transferred([transfer]).map(({ value }) => value)).toEqual(then);
    expect(sources.missing).toEqual(missing);
  });

  it('come in the order in which they are requested, and from a Pod without labels by name', () => {
    const { labels: _labels, annotations: _annotations, ...metadata } = pod.metadata;
    const sources = new PodSources({ ...pod, metadata });
    const taken = sources.transferred([
      { sourceContainerName: 'side', envName: 'A' },
      { ...from("metadata.labels['source']"), envName: 'A' },
      { sourceContainerName: 'c0', envName: 'A' },
    ]);
    expect(taken.map(({ value }) => value)).toEqual(['of side', 'a']);
    expect(sources.missing).toEqual(['/A']);
  });
});
