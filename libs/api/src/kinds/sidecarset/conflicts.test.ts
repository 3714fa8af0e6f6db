import { describe, expect, it } from '@jest/globals';
import { formatFieldErrors, mostListedErrors, type LabelSelector, type LabelSelectorExpression } from '@kruise/objects';
import { Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { sidecarSetConflicts } from './conflicts.ts';
import type { SidecarSet } from './schema.ts';
import { mayOverlap, readSelector, type ReadSelector, type Selector } from './selector-overlap.ts';

const overlap = (a: Selector, b: Selector): boolean => mayOverlap(readSelector(a), readSelector(b));
const app = (value: string): LabelSelector => ({ matchLabels: { app: value } });
const expressions = (...list: readonly (readonly [key: string, operator: string, ...values: string[]])[]): LabelSelector => ({
  matchExpressions: list.map(([key, operator, ...values]) => ({ key, operator, ...(values.length === 0 ? {} : { values }) })),
});
const aSet = (name: string, spec: object = {}, annotations: Record<string, string> = {}): SidecarSet => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'SidecarSet',
  metadata: { name, annotations },
  spec: { selector: app('a'), containers: [{ name: 'c', image: 'c:1' }], ...spec },
});

describe('two selectors', () => {
  it.each<{ name: string; a: LabelSelector | undefined; b: LabelSelector | undefined; overlap: boolean }>([
    { name: 'one absent', a: undefined, b: app('a'), overlap: true },
    { name: 'equal labels', a: app('a'), b: app('a'), overlap: true },
    { name: 'other values', a: app('a'), b: app('b'), overlap: false },
    { name: 'other keys', a: app('a'), b: { matchLabels: { tier: 'x' } }, overlap: true },
    { name: 'In with the value', a: app('a'), b: expressions(['app', 'In', 'a', 'b']), overlap: true },
    { name: 'In without the value', a: app('a'), b: expressions(['app', 'In', 'b']), overlap: false },
    { name: 'several In, each of which must hold', a: expressions(['app', 'In', 'a'], ['app', 'In', 'b']), b: app('b'), overlap: false },
    { name: 'NotIn with all values', a: app('a'), b: expressions(['app', 'NotIn', 'a', 'b']), overlap: false },
    { name: 'NotIn with some values', a: expressions(['app', 'In', 'a', 'c']), b: expressions(['app', 'NotIn', 'a']), overlap: true },
    { name: 'Exists of a known key', a: app('a'), b: expressions(['app', 'Exists']), overlap: true },
    { name: 'Exists of an unknown key', a: app('a'), b: expressions(['tier', 'Exists']), overlap: false },
    { name: 'DoesNotExist of a known key', a: app('a'), b: expressions(['app', 'DoesNotExist']), overlap: false },
    { name: 'DoesNotExist of an unknown key', a: app('a'), b: expressions(['tier', 'DoesNotExist']), overlap: true },
    { name: 'null', a: null as unknown as undefined, b: app('a'), overlap: true },
    { name: 'one of two values and the other', a: expressions(['app', 'In', 'a', 'b']), b: app('b'), overlap: true },
    {
      name: 'one of two values and a third',
      a: expressions(['app', 'In', 'a', 'b']),
      b: expressions(['app', 'In', 'c', 'd']),
      overlap: false,
    },
    { name: 'In that shares a value', a: expressions(['app', 'In', 'a', 'b']), b: expressions(['app', 'In', 'b', 'c']), overlap: true },
    { name: 'any value and In', a: expressions(['app', 'Exists']), b: expressions(['app', 'In', 'a']), overlap: true },
    { name: 'any value and none', a: expressions(['app', 'Exists']), b: expressions(['app', 'DoesNotExist']), overlap: false },
    { name: 'a label, said to exist as well', a: { ...app('a'), ...expressions(['app', 'Exists']) }, b: app('b'), overlap: false },
    { name: 'NotIn of another key', a: app('a'), b: expressions(['tier', 'NotIn', 'a']), overlap: true },
    { name: 'In of another key', a: app('a'), b: expressions(['tier', 'In', 'a']), overlap: true },
    { name: 'an unknown operator', a: app('a'), b: expressions(['app', 'Like', 'b']), overlap: true },
    { name: 'any value and any value', a: expressions(['app', 'Exists']), b: expressions(['app', 'Exists']), overlap: true },
    { name: 'not one value and none', a: expressions(['app', 'NotIn', 'a']), b: expressions(['app', 'DoesNotExist']), overlap: true },
    { name: 'one value and not that', a: expressions(['app', 'In', 'a']), b: expressions(['app', 'NotIn', 'a']), overlap: false },
    {
      name: 'values of labels that are said to exist before',
      a: expressions(['app', 'Exists'], ['app', 'In', 'a']),
      b: expressions(['app', 'Exists'], ['app', 'In', 'b']),
      overlap: true,
    },
    {
      name: 'any value, but not some',
      a: expressions(['app', 'Exists']),
      b: expressions(['app', 'Exists'], ['app', 'NotIn', 'A', 'n', 'y']),
      overlap: true,
    },
    { name: 'any value and one', a: expressions(['app', 'Exists']), b: app('a'), overlap: true },
  ])('$name: may overlap is $overlap', ({ a, b, overlap: expected }) => {
    expect(overlap(a, b)).toBe(expected);
    expect(overlap(b, a)).toBe(expected);
  });

  it('with itself a selector of equal labels overlaps', () => {
    const labels = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('1', '2'));
    fc.assert(fc.property(labels, (matchLabels) => expect(overlap({ matchLabels }, { matchLabels })).toBe(true)));
  });

  it('may overlap unless what one wants is none of what the other demands, however many values and expressions each has', () => {
    const wanted = (values: readonly string[], { operator, values: theirs = [] }: LabelSelectorExpression): boolean => {
      if (operator === 'DoesNotExist') return false;
      if (operator === 'In') return values.some((value) => theirs.includes(value));
      return operator !== 'NotIn' || !values.every((value) => theirs.includes(value));
    };
    const agree = (one: LabelSelector, other: LabelSelector): boolean => {
      const values = (one.matchExpressions ?? []).flatMap(({ operator, values: own = [] }) => (operator === 'In' ? own : []));
      return values.length === 0 || (other.matchExpressions ?? []).every((expression) => wanted(values, expression));
    };
    const some = fc.subarray(['1', '2', '3', '4', '5'], { minLength: 1 });
    const one = fc.record({
      key: fc.constant('app'),
      operator: fc.constantFrom('In', 'In', 'In', 'In', 'In', 'NotIn', 'NotIn', 'DoesNotExist'),
      values: some,
    });
    const selector = fc.record({ matchExpressions: fc.array(one, { maxLength: 6, size: 'max' }) });
    const seen = new Occurrences();
    const property = fc.property(selector, selector, (a, b) => {
      const expected = agree(a, b) && agree(b, a);
      const areMany = a.matchExpressions.length > 2 && b.matchExpressions.length > 1;
      seen.note(expected ? 'may overlap' : 'cannot', areMany);
      expect(overlap(a, b)).toBe(expected);
    });
    fc.assert(property, { numRuns: 1000 });
    seen.expectAtLeast({ 'may overlap': 20, cannot: 100 });
  });

  // Each of the others would cost as much as the large one has, 100 times the usual cost.
  it.each<{ name: string; expressionAt: (index: number) => readonly [string, string, ...string[]]; other: LabelSelector }>([
    { name: 'that all have one value', expressionAt: (i) => ['app', 'In', 'web', `v${i}`], other: app('web') },
    { name: 'that all refuse another value', expressionAt: (i) => ['app', 'NotIn', `v${i}`], other: app('web') },
    { name: 'of one value each, for the same', expressionAt: () => ['app', 'In', 'web'], other: expressions(['app', 'In', 'web', 'api']) },
    { name: 'of many keys', expressionAt: (i) => [`app${i}`, 'In', 'web'], other: app('web') },
    {
      name: 'for values that the other refuses',
      expressionAt: (i) => ['app', 'In', 'web', `v${i}`],
      other: expressions(['app', 'NotIn', 'web']),
    },
  ])('cost no more for being compared with many when one has many expressions $name', ({ expressionAt, other }) => {
    const cpuMsOf = (work: () => unknown): number => {
      const before = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    const compare = (large: ReadSelector | undefined): number =>
      Math.min(
        ...[1, 2, 3].map(() =>
          cpuMsOf(() => {
            for (let index = 0; index < 1000; index++) mayOverlap(large, readSelector(other));
          }),
        ),
      );
    const readOf = (count: number): ReadSelector | undefined =>
      readSelector(expressions(...Array.from({ length: count }, (_, index) => expressionAt(index))));
    expect(compare(readOf(20_000))).toBeLessThan(10 * (compare(readOf(20)) + 1));
  });
});

