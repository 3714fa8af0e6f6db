import { describe, expect, it } from '@jest/globals';
import type { Node, Pod, PodSpec } from '@kruise/objects';
import fc from 'fast-check';
import { daemonFit, isFitFor, jobFit } from './node-fit.ts';

const room = { pods: '110', cpu: '4', memory: '8Gi', 'ephemeral-storage': '10Gi', 'example.com/gpu': '1' };
const node = (over: { labels?: Record<string, string>; spec?: object; allocatable?: object } = {}): Node =>
  ({
    metadata: { name: 'n1', labels: { zone: 'a', cores: '16', ...over.labels } },
    spec: over.spec ?? {},
    status: { allocatable: over.allocatable ?? room },
  }) as Node;
const spec = (over: object = {}): PodSpec => ({ containers: [{ name: 'main', image: 'app:1' }], ...over });
const affinity = (...terms: readonly object[]): object => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
});
const labelled = (key: string, operator: string, ...values: readonly string[]) => ({ matchExpressions: [{ key, operator, values }] });
const named = (operator: string, ...values: readonly string[]) => ({ matchFields: [{ key: 'metadata.name', operator, values }] });
const tainted = (effect: string, key = 'team', value = 'blue'): Node => node({ spec: { taints: [{ key, value, effect }] } });

