import { describe, expect, it } from '@jest/globals';
import type { Pod } from '@kruise/objects';
import fc from 'fast-check';
import { type PodGiven, aPod, condition } from '../testdata/build.ts';
import { deletionCostOf, nodeSpreadRanks, rankForDeletion, topologySpreadRanks } from './rank-for-deletion.ts';
import { type UpdateRanking, rankForUpdate } from './rank-for-update.ts';
import { scatterPods } from './scatter.ts';
import { validatePriorityStrategy, validateScatterStrategy } from './update-strategy.ts';

const ready = (since = '2026-01-01T00:00:00Z'): PodGiven => ({ conditions: [condition('Ready', 'True', { lastTransitionTime: since })] });
const unready: PodGiven = {};
const names = (pods: readonly Pod[]): string => pods.map(({ metadata }) => metadata.name).join(' ');
/** Pods named a, b, c, ... */
const row = (...given: PodGiven[]): Pod[] => given.map((one, i) => aPod({ name: String.fromCharCode(97 + i), ...one }));
const restarts = (count: number): PodGiven => ({ ...ready(), statuses: [{ name: 'a', restartCount: count }] });
const sidecar = (count: number, restartPolicy = 'Always'): PodGiven => ({
  ...ready(),
  initContainers: [{ name: 's', restartPolicy }],
  initStatuses: [{ name: 's', restartCount: count }],
});

describe('rankForUpdate', () => {
  const rank = (pods: readonly Pod[], more: Partial<UpdateRanking> = {}) =>
    names(rankForUpdate(pods, pods, { preparingFirst: false, ...more }));

  it.each<[string, Pod[], string]>([
    ['unassigned before assigned', row(ready(), { ...ready(), nodeName: '' }), 'b a'],
    ['Pending before Unknown before Running', row({ phase: 'Running' }, { phase: 'Unknown' }, { phase: 'Pending' }), 'c b a'],
    ['not ready before ready', row(ready(), unready), 'b a'],
    [
      'ready more recently first, without a time before all',
      row(ready('2026-01-01T00:00:00Z'), ready('2026-01-02T00:00:00Z'), { conditions: [{ type: 'Ready', status: 'True' }] }),
      'c b a',
    ],
    ['more restarts first', row(restarts(1), restarts(2)), 'b a'],
    ['then more restarts of sidecars', row(sidecar(1), sidecar(2)), 'b a'],
    ['but not of other init containers', row(sidecar(1, 'Never'), sidecar(2, 'Never')), 'a b'],
    ['newer first', row({ created: '2026-01-01T00:00:00Z' }, { created: '2026-01-02T00:00:00Z' }), 'b a'],
    ['equal ones as given', row(ready(), ready(), ready()), 'a b c'],
  ])('%s', (_name, pods, expected) => {
    expect(rank(pods)).toBe(expected);
  });

  const labelled = (...labels: Record<string, string>[]) => row(...labels.map((held) => ({ ...ready(), labels: held })));
  const weight = (value: number, key: string) => ({ weight: value, matchSelector: { matchLabels: { [key]: '1' } } });

  it('sums the weights of what matches, larger first', () => {
    const pods = labelled({ x: '1' }, { y: '1' }, {}, { x: '1', y: '1' });
    expect(rank(pods, { priority: { weightPriority: [weight(20, 'x'), weight(30, 'y')] } })).toBe('d b a c');
  });

  it('takes Pods without an ordered key first, then by key, then by the number at the end', () => {
    const pods = labelled({ k2: 'z-9' }, { k1: 'a-2' }, {}, { k1: 'b10' }, { k1: 'none' });
    expect(rank(pods, { priority: { orderPriority: [{ orderedKey: 'k1' }, { orderedKey: 'k2' }] } })).toBe('c d b e a');
  });

  it('reads a number beyond 64 bits as 0', () => {
    expect(rank(labelled({ k: '99999999999999999999' }, { k: '1' }), { priority: { orderPriority: [{ orderedKey: 'k' }] } })).toBe('b a');
  });

  it('takes Pods in PreparingUpdate before all if the kind wants it', () => {
    const pods = row(unready, { ...ready(), labels: { 'lifecycle.apps.kruise.io/state': 'PreparingUpdate' } });
    expect([rank(pods, { preparingFirst: true }), rank(pods)]).toEqual(['b a', 'a b']);
  });
});