describe('two SidecarSets', () => {
  const volume = (source: object) => ({ volumes: [{ name: 'v', ...source }] });
  const patch = (patchPolicy: string) => ({ patchPodMetadata: [{ annotations: { k: 'v' }, patchPolicy }], containers: [] });
  const other = { containers: [{ name: 'd', image: 'd:1' }] };
  const init = { initContainers: [{ name: 'i', image: 'i:1' }] };
  const canary = (base: string) => ({ 'apps.kruise.io/sidecarset-canary': 'true', 'apps.kruise.io/sidecarset-base': base });
  const namespace = (name: string) => ({ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } } });

  it.each<{ name: string; a: SidecarSet; b: SidecarSet; then: string }>([
    {
      name: 'the same container',
      a: aSet('a'),
      b: aSet('b'),
      then: 'spec.containers.name: Invalid value: "c": container c already exist in b',
    },
    { name: 'other containers', a: aSet('a'), b: aSet('b', other), then: '' },
    { name: 'the set itself', a: aSet('a'), b: aSet('a'), then: '' },
    {
      name: 'an illegal selector past admission',
      a: aSet('a'),
      b: aSet('b', { selector: { matchExpressions: [{ key: 'app', operator: 'Is' }] } }),
      then: '',
    },
    {
      name: 'an illegal namespaceSelector past admission',
      a: aSet('a'),
      b: aSet('b', { namespaceSelector: { matchExpressions: [{ key: 'app', operator: 'Is' }] } }),
      then: '',
    },
    { name: 'one without spec', a: aSet('a'), b: { ...aSet('b'), spec: null as unknown as SidecarSet['spec'] }, then: '' },
    { name: 'a volume that the other does not have', a: aSet('a', { ...other, ...volume({ emptyDir: {} }) }), b: aSet('b'), then: '' },
    { name: 'other Pods', a: aSet('a'), b: aSet('b', { selector: app('b') }), then: '' },
    { name: 'other namespaces', a: aSet('a', namespace('x')), b: aSet('b', namespace('y')), then: '' },
    {
      name: 'the same namespace',
      a: aSet('a', namespace('x')),
      b: aSet('b', namespace('x')),
      then: 'spec.containers.name: Invalid value: "c": container c already exist in b',
    },
    {
      name: 'a namespace and all',
      a: aSet('a', namespace('x')),
      b: aSet('b'),
      then: 'spec.containers.name: Invalid value: "c": container c already exist in b',
    },
    {
      name: 'the same init container',
      a: aSet('a', { ...init, containers: [] }),
      b: aSet('b', { ...init, ...other }),
      then: 'spec.initContainers.name: Invalid value: "i": container i already exist in b',
    },
    {
      name: 'an init container named like a container',
      a: aSet('a', { containers: [{ name: 'i', image: 'i:1' }] }),
      b: aSet('b', { ...init, containers: [] }),
      then: '',
    },
    {
      name: 'another volume of the same name',
      a: aSet('a', volume({ emptyDir: {} })),
      b: aSet('b', { ...other, ...volume({ hostPath: { path: '/' } }) }),
      then: 'spec.volumes: Invalid value: "v": volume v is in conflict with sidecarset b',
    },
    { name: 'the same volume', a: aSet('a', volume({ emptyDir: {} })), b: aSet('b', { ...other, ...volume({ emptyDir: {} }) }), then: '' },
    {
      name: 'overwriting the same annotation',
      a: aSet('a', patch('Overwrite')),
      b: aSet('b', patch('MergePatchJson')),
      then: 'spec.patchPodMetadata: Invalid value: "k": annotation k is in conflict with sidecarset b',
    },
    { name: 'merging the same annotation', a: aSet('a', patch('MergePatchJson')), b: aSet('b', patch('MergePatchJson')), then: '' },
    { name: 'overwriting what the other does not patch', a: aSet('a', patch('Overwrite')), b: aSet('b', other), then: '' },
    { name: 'overwriting what the other retains', a: aSet('a', patch('Overwrite')), b: aSet('b', patch('Retain')), then: '' },
    { name: 'a canary and its base', a: aSet('a', {}, canary('b')), b: aSet('b'), then: '' },
    { name: 'a base and its canary', a: aSet('b'), b: aSet('a', {}, canary('b')), then: '' },
    {
      name: 'two canaries of one base',
      a: aSet('a', {}, canary('x')),
      b: aSet('b', {}, canary('x')),
      then: 'spec.containers.name: Invalid value: "c": container c already exist in b',
    },
  ])('$name', ({ a, b, then }) => {
    const faults = formatFieldErrors(sidecarSetConflicts(a, [a, b]));
    expect(faults).toBe(then);
  });
});