/** What both kinds require of a node. */
describe.each([
  ['a daemon', (pod: PodSpec, on: Node) => daemonFit(pod)(on).shouldRun],
  ['a job', (pod: PodSpec, on: Node) => jobFit(pod)(on)],
])('%s runs on nodes', (_name, fits) => {
  it.each<[string, object, boolean]>([
    ['without a wish', {}, true],
    ['with all pairs of nodeSelector', { nodeSelector: { zone: 'a', cores: '16' } }, true],
    ['with another value', { nodeSelector: { zone: 'b' } }, false],
    ['with a label that is missing', { nodeSelector: { disk: '' } }, false],
    ['In', affinity(labelled('zone', 'In', 'b', 'a')), true],
    ['NotIn', affinity(labelled('zone', 'NotIn', 'a')), false],
    ['NotIn of a label that is missing', affinity(labelled('disk', 'NotIn', 'a')), true],
    ['Exists', affinity(labelled('zone', 'Exists')), true],
    ['DoesNotExist', affinity(labelled('zone', 'DoesNotExist')), false],
    ['DoesNotExist of a label that is missing', affinity(labelled('disk', 'DoesNotExist')), true],
    ['Gt', affinity(labelled('cores', 'Gt', '8')), true],
    ['Gt of the same', affinity(labelled('cores', 'Gt', '16')), false],
    ['Lt', affinity(labelled('cores', 'Lt', '32')), true],
    ['Lt of less', affinity(labelled('cores', 'Lt', '8')), false],
    ['Lt of a label that is no number', affinity(labelled('zone', 'Lt', '32')), false],
    ['the name', affinity(named('In', 'n1')), true],
    ['another name', affinity(named('In', 'n2')), false],
    ['any but another name', affinity(named('NotIn', 'n2')), true],
    ['one of the terms', affinity(labelled('zone', 'In', 'b'), labelled('cores', 'Exists')), true],
    ['all of a term', affinity({ ...labelled('zone', 'In', 'a'), ...named('In', 'n2') }), false],
    ['no term', affinity(), false],
    ['an empty term', affinity({}), false],
    ['an empty term beside one that matches', affinity({}, labelled('zone', 'Exists')), true],
    ['both nodeSelector and affinity', { nodeSelector: { zone: 'b' }, ...affinity(labelled('zone', 'Exists')) }, false],
    ['In without values', affinity(labelled('zone', 'In')), false],
    ['NotIn without values', affinity(labelled('zone', 'NotIn')), false],
    ['NotIn of what no label can be', affinity(labelled('zone', 'NotIn', 'a b')), false],
    ['Exists with values', affinity(labelled('zone', 'Exists', 'a')), false],
    ['Gt of two numbers', affinity(labelled('cores', 'Gt', '8', '9')), false],
    ['Lt of a number with something behind it', affinity(labelled('cores', 'Lt', '32x')), false],
    ['Lt of a number with something before it', affinity(labelled('cores', 'Lt', 'x32')), false],
    ['Gt of no number', affinity(labelled('cores', 'Gt', 'many')), false],
    ['Gt past 64 bits', affinity(labelled('cores', 'Lt', '9223372036854775808')), false],
    ['an operator that nobody knows', affinity(labelled('zone', 'Like', 'a')), false],
    ['an operator that nobody knows, without values', affinity(labelled('zone', 'Like')), false],
    ['a key that is none', affinity(labelled('a b', 'DoesNotExist')), false],
    ['two names', affinity(named('In', 'n1', 'n2')), false],
    ['a field by Exists', affinity(named('Exists', 'n2')), false],
    ['a field that nodes have not', affinity({ matchFields: [{ key: 'metadata.uid', operator: 'In', values: ['n1'] }] }), false],
    ['any but one of such a field', affinity({ matchFields: [{ key: 'metadata.uid', operator: 'NotIn', values: ['n1'] }] }), true],
  ])('%s', (_what, wish, expected) => {
    expect(fits(spec(wish), node())).toBe(expected);
  });

  it.each<[string, object]>([
    ['members', { nodeName: null, nodeSelector: null, affinity: null, tolerations: null, initContainers: null, overhead: null }],
    ['node affinity', { affinity: { nodeAffinity: null } }],
    ['required node affinity', { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: null } } }],
    ['values', affinity({ matchExpressions: [{ key: 'zone', operator: 'Exists', values: null }] })],
    ['fields of a term', affinity({ ...labelled('zone', 'Exists'), matchFields: null })],
    ['expressions of a term', affinity({ ...named('In', 'n1'), matchExpressions: null })],
  ])('with null for %s, as charts write it for empty values', (_what, wish) => {
    expect(fits(spec(wish), node())).toBe(true);
  });

  it('not with null for the values of a field', () => {
    expect(fits(spec(affinity({ matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: null }] })), node())).toBe(false);
  });

  it.each<[string, object[] | undefined, boolean]>([
    ['nothing', undefined, false],
    ['the same', [{ key: 'team', value: 'blue', effect: 'NoSchedule' }], true],
    ['any effect', [{ key: 'team', operator: 'Equal', value: 'blue' }], true],
    ['any value', [{ key: 'team', operator: 'Exists' }], true],
    ['anything', [{ operator: 'Exists' }], true],
    ['any key of the value', [{ value: 'blue' }], true],
    ['another value', [{ key: 'team', value: 'red' }], false],
    ['another effect', [{ key: 'team', operator: 'Exists', effect: 'NoExecute' }], false],
    ['another key', [{ key: 'teams', operator: 'Exists' }], false],
    ['by an operator that nobody knows', [{ key: 'team', operator: 'Like', value: 'blue' }], false],
  ])('with a taint, tolerating %s', (_what, tolerations, expected) => {
    expect(fits(spec(tolerations === undefined ? {} : { tolerations }), tainted('NoSchedule'))).toBe(expected);
  });

  it('with a taint that only affects others', () => {
    expect(fits(spec(), tainted('PreferNoSchedule'))).toBe(true);
  });
});