describe('scatterPods', () => {
  const marked = (count: number, total: number, key = 'm') =>
    row(...Array.from({ length: total }, (_, i) => ({ labels: i < count ? { [key]: '1' } : {} })));
  const term = { key: 'm', value: '1' };
  const places = (pods: readonly Pod[], key = 'm') => pods.flatMap(({ metadata }, i) => (metadata.labels?.[key] === '1' ? [i + 1] : []));

  it('brings 3 of 10 to the 1st, 6th and 10th place', () => {
    const pods = marked(3, 10);
    expect(places(scatterPods(pods, pods, [term]))).toEqual([1, 6, 10]);
  });

  it.each([
    [1, 10],
    [9, 10],
    [0, 3],
  ])('changes nothing when %i of %i are marked', (count, total) => {
    const pods = marked(count, total);
    expect(scatterPods(pods, pods, [term])).toEqual(pods);
  });

  it('takes a missing label for an empty value', () => {
    const pods = marked(7, 10);
    expect(places(scatterPods(pods, pods, [{ key: 'm', value: '' }]))).not.toEqual(places(pods));
  });

  it('lets surplus unmarked candidates go first when the workload is marked more densely', () => {
    const candidates = marked(3, 10);
    const all = [...candidates, ...row(...Array.from({ length: 10 }, () => ({ labels: { m: '1' } })))];
    const first = places(scatterPods(candidates, all, [term]))[0] ?? 0;
    expect(first).toBeGreaterThan(1);
  });

  it('keeps every Pod exactly once, whatever the terms', () => {
    const pod = fc.record({ labels: fc.record({ m: fc.constantFrom('1', '2'), n: fc.constantFrom('1', '2') }, { requiredKeys: [] }) });
    const terms = fc.array(fc.record({ key: fc.constantFrom('m', 'n'), value: fc.constantFrom('', '1', '2') }), { maxLength: 3 });
    fc.assert(
      fc.property(fc.array(pod, { maxLength: 20 }), terms, fc.nat(10), (given, strategy, done) => {
        const all = row(...given);
        const candidates = all.slice(done);
        const scattered = scatterPods(candidates, all, strategy);
        expect(new Set(scattered)).toEqual(new Set(candidates));
        expect(scattered).toHaveLength(candidates.length);
      }),
    );
  });
});

describe('rankForDeletion', () => {
  const rank = (pods: readonly Pod[], available = () => true) => names(rankForDeletion(pods, available, nodeSpreadRanks(pods)));
  const on = (nodeName: string, more: PodGiven = {}): PodGiven => ({ ...ready(), nodeName, ...more });
  const cost = (value: string): PodGiven => ({ annotations: { 'controller.kubernetes.io/pod-deletion-cost': value } });

  it.each<[string, Pod[], string]>([
    ['unassigned first', row(on('1'), on('')), 'b a'],
    ['Pending first', row(on('1'), on('2', { phase: 'Pending' })), 'b a'],
    ['not ready first, whatever it costs', row(on('1', cost('-5')), { ...unready, nodeName: '2' }), 'b a'],
    ['cheaper first', row(on('1'), on('2', cost('-5')), on('3', cost('5'))), 'b a c'],
    ['one of two on a node before one alone', row(on('1'), on('2'), on('2')), 'b a c'],
    ['ready more recently first', row(on('1'), { ...on('2'), ...ready('2026-01-02T00:00:00Z') }), 'b a'],
    ['more restarts first', row({ ...restarts(1), nodeName: '1' }, { ...restarts(2), nodeName: '2' }), 'b a'],
    ['newer first', row(on('1'), on('2', { created: '2026-01-03T00:00:00Z' })), 'b a'],
  ])('%s', (_name, pods, expected) => {
    expect(rank(pods)).toBe(expected);
  });

  it('takes Pods that are not available before ready ones', () => {
    const pods = row(on('1', cost('-9')), on('2'));
    expect(names(rankForDeletion(pods, (pod) => pod !== pods[1], nodeSpreadRanks(pods)))).toBe('b a');
  });

  it.each([
    ['7', 7],
    ['-2147483648', -2147483648],
    ['2147483648', 0],
    ['+1', 0],
    ['007', 0],
    ['abc', 0],
    ['', 0],
  ])('reads deletion cost %j as %i', (text, expected) => {
    expect(deletionCostOf(aPod(cost(text)))).toBe(expected);
  });

  const zones: Record<string, Record<string, string>> = { '1': { zone: 'x' }, '2': { zone: 'x' }, '3': { zone: 'y' }, '4': {} };
  const zoned = (pods: readonly Pod[], ...keys: string[]) => topologySpreadRanks(pods, keys, (node) => zones[node]);

  it('takes from the fullest domain first', () => {
    const pods = row(on('3'), on('1'), on('2'), on('1'));
    expect(names(rankForDeletion(pods, () => true, zoned(pods, 'zone')))).toBe('b c a d');
  });

  it('ranks by place in the domain times the logarithm of the domains, summed over constraints', () => {
    const pods = row(on('1'), on('2'), on('3'), on('4'), on('9'), on(''));
    const ranks = zoned(pods, 'zone', 'zone');
    expect(pods.map((pod) => ranks.get(pod) ?? 0)).toEqual([4, 2, 2, 0, 0, 0].map((n) => n * Math.log(4)));
  });

  it('gives the same first choice in whatever order Pods are listed', () => {
    const given = fc.record({
      nodeName: fc.constantFrom('', '1', '2'),
      created: fc.integer({ min: 1, max: 28 }).map((day) => `2026-01-${String(day).padStart(2, '0')}T00:00:00Z`),
    });
    fc.assert(
      fc.property(fc.uniqueArray(given, { selector: (one) => one.created, minLength: 1, maxLength: 8 }), (list) => {
        const pods = row(...list.map((one) => ({ ...one, ...ready() })));
        expect(rank(pods.toReversed())).toBe(rank(pods));
      }),
    );
  });
});