describe('a SidecarSet among many', () => {
  const container = (name: string) => ({ name, image: 'c:1' });
  const others = (count: number, spec: object): readonly SidecarSet[] => Array.from({ length: count }, (_, i) => aSet(`other-${i}`, spec));

  it('is read once, however many others there are', () => {
    const reads = (count: number): number => {
      let seen = 0;
      const spec = new Proxy(aSet('a').spec, {
        get: (target, member) => {
          seen++;
          return Reflect.get(target, member) as unknown;
        },
      });
      sidecarSetConflicts({ ...aSet('a'), spec }, others(count, { containers: [container('d')] }));
      return seen;
    };
    expect(reads(50)).toBe(reads(1));
  });

  it('lists its conflicts in its own order, each name as often as it has it', () => {
    const own = aSet('a', { containers: [container('z'), container('m'), container('z'), container('b')] });
    const faults = sidecarSetConflicts(own, others(2, { containers: [container('b'), container('z')] }));
    expect(faults.map(({ value }) => value)).toEqual(['z', 'z', 'b', 'z', 'z', 'b']);
  });

  it('lists its annotations in its own order', () => {
    const patch = (...keys: readonly string[]) => ({
      patchPodMetadata: [{ annotations: Object.fromEntries(keys.map((key) => [key, 'v'])), patchPolicy: 'Overwrite' }],
      containers: [],
    });
    const faults = sidecarSetConflicts(aSet('a', patch('z', 'm', 'b')), others(1, patch('b', 'm', 'y', 'z')));
    expect(faults.map(({ value }) => value)).toEqual(['z', 'm', 'b']);
  });

  it('lists no more than an answer may contain, and that there is more', () => {
    const containers = Array.from({ length: 700 }, (_, i) => container(`c-${i}`));
    const faults = sidecarSetConflicts(aSet('a', { containers }), others(40, { containers }));
    expect(faults.length).toBeGreaterThan(mostListedErrors);
    expect(faults.length).toBeLessThan(3 * mostListedErrors);
    expect(formatFieldErrors(faults)).toMatch(/, and more\]$/);
  });
});
