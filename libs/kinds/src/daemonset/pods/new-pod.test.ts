/** A Pod for one node, as it is created. @see spec/daemonset.md 3, 5.5 */
import { describe, expect, it } from '@jest/globals';
import type { DaemonSet } from '@kruise/api';
import type { Pod, PodSpec, PodTemplateSpec } from '@kruise/objects';
import { nodeOf } from '@kruise/pods';
import { generationOf, ownerReferenceTo, podMaker, type PodMakerOptions } from './new-pod.ts';
import { aDaemonSet, type SetShape } from '../testing.ts';

const makerOf = (set: DaemonSet, more: Partial<PodMakerOptions> = {}): ((node: string) => Pod) =>
  podMaker(set, { hash: 'abc', placedByScheduler: true, takenNames: new Set(), predecessorsOn: () => '', ...more });
const podOf = (set: DaemonSet, more: Partial<PodMakerOptions> = {}): Pod => makerOf(set, more)('n1');

const withTemplate = (template: PodTemplateSpec, shape: SetShape = {}): DaemonSet =>
  aDaemonSet({ ...shape, spec: { ...shape.spec, template } });
const withSpec = (spec: Partial<PodSpec>, shape: SetShape = {}): DaemonSet => {
  const { template } = aDaemonSet().spec;
  return withTemplate({ ...template, spec: { containers: [], ...template.spec, ...spec } }, shape);
};
const term = (node: string) => ({ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] });
const generation = 'deprecated.daemonset.template.generation';

describe('a new Pod', () => {
  it('is the template with what makes it one of the DaemonSet', () => {
    const set = withTemplate({
      metadata: { labels: { app: 'agent' }, annotations: { team: 'shop' }, finalizers: ['example.com/x'] },
      spec: { containers: [{ name: 'main', image: 'app:1' }] },
    });
    expect(podOf(set)).toStrictEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: expect.stringMatching(/^agent-[a-z0-9]{5}$/),
        generateName: 'agent-',
        namespace: 'default',
        labels: { app: 'agent', 'controller-revision-hash': 'abc' },
        annotations: { team: 'shop' },
        finalizers: ['example.com/x'],
        ownerReferences: [
          {
            apiVersion: 'apps.kruise.io/v1beta1',
            kind: 'DaemonSet',
            name: 'agent',
            uid: 'set-uid',
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: {
        containers: [{ name: 'main', image: 'app:1' }],
        tolerations: expect.any(Array),
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term('n1')] } } },
      },
    });
  });

  it('has no annotations and finalizers where the template has none', () => {
    expect(Object.keys(podOf(aDaemonSet()).metadata)).toEqual(['name', 'generateName', 'namespace', 'labels', 'ownerReferences']);
    expect(podOf(withTemplate({ spec: { containers: [] } })).metadata.labels).toEqual({ 'controller-revision-hash': 'abc' });
  });

  it('has no containers where the template has none', () => {
    expect(podOf(withTemplate({})).spec.containers).toEqual([]);
  });

  it('carries the hash of the update revision, whatever the template says', () => {
    const set = withTemplate({ metadata: { labels: { 'controller-revision-hash': 'own' } }, spec: { containers: [] } });
    expect(podOf(set).metadata.labels).toEqual({ 'controller-revision-hash': 'abc' });
  });

  it('has its own tolerations and those of daemons, one more on the network of the host', () => {
    const keysOf = (spec: Partial<PodSpec>): readonly (string | undefined)[] =>
      (podOf(withSpec(spec)).spec.tolerations ?? []).map(({ key }) => key);
    expect(keysOf({ tolerations: [{ key: 'own', operator: 'Exists' }] })).toEqual([
      'own',
      ...['not-ready', 'unreachable', 'disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'].map(
        (condition) => `node.kubernetes.io/${condition}`,
      ),
    ]);
    expect(keysOf({ hostNetwork: true }).at(-1)).toBe('node.kubernetes.io/network-unavailable');
  });

  it('is for its node by required affinity, which replaces that of the template; all other wishes stay', () => {
    const preferred = [{ weight: 1, preference: {} }];
    const wishes = {
      nodeSelector: { zone: 'a' },
      affinity: {
        podAffinity: {},
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: preferred,
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'Exists' }] }],
          },
        },
      },
    };
    const { spec } = podOf(withSpec(wishes));
    expect([spec.nodeSelector, spec.affinity, spec.nodeName, spec.schedulerName]).toEqual([
      { zone: 'a' },
      {
        podAffinity: {},
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: preferred,
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term('n1')] },
        },
      },
      undefined,
      undefined,
    ]);
  });

  it('is bound from the start without the scheduler, and names another scheduler', () => {
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term('x')] } } };
    const { spec } = podOf(withSpec({ affinity, schedulerName: 'own' }), { placedByScheduler: false });
    expect(spec).toMatchObject({ nodeName: 'n1', schedulerName: 'kubernetes.io/daemonset-controller', affinity });
    expect(spec.tolerations).toHaveLength(6);
  });
});