describe('validation', () => {
  const fields = (errors: readonly { field: string; type: string }[]) => errors.map(({ field, type }) => `${field} ${type}`);

  it.each<[string, Parameters<typeof validatePriorityStrategy>[0], string[]]>([
    ['nothing', undefined, []],
    ['good weights', { weightPriority: [{ weight: 0, matchSelector: { matchLabels: { a: 'b' } } }] }, []],
    [
      'both lists',
      { weightPriority: [{ weight: 100, matchSelector: { matchLabels: { a: 'b' } } }], orderPriority: [{ orderedKey: 'k' }] },
      ['p FieldValueRequired'],
    ],
    [
      'a weight and a selector',
      { weightPriority: [{ weight: 101, matchSelector: {} }] },
      ['p.weightPriority[0].weight FieldValueRequired', 'p.weightPriority[0].matchSelector FieldValueRequired'],
    ],
    [
      'an illegal selector',
      { weightPriority: [{ weight: 1, matchSelector: { matchLabels: { 'a b': 'c' } } }] },
      ['p.weightPriority[0].matchSelector.matchLabels FieldValueInvalid'],
    ],
    ['an empty key', { orderPriority: [{ orderedKey: 'k' }, { orderedKey: '' }] }, ['p.orderPriority[1].orderedKey FieldValueRequired']],
  ])('of priorities: %s', (_name, strategy, expected) => {
    expect(fields(validatePriorityStrategy(strategy, 'p'))).toEqual(expected);
  });

  it('of scattering names empty keys and repeated terms', () => {
    const terms = [
      { key: 'a', value: '1' },
      { key: '', value: '1' },
      { key: 'a', value: '2' },
      { key: 'a', value: '1' },
    ];
    expect(fields(validateScatterStrategy(terms, 's'))).toEqual(['s[1].key FieldValueRequired', 's[3] FieldValueDuplicate']);
    expect(validateScatterStrategy(undefined, 's')).toEqual([]);
  });
});

describe('rankForUpdate over any list', () => {
  const given = fc.record({
    nodeName: fc.constantFrom('', '1'),
    phase: fc.constantFrom('Pending', 'Running'),
    labels: fc.record({ k: fc.constantFrom('1', '2', 'x') }, { requiredKeys: [] }),
    created: fc.integer({ min: 1, max: 28 }).map((day) => `2026-01-${String(day).padStart(2, '0')}T00:00:00Z`),
  });

  it('does not depend on the order in which Pods are listed', () => {
    const ranking: UpdateRanking = {
      preparingFirst: true,
      priority: { orderPriority: [{ orderedKey: 'k' }] },
      scatter: [{ key: 'k', value: '1' }],
    };
    fc.assert(
      fc.property(fc.uniqueArray(given, { selector: (one) => one.created, maxLength: 12 }), (list) => {
        const pods = row(...list);
        expect(names(rankForUpdate(pods.toReversed(), pods, ranking))).toBe(names(rankForUpdate(pods, pods, ranking)));
      }),
    );
  });
});
