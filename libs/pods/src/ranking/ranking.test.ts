import { describe, expect, it } from '@jest/globals';
import type { PriorityStrategy } from '@kruise/api';
import { type FieldError, type Pod, formatFieldError } from '@kruise/objects';
import fc from 'fast-check';
import { type PodGiven, aPod, condition } from '../testdata/build.ts';
import { deletionCostOf, nodeSpreadRanks, rankForDeletion, topologySpreadRanks } from './rank-for-deletion.ts';
import { type UpdateRanking, rankByPriority, rankForUpdate } from './rank-for-update.ts';
import { scatterPods } from './scatter.ts';
import { validatePriorityStrategy, validateScatterStrategy } from './update-strategy.ts';

const ready = (since = '2026-01-01T00:00:00Z'): PodGiven => ({ conditions: [condition('Ready', 'True', { lastTransitionTime: since })] });
const unready: PodGiven = {};
const names = (pods: readonly Pod[]): string => pods.map(({ metadata }) => metadata.name).join(' ');
/** Returns Pods named a, b, c, ... */
const row = (...given: PodGiven[]): Pod[] => given.map((one, i) => aPod({ name: String.fromCharCode(97 + i), ...one }));
const restarts = (...counts: number[]): PodGiven => ({
  ...ready(),
  statuses: counts.map((restartCount, i) => ({ name: `c${String(i)}`, restartCount })),
});
const bare = (name: string): Pod => ({ metadata: { name }, spec: { containers: [] } });
const sidecar = (count: number, restartPolicy = 'Always'): PodGiven => ({
  ...ready(),
  initContainers: [{ name: 's', restartPolicy }],
  initStatuses: [{ name: 's', restartCount: count }],
});
/** Two sidecars, and an init container that ends. */
const sidecars = (first: number, second: number, ending: number): PodGiven => ({
  ...ready(),
  initContainers: [{ name: 's', restartPolicy: 'Always' }, { name: 't', restartPolicy: 'Always' }, { name: 'i' }],
  initStatuses: [
    { name: 'i', restartCount: ending },
    { name: 's', restartCount: first },
    { name: 't', restartCount: second },
  ],
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
    ['by the container that was restarted most', row(restarts(2, 2), restarts(1, 3)), 'b a'],
    ['by the sidecar that was restarted most, and no other init container', row(sidecars(4, 4, 9), sidecars(1, 5, 0)), 'b a'],
    ['a Pod without a time of creation before all', [...row(ready()), { ...bare('b'), status: aPod(ready()).status ?? {} }], 'b a'],
    ['a Pod of which nothing is known before all', [...row({ nodeName: '', phase: 'Pending' }), bare('b')], 'b a'],
    ['a Pod with an empty node name as one without', [...row(ready()), { ...bare('b'), spec: { containers: [], nodeName: '' } }], 'b a'],
    ['a finished phase as Pending', row({ phase: 'Unknown' }, { phase: 'Failed' }), 'b a'],
  ])('%s', (_name, pods, expected) => {
    expect(rank(pods)).toBe(expected);
  });

  it('lets earlier criteria decide before later ones', () => {
    const newest = { created: '2026-01-03T00:00:00Z' };
    const recent = ready('2026-01-02T00:00:00Z');
    const pods = row(
      { ...ready(), ...newest },
      { ...sidecar(1) },
      { ...restarts(1), ...sidecar(0), statuses: [{ name: 'a', restartCount: 1 }] },
      recent,
      unready,
      { ...ready(), phase: 'Unknown' },
      { ...ready(), nodeName: '' },
    );
    expect(rank(pods)).toBe('g f e d c b a');
  });

  const labelled = (...labels: Record<string, string>[]) => row(...labels.map((held) => ({ ...ready(), labels: held })));
  const weight = (value: number, key: string) => ({ weight: value, matchSelector: { matchLabels: { [key]: '1' } } });

  it('sums the weights of matching terms, larger first', () => {
    const pods = labelled({ x: '1' }, { y: '1' }, {}, { x: '1', y: '1' });
    expect(rank(pods, { priority: { weightPriority: [weight(20, 'x'), weight(30, 'y')] } })).toBe('d b a c');
  });

  it('orders Pods without an ordered key first, then by key, then by the number at the end', () => {
    const pods = labelled({ k2: 'z-9' }, { k1: 'a-2' }, {}, { k1: 'b10' }, { k1: 'none' });
    expect(rank(pods, { priority: { orderPriority: [{ orderedKey: 'k1' }, { orderedKey: 'k2' }] } })).toBe('c d b e a');
  });

  it.each<[string, Record<string, string>[], string]>([
    ['a number beyond 64 bits is 0', [{ k: '9223372036854775808' }, { k: '1' }], 'b a'],
    ['the largest of 64 bits counts', [{ k: '1' }, { k: '9223372036854775807' }], 'b a'],
    ['only digits at the end count', [{ k: '9-a' }, { k: 'a-1' }], 'b a'],
    ['a text without digits is 0, as 0 is', [{ k: 'x' }, { k: 'x-0' }], 'a b'],
    ['an empty value is a label as well, with the number 0', [{ k: '' }, { k: '1' }, {}], 'c b a'],
  ])('in an ordered key, %s', (_name, labels, expected) => {
    expect(rank(labelled(...labels), { priority: { orderPriority: [{ orderedKey: 'k' }] } })).toBe(expected);
  });

  it('treats Pods without labels as Pods without the key, and without weight', () => {
    const pods = [
      ...labelled({ k: '1' }),
      { ...bare('b'), ...labelled({})[0], metadata: { name: 'b', creationTimestamp: '2026-01-01T00:00:00Z' } },
    ];
    expect(rank(pods, { priority: { orderPriority: [{ orderedKey: 'k' }] } })).toBe('b a');
    expect(rank(pods, { priority: { weightPriority: [weight(1, 'k')] } })).toBe('a b');
  });

  it('keeps its order under a strategy without terms', () => {
    const pods = row(ready(), unready);
    expect(rank(pods, { priority: {} })).toBe('b a');
    expect(rank(pods, { scatter: [] })).toBe('b a');
  });

  it('scatters Pods that the priorities have ordered', () => {
    const pods = labelled({ m: '1' }, { m: '1', k: '1' }, { k: '1' }, {}, {});
    const ranking = { priority: { weightPriority: [weight(1, 'k')] }, scatter: [{ key: 'm', value: '1' }] };
    expect(rank(pods, ranking)).toBe('b c d e a');
  });

  it('orders Pods in PreparingUpdate before all if the kind requires it', () => {
    const pods = row(unready, { ...ready(), labels: { 'lifecycle.apps.kruise.io/state': 'PreparingUpdate' } });
    expect([rank(pods, { preparingFirst: true }), rank(pods)]).toEqual(['b a', 'a b']);
  });
});