describe('a daemon', () => {
  it.each<[string, object, Node, { shouldRun: boolean; shouldContinueRunning: boolean }]>([
    ['stays on a node that takes no more Pods', {}, tainted('NoSchedule'), { shouldRun: false, shouldContinueRunning: true }],
    ['leaves a node that wants nobody', {}, tainted('NoExecute'), { shouldRun: false, shouldContinueRunning: false }],
    [
      'leaves a node that wants nobody and takes no more Pods',
      {},
      node({ spec: { taints: ['NoSchedule', 'NoExecute'].map((effect) => ({ key: 'team', value: 'blue', effect })) } }),
      { shouldRun: false, shouldContinueRunning: false },
    ],
    ['leaves a node that it does not ask for', { nodeSelector: { zone: 'b' } }, node(), { shouldRun: false, shouldContinueRunning: false }],
    ['is for the node of its template', { nodeName: 'n1' }, node(), { shouldRun: true, shouldContinueRunning: true }],
    ['is for no other', { nodeName: 'n2' }, node(), { shouldRun: false, shouldContinueRunning: false }],
  ])('%s', (_name, over, on, expected) => {
    expect(daemonFit(spec(over))(on)).toEqual(expected);
  });

  it.each([
    ['not-ready', 'NoExecute', true],
    ['unreachable', 'NoExecute', true],
    ['disk-pressure', 'NoSchedule', true],
    ['memory-pressure', 'NoSchedule', true],
    ['pid-pressure', 'NoSchedule', true],
    ['unschedulable', 'NoSchedule', true],
    ['network-unavailable', 'NoSchedule', false],
    ['not-ready', 'NoSchedule', false],
  ])('tolerates %s:%s is %p', (condition, effect, expected) => {
    const on = tainted(effect, `node.kubernetes.io/${condition}`, '');
    expect(daemonFit(spec())(on).shouldRun).toBe(expected);
    if (condition === 'network-unavailable') expect(daemonFit(spec({ hostNetwork: true }))(on).shouldRun).toBe(true);
  });

  it('requires no resources, nor that the node is schedulable', () => {
    const huge = spec({ containers: [{ name: 'main', resources: { requests: { cpu: '100' } } }] });
    expect(daemonFit(huge)(node({ spec: { unschedulable: true }, allocatable: {} })).shouldRun).toBe(true);
  });
});

describe('a job', () => {
  it('runs on an unschedulable node only when it tolerates that', () => {
    const closed = node({ spec: { unschedulable: true } });
    expect(jobFit(spec())(closed)).toBe(false);
    expect(jobFit(spec({ tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }] }))(closed)).toBe(true);
  });

  it('ignores the node of its template, but not that of an existing Pod', () => {
    const elsewhere = spec({ nodeName: 'n2' });
    expect(jobFit(elsewhere)(node())).toBe(true);
    expect(isFitFor({ spec: elsewhere }, node())).toBe(false);
    expect(isFitFor({ spec: { ...elsewhere, nodeName: 'n1' } }, node())).toBe(true);
    expect(isFitFor({ spec: { ...elsewhere, nodeName: '' } }, node())).toBe(true);
  });

  const asks = (requests: object, limits: object = {}) => ({ name: 'c', resources: { requests, limits } });
  it.each<[string, object, boolean]>([
    ['all there is', { containers: [asks({ cpu: '4', memory: '8Gi' })] }, true],
    ['more than there is', { containers: [asks({ cpu: '4001m' })] }, false],
    ['more in all', { containers: [asks({ cpu: '3' }), asks({ cpu: '1.5' })] }, false],
    ['a resource that the node has', { containers: [asks({ 'example.com/gpu': '1' })] }, true],
    ['one that it has not', { containers: [asks({ 'example.com/fpga': '1' })] }, false],
    ['none of what it has not', { containers: [asks({ 'example.com/fpga': '0' })] }, true],
    ['more by its limit, which is its request', { containers: [asks({}, { cpu: '5' })] }, false],
    ['less than its limit', { containers: [asks({ cpu: '1' }, { cpu: '5' })] }, true],
    ['more to start', { containers: [asks({ cpu: '1' })], initContainers: [asks({ cpu: '5' })] }, false],
    ['as much to start as to run', { containers: [asks({ cpu: '4' })], initContainers: [asks({ cpu: '4' })] }, true],
    [
      'more with its sidecar',
      { containers: [asks({ cpu: '3' })], initContainers: [{ ...asks({ cpu: '2' }), restartPolicy: 'Always' }] },
      false,
    ],
    [
      'more to start beside a sidecar that stands before',
      { containers: [asks({})], initContainers: [{ ...asks({ cpu: '2' }), restartPolicy: 'Always' }, asks({ cpu: '3' })] },
      false,
    ],
    [
      'as much to start before its sidecar',
      { containers: [asks({})], initContainers: [asks({ cpu: '3' }), { ...asks({ cpu: '2' }), restartPolicy: 'Always' }] },
      true,
    ],
    ['more with its overhead', { containers: [asks({ memory: '8Gi' })], overhead: { memory: '1' } }, false],
    ['what is no quantity', { containers: [asks({ cpu: 'much' })] }, true],
  ])('that requests %s', (_what, over, expected) => {
    expect(jobFit(over as PodSpec)(node())).toBe(expected);
  });

  it.each([
    [{}, false],
    [{ pods: '0' }, false],
    [{ pods: '1' }, true],
  ])('needs room on the node: %j', (allocatable, expected) => {
    expect(jobFit(spec())(node({ allocatable }))).toBe(expected);
  });

  it('that was created for a node as a Pod fits it just as its template does', () => {
    const amount = fc.constantFrom('0', '1', '2', '3', '4', '5');
    const shape = fc.record({ request: amount, limit: amount, first: amount, sidecar: amount });
    fc.assert(
      fc.property(shape, ({ request, limit, first, sidecar }) => {
        const template = {
          containers: [asks({ cpu: request }), asks({}, { cpu: limit })],
          initContainers: [asks({ cpu: first }), { ...asks({ cpu: sidecar }), restartPolicy: 'Always' }],
        } as unknown as PodSpec;
        // As the API server completes it.
        const pod = { spec: { ...template, nodeName: 'n1', containers: [asks({ cpu: request }), asks({ cpu: limit })] } } as unknown as Pod;
        expect(isFitFor(pod, node())).toBe(jobFit(template)(node()));
      }),
    );
  });
});