describe('the readiness gate of updates in place', () => {
  const inPlace: SetShape = { rollingUpdate: { rollingUpdateType: 'InPlaceIfPossible' } };
  const leftOver = { updateStrategy: { type: 'OnDelete', ...inPlace } } as Partial<DaemonSet['spec']>;
  const gate = { conditionType: 'InPlaceUpdateReady' };
  const own = { conditionType: 'example.com/own' };
  it.each<[name: string, set: DaemonSet, expected: PodSpec['readinessGates']]>([
    ['is added for InPlaceIfPossible', aDaemonSet(inPlace), [gate]],
    ['comes after those of the template', withSpec({ readinessGates: [own] }, inPlace), [own, gate]],
    ['is not added twice', withSpec({ readinessGates: [gate, own] }, inPlace), [gate, own]],
    ['is not added for Standard', aDaemonSet(), undefined],
    ['is not added for OnDelete, whatever is left over of a rolling update', aDaemonSet({ spec: leftOver }), undefined],
    ['stays where the template has it', withSpec({ readinessGates: [gate] }), [gate]],
  ])('%s', (_name, set, expected) => {
    expect(podOf(set).spec.readinessGates).toEqual(expected);
  });
});

describe('the generation of the template', () => {
  it.each<[text: string | undefined, expected: string | undefined]>([
    ['4', '4'],
    ['+4', '4'],
    ['-4', '-4'],
    ['007', '7'],
    ['9223372036854775807', '9223372036854775807'],
    ['9223372036854775808', undefined],
    ['-9223372036854775808', '-9223372036854775808'],
    ['-9223372036854775809', undefined],
    ['four', undefined],
    ['4x', undefined],
    ['x4', undefined],
    ['4.0', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%p is %p', (text, expected) => {
    const set = aDaemonSet(text === undefined ? {} : { annotations: { [generation]: text } });
    expect([generationOf(set), podOf(set).metadata.labels?.['pod-template-generation']]).toEqual([expected, expected]);
  });

  it('is that of this annotation alone', () => {
    expect(generationOf(aDaemonSet({ annotations: { other: '4' } }))).toBeUndefined();
  });
});

describe('the name of a new Pod', () => {
  const namesOf = (make: (node: string) => Pod, ...nodes: readonly string[]): readonly string[] =>
    nodes.map((node) => make(node).metadata.name);
  const [n1 = '', n2 = ''] = namesOf(makerOf(aDaemonSet()), 'n1', 'n2');

  it('is the same again for the same node and what was on it, and another for another node', () => {
    expect(namesOf(makerOf(aDaemonSet()), 'n1', 'n2')).toEqual([n1, n2]);
    expect(namesOf(makerOf(aDaemonSet()), 'n2', 'n1')).toEqual([n2, n1]);
    expect(n1).not.toBe(n2);
  });

  it('is another one after another Pod, of another DaemonSet, and where it is taken', () => {
    const other = { ...aDaemonSet(), metadata: { ...aDaemonSet().metadata, uid: 'other' } };
    const names = [
      n1,
      ...namesOf(makerOf(aDaemonSet(), { predecessorsOn: (node) => (node === 'n1' ? 'gone' : '') }), 'n1'),
      ...namesOf(makerOf(other), 'n1'),
      ...namesOf(makerOf(aDaemonSet(), { takenNames: new Set([n1]) }), 'n1'),
    ];
    expect(new Set(names).size).toBe(4);
  });

  it('is never given twice in a pass', () => {
    expect(new Set(namesOf(makerOf(aDaemonSet()), 'n1', 'n1', 'n1')).size).toBe(3);
  });

  it.each([
    [57, /^x{57}-[a-z0-9]{5}$/, 58],
    [63, /^x{58}[a-z0-9]{5}$/, 64],
    [252, /^x{58}[a-z0-9]{5}$/, 253],
    [253, /^x{58}[a-z0-9]{5}$/, 253],
  ])('of a DaemonSet whose own has %d characters is cut as the API server cuts generated ones', (length, ...[expected, prefix]) => {
    const long = { ...aDaemonSet(), metadata: { ...aDaemonSet().metadata, name: 'x'.repeat(length) } };
    const { name, generateName = '' } = podOf(long).metadata;
    expect([expected.test(name), generateName.length]).toEqual([true, prefix]);
  });
});

it('a Pod is found on its node before the scheduler has seen it', () => {
  expect([nodeOf(podOf(aDaemonSet())), nodeOf(podOf(aDaemonSet(), { placedByScheduler: false }))]).toEqual(['n1', 'n1']);
});

it('the owner of a Pod is the DaemonSet in the version that is stored', () => {
  expect(ownerReferenceTo(aDaemonSet())).toMatchObject({ apiVersion: 'apps.kruise.io/v1beta1', kind: 'DaemonSet', controller: true });
});