describe('rankByPriority', () => {
  const labelled = (...labels: Record<string, string>[]): Pod[] => row(...labels.map((one) => ({ labels: one })));
  const tiers = labelled({ tier: 'web' }, { tier: 'db', zone: 'a' }, {}, { tier: 'db' });
  const weights = (...terms: (readonly [number, Record<string, string>])[]): PriorityStrategy => ({
    weightPriority: terms.map(([weight, matchLabels]) => ({ weight, matchSelector: { matchLabels } })),
  });
  const keys = (...names: string[]): PriorityStrategy => ({ orderPriority: names.map((orderedKey) => ({ orderedKey })) });

  it.each<[string, Pod[], PriorityStrategy | undefined, string]>([
    ['without a strategy Pods stay as given, whatever they cost', [...row(ready()), aPod({ name: 'b', ...unready })], undefined, 'a b'],
    ['the heavier comes first', tiers, weights([1, { tier: 'web' }], [5, { tier: 'db' }]), 'b d a c'],
    [
      'weights of all selectors that match are added',
      tiers,
      weights([3, { tier: 'web' }], [2, { tier: 'db' }], [2, { zone: 'a' }]),
      'b a d c',
    ],
    ['those of equal weight stay as given', tiers, weights([1, { tier: 'none' }]), 'a b c d'],
    ['one without any of the keys comes first', tiers, keys('zone', 'tier'), 'c b a d'],
    ['the greater number at the end of a value comes first', labelled({ n: 'x-2' }, { n: 'x-10' }, { n: 'x' }), keys('n'), 'b a c'],
    ['weights count where both are given', tiers, { ...keys('tier'), ...weights([1, { tier: 'web' }]) }, 'a b c d'],
  ])('%s', (_name, pods, strategy, expected) => {
    expect(names(rankByPriority(pods, strategy))).toBe(expected);
  });
});