describe('the cost of a node', () => {
  /** Counts how often a member is read. */
  function counting<T extends object>(object: T, member: keyof T & string): { readonly object: T; readonly reads: () => number } {
    let reads = 0;
    const value = object[member];
    const counted = Object.defineProperty({ ...object }, member, { enumerable: true, get: () => (reads++, value) });
    return { object: counted, reads: () => reads };
  }
  const many = <T>(make: (at: number) => T): readonly T[] => Array.from({ length: 5000 }, (_, at) => make(at));

  it('is the same however many terms name one node each', () => {
    const fits = jobFit(spec(affinity(...many((at) => named('In', `other-${at}`)), named('In', 'n1'))));
    const { object: metadata, reads } = counting(node().metadata, 'name');
    expect(fits({ ...node(), metadata })).toBe(true);
    expect(reads()).toBeLessThan(5);
  });

  it('is the same however many terms require one label each', () => {
    const others = many((at) => labelled('zone', 'In', `other-${at}`));
    const labels = new Proxy(
      { zone: 'a' },
      { ownKeys: (target) => (lists++, Reflect.ownKeys(target)), get: (target) => (reads++, target.zone) },
    );
    let [lists, reads] = [0, 0];
    expect(jobFit(spec(affinity(...others, labelled('zone', 'In', 'a'))))({ ...node(), metadata: { name: 'n1', labels } })).toBe(true);
    expect(lists + reads).toBeLessThan(10);
  });

  it('is the same however many tolerations there are', () => {
    const tolerations = many((at) => ({ key: 'team', operator: 'Equal', value: `v${at}`, effect: 'NoSchedule' }));
    const { object: taint, reads } = counting({ key: 'team', value: 'v4999', effect: 'NoSchedule' }, 'value');
    expect(jobFit(spec({ tolerations }))(node({ spec: { taints: [taint] } }))).toBe(true);
    expect(reads()).toBeLessThan(5);
  });
});