describe('scatterPods', () => {
  const marked = (count: number, total: number, key = 'm') =>
    row(...Array.from({ length: total }, (_, i) => ({ labels: i < count ? { [key]: '1' } : {} })));
  const term = { key: 'm', value: '1' };
  const places = (pods: readonly Pod[], key = 'm') => pods.flatMap(({ metadata }, i) => (metadata.labels?.[key] === '1' ? [i + 1] : []));

  it('moves 3 of 10 to the 1st, 6th and 10th place', () => {
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

  it('treats a missing label, and Pods without labels, as an empty value', () => {
    const pods = [...marked(7, 9), bare('j')];
    const unmarked = (list: readonly Pod[]) => list.flatMap(({ metadata }, i) => (metadata.labels?.['m'] === undefined ? [i + 1] : []));
    expect(unmarked(scatterPods(pods, pods, [{ key: 'm', value: '' }]))).toEqual([1, 6, 10]);
  });

  it.each<{ name: string; marked: number; of: number; then: number[] }>([
    { name: 'two of four', marked: 2, of: 4, then: [1, 4] },
    { name: 'half', marked: 5, of: 10, then: [1, 3, 5, 7, 10] },
    { name: 'more than half, in groups of several', marked: 7, of: 10, then: [1, 2, 4, 5, 7, 8, 10] },
    { name: 'groups of a half are rounded up', marked: 3, of: 8, then: [1, 5, 8] },
    { name: 'what the last group lacks is not compensated', marked: 4, of: 9, then: [1, 4, 7, 9] },
    { name: 'marked ones that remain after rounding down follow the groups', marked: 5, of: 8, then: [1, 3, 5, 7, 8] },
    { name: 'so do the others, before the last marked one', marked: 4, of: 8, then: [1, 3, 5, 8] },
    { name: 'the last group of marked ones may be smaller', marked: 6, of: 9, then: [1, 2, 4, 5, 7, 9] },
  ])('by groups of even size: $name', ({ marked: count, of, then }) => {
    const pods = marked(count, of);
    expect(places(scatterPods(pods, pods, [term]))).toEqual(then);
  });

  it.each<{ name: string; others: readonly [marked: number, unmarked: number]; then: number[] }>([
    { name: 'one group of two of 12 to 7', others: [10, 0], then: [7, 8, 10] },
    { name: 'the groups of the candidates when the workload is marked less densely', others: [0, 10], then: [1, 6, 10] },
    { name: 'the groups of the whole when it has slightly more marked ones', others: [1, 0], then: [4, 7, 10] },
  ])('orders surplus unmarked candidates first when the workload is marked more densely: $name', ({ others: [more, fewer], then }) => {
    const candidates = marked(3, 10);
    const all = [...candidates, ...marked(more, more + fewer)];
    expect(places(scatterPods(candidates, all, [term]))).toEqual(then);
  });

  it('forms no more groups than there are unmarked candidates for', () => {
    const candidates = marked(6, 14);
    const all = [...candidates, ...marked(3, 7)];
    expect(places(scatterPods(candidates, all, [term]))).toEqual([1, 4, 7, 10, 13, 14]);
  });

  it('treats a term without a value as one with an empty value', () => {
    const pods = marked(7, 10);
    expect(names(scatterPods(pods, pods, [{ key: 'm' } as never]))).toBe(names(scatterPods(pods, pods, [{ key: 'm', value: '' }])));
    expect(names(scatterPods(pods, pods, [{ key: 'm' } as never]))).not.toBe(names(pods));
  });

  it('keeps the order of the candidates within the marked and within the others', () => {
    const pods = marked(3, 10);
    expect(names(scatterPods(pods, pods, [term]))).toBe('a d e f g b h i j c');
  });

  it('applies the term with the most candidates first, and omits those without any', () => {
    const pods = row(
      { labels: { m: '1' } },
      { labels: { m: '1' } },
      { labels: { n: '1' } },
      { labels: { n: '1' } },
      { labels: { n: '1' } },
      {},
    );
    const n = { key: 'n', value: '1' };
    const turned = scatterPods(scatterPods(pods, pods, [n]), pods, [term]);
    expect(names(scatterPods(pods, pods, [{ key: 'none', value: '1' }, term, n]))).toBe(names(turned));
    expect(names(turned)).not.toBe(names(scatterPods(scatterPods(pods, pods, [term]), pods, [n])));
  });

  it('applies terms with equally many candidates in the given order', () => {
    const pods = row({ labels: { m: '1' } }, { labels: { m: '1' } }, { labels: { n: '1' } }, { labels: { n: '1' } }, {});
    const n = { key: 'n', value: '1' };
    const inTurn = (...terms: (typeof n)[]) => names(terms.reduce((now, one) => [...scatterPods(now, pods, [one])], pods));
    expect(names(scatterPods(pods, pods, [n, term]))).toBe(inTurn(n, term));
    expect(names(scatterPods(pods, pods, [term, n]))).toBe(inTurn(term, n));
    expect(inTurn(n, term)).not.toBe(inTurn(term, n));
  });

  it('keeps every Pod exactly once, whatever the terms', () => {
    const pod = fc.record({ labels: fc.record({ m: fc.constantFrom('1', '2'), n: fc.constantFrom('1', '2') }, { requiredKeys: [] }) });
    const terms = fc.array(fc.record({ key: fc.constantFrom('m', 'n'), value: fc.constantFrom('', '1', '2') }), { maxLength: 3 });
    fc.assert(
      fc.property(fc.array(pod, { maxLength: 20, size: 'max' }), terms, fc.nat(10), (given, strategy, done) => {
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
  const newer = { created: '2026-01-03T00:00:00Z' };
  const newest = { created: '2026-01-04T00:00:00Z' };
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
    ['the cheapest of three on a node first, the dearest as one alone', row(on('1'), on('2', newest), on('2', newer), on('2')), 'b c a d'],
  ])('%s', (_name, pods, expected) => {
    expect(rank(pods)).toBe(expected);
  });

  it('orders Pods that are not available before ready ones', () => {
    const pods = row(on('1', cost('-9')), on('2'));
    expect(names(rankForDeletion(pods, (pod) => pod !== pods[1], nodeSpreadRanks(pods)))).toBe('b a');
  });

  it.each([
    ['7', 7],
    ['-2147483648', -2147483648],
    ['-2147483649', 0],
    ['2147483647', 2147483647],
    ['2147483648', 0],
    ['0', 0],
    ['10', 10],
    ['7x', 0],
    ['x7', 0],
    ['-0', 0],
    ['+1', 0],
    ['007', 0],
    ['abc', 0],
    ['', 0],
  ])('reads deletion cost %j as %i', (text, expected) => {
    expect(deletionCostOf(aPod(cost(text)))).toBe(expected);
  });

  it('treats a Pod without annotations as cost 0', () => {
    expect(deletionCostOf(bare('a'))).toBe(0);
  });

  it('lets earlier criteria decide before later ones', () => {
    const pods = row(
      on('1', newest),
      on('2', { statuses: [{ name: 'a', restartCount: 1 }] }),
      on('3', ready('2026-01-02T00:00:00Z')),
      on('4', { annotations: {} }),
      on('4', cost('1')),
      on('5', cost('-1')),
      { ...unready, ...cost('9'), nodeName: '6' },
      on('7', { phase: 'Pending', ...cost('9') }),
      on('', cost('9')),
    );
    expect(rank(pods)).toBe('i h g f d c b a e');
  });

  it('orders ready Pods that are not available after those that are not ready', () => {
    const pods = row(on('1'), { ...unready, nodeName: '2' }, on('3'));
    expect(names(rankForDeletion(pods, (pod) => pod === pods[2], nodeSpreadRanks(pods)))).toBe('b a c');
  });

  const zones: Record<string, Record<string, string>> = { '1': { zone: 'x' }, '2': { zone: 'x' }, '3': { zone: 'y' }, '4': {} };
  const zoned = (pods: readonly Pod[], ...keys: string[]) => topologySpreadRanks(pods, keys, (node) => zones[node]);

  it('ranks the Pods of a node from their number less one down to 0, and no others', () => {
    const unplaced = { ...bare('g'), spec: { containers: [], nodeName: '' } };
    const pods = [...row(on('1'), on('2'), on('2', newest), on('2', newer), on(''), on('')), unplaced];
    const ranks = nodeSpreadRanks(pods);
    expect(pods.map((pod) => ranks.get(pod))).toEqual([0, 0, 2, 1, undefined, undefined, undefined]);
  });

  it('selects from the fullest node of a domain first, before newer ones', () => {
    const pods = row(on('1', newest), on('2'), on('2'));
    const ranks = zoned(pods, 'zone');
    expect(pods.map((pod) => ranks.get(pod))).toEqual([2, 3, 1].map((n) => n * Math.log(3)));
  });

  it('selects from the fullest domain first', () => {
    const pods = row(on('3'), on('1'), on('2'), on('1'));
    expect(names(rankForDeletion(pods, () => true, zoned(pods, 'zone')))).toBe('b c a d');
  });

  it('ranks by place in the domain times the logarithm of the domains, summed over constraints', () => {
    const pods = row(on('1'), on('2'), on('3'), on('4'), on('9'), on(''));
    const ranks = zoned(pods, 'zone', 'zone');
    expect(pods.map((pod) => ranks.get(pod) ?? 0)).toEqual([4, 2, 2, 0, 0, 0].map((n) => n * Math.log(4)));
  });

  it('returns the same first choice in whatever order Pods are listed', () => {
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
  const selector = { matchLabels: { a: 'b' } };
  const badWeight = 'p.weightPriority[0].weight: Required value: weight must be valid and in the range 1-100';
  const lines = (errors: readonly FieldError[]) => errors.map(formatFieldError);

  it.each<[string, Parameters<typeof validatePriorityStrategy>[0], string[]]>([
    ['nothing', undefined, []],
    ['no lists', {}, []],
    ['empty lists', { weightPriority: [], orderPriority: [] }, []],
    ['the smallest weight', { weightPriority: [{ weight: 0, matchSelector: selector }] }, []],
    ['the largest weight', { weightPriority: [{ weight: 100, matchSelector: selector }] }, []],
    ['a good order', { orderPriority: [{ orderedKey: 'k' }] }, []],
    ['a weight too large', { weightPriority: [{ weight: 101, matchSelector: selector }] }, [badWeight]],
    ['a weight too small', { weightPriority: [{ weight: -1, matchSelector: selector }] }, [badWeight]],
    ['a broken weight', { weightPriority: [{ weight: 1.5, matchSelector: selector }] }, [badWeight]],
    [
      'both lists',
      { weightPriority: [{ weight: 100, matchSelector: selector }], orderPriority: [{ orderedKey: 'k' }] },
      ['p: Required value: only one of weightPriority and orderPriority can be used'],
    ],
    [
      'a weight and a selector',
      { weightPriority: [{ weight: 101, matchSelector: {} }] },
      [badWeight, 'p.weightPriority[0].matchSelector: Required value: selector can not be empty'],
    ],
    [
      'no selector',
      { weightPriority: [{ weight: 1, matchSelector: selector }, { weight: 1 } as never] },
      ['p.weightPriority[1].matchSelector: Required value: selector can not be empty'],
    ],
    [
      'an illegal selector',
      { weightPriority: [{ weight: 1, matchSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } }] },
      [
        "p.weightPriority[0].matchSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      ],
    ],
    [
      'an empty and an absent key',
      { orderPriority: [{ orderedKey: 'k' }, { orderedKey: '' }, {} as never] },
      [
        'p.orderPriority[1].orderedKey: Required value: order key can not be empty',
        'p.orderPriority[2].orderedKey: Required value: order key can not be empty',
      ],
    ],
  ])('of priorities: %s', (_name, strategy, expected) => {
    expect(lines(validatePriorityStrategy(strategy, 'p'))).toEqual(expected);
  });

  it('of scattering names empty keys and repeated terms', () => {
    const terms = [
      { key: 'a', value: '1' },
      { key: '', value: '1' },
      { key: 'a', value: '2' },
      { key: 'a', value: '1' },
      { value: '1' } as never,
      { key: 'b' } as never,
      { key: 'b', value: '' },
    ];
    expect(lines(validateScatterStrategy(terms, 's'))).toEqual([
      's[1].key: Required value: key can not be empty',
      's[3]: Duplicate value: {"key":"a","value":"1"}',
      's[4].key: Required value: key can not be empty',
      's[6]: Duplicate value: {"key":"b","value":""}',
    ]);
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
      fc.property(fc.uniqueArray(given, { selector: (one) => one.created, maxLength: 12, size: 'max' }), (list) => {
        const pods = row(...list);
        expect(names(rankForUpdate(pods.toReversed(), pods, ranking))).toBe(names(rankForUpdate(pods, pods, ranking)));
      }),
    );
  });
});

describe('a list of very many terms', () => {
  const labelled = (...labels: Record<string, string>[]): Pod[] => row(...labels.map((each) => ({ labels: each })));
  const fill = Array.from({ length: 100 }, (_, at) => at);

  it('ranks by the first hundred: weights', () => {
    const weightPriority = [
      ...fill.map((at) => ({ weight: 1, matchSelector: { matchLabels: { none: `x${at}` } } })),
      { weight: 9, matchSelector: { matchLabels: { k: '2' } } },
    ];
    const pods = labelled({ k: '1' }, { k: '2' });
    expect(names(rankByPriority(pods, { weightPriority }))).toBe('a b');
    expect(names(rankByPriority(pods, { weightPriority: weightPriority.slice(1) }))).toBe('b a');
  });

  it('ranks by the first hundred: keys', () => {
    const orderPriority = [...fill.map((at) => ({ orderedKey: `none${at}` })), { orderedKey: 'k' }];
    const pods = labelled({ k: '1' }, { k: '2' });
    expect(names(rankByPriority(pods, { orderPriority }))).toBe('a b');
    expect(names(rankByPriority(pods, { orderPriority: orderPriority.slice(1) }))).toBe('b a');
  });

  it('scatters by the hundred with the most Pods', () => {
    const pods = labelled(...Array.from({ length: 300 }, (_, at) => ({ [`k${Math.floor(at / 2)}`]: 'v' })));
    const strategy = Array.from({ length: 150 }, (_, at) => ({ key: `k${at}`, value: 'v' }));
    const scattered = names(scatterPods(pods, pods, strategy));
    expect(scattered).toBe(names(scatterPods(pods, pods, strategy.slice(0, 100))));
    expect(scattered).not.toBe(names(scatterPods(pods, pods, strategy.slice(0, 99))));
    const last = { key: 'k149', value: 'v' };
    const unknown = fill.map((at) => ({ key: `none${at}`, value: 'x' }));
    expect(names(scatterPods(pods, pods, [...unknown, last]))).toBe(names(scatterPods(pods, pods, [last])));
  });
});
