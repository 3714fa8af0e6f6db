import { describe, expect, it } from '@jest/globals';
import { formatFieldErrors, type JsonObject } from '@kruise/objects';
import fc from 'fast-check';
import { validatePodUnavailableBudget } from './validation.ts';
import { podUnavailableBudgetWarnings } from './warnings.ts';

const total = 'pub.kruise.io/protect-total-replicas';
const operations = 'kruise.io/pub-protect-operations';
const selector = { matchLabels: { app: 'web' } };
const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const good = { selector, maxUnavailable: 1 };
const aBudget = (spec: object, metadata: object = {}): JsonObject => ({ metadata: { name: 'p', ...metadata }, spec });
const faultsOf = (spec: object, rules: { oldObject?: JsonObject; others?: readonly JsonObject[]; metadata?: object } = {}) =>
  validatePodUnavailableBudget(aBudget(spec, rules.metadata), { oldObject: rules.oldObject, others: rules.others ?? [] });
const fieldsOf = (...given: Parameters<typeof faultsOf>) =>
  faultsOf(...given).map(({ field, type }) => `${field} ${type.replace('FieldValue', '')}`);
const both = 'spec.selector, targetRef';
const amounts = 'spec.maxUnavailable, spec.minAvailable';

describe('a PodUnavailableBudget is valid (4.1)', () => {
  it.each<object>([
    good,
    { targetRef, minAvailable: '50%' },
    { targetRef: { ...targetRef, apiVersion: 'v1', kind: 'ReplicationController' }, minAvailable: 0 },
    { selector: { matchExpressions: [{ key: 'a', operator: 'Exists' }] }, maxUnavailable: '100%' },
    { ...good, protectOperations: ['DELETE', 'UPDATE', 'EVICT', 'RESIZE'], protectTotalReplicas: 3, ignoredPodSelector: selector },
    { ...good, targetRef: null, minAvailable: null, protectOperations: null, ignoredPodSelector: null },
  ])('%j', (spec) => {
    expect(faultsOf(spec)).toEqual([]);
  });
});

it('a target that is stored already passes with a part that nothing served has (4.1)', () => {
  const budget = { metadata: { name: 'p' }, spec: { targetRef: { ...targetRef, apiVersion: 'v1%2Fsecrets' }, maxUnavailable: 1 } };
  const faults = (oldObject?: object) =>
    validatePodUnavailableBudget(budget, { oldObject: oldObject as never, others: [] }).map(({ field }) => field);
  expect([faults(), faults(budget)]).toEqual([['spec.targetRef'], []]);
});

describe('a fault is named with its field (4.1)', () => {
  it.each<{ name: string; spec: object; metadata?: object; then: readonly string[] }>([
    { name: 'neither selector nor target', spec: { maxUnavailable: 1 }, then: [`${both} Required`] },
    { name: 'both selector and target', spec: { ...good, targetRef }, then: [`${both} Required`] },
    { name: 'a target with empty parts', spec: { targetRef: { kind: 'x' }, maxUnavailable: 1 }, then: ['spec.targetRef Invalid'] },
    {
      name: 'a target of three parts',
      spec: { targetRef: { ...targetRef, apiVersion: 'a/b/c' }, maxUnavailable: 1 },
      then: ['spec.targetRef Invalid'],
    },
    {
      name: 'a target without version',
      spec: { targetRef: { ...targetRef, apiVersion: 'apps/' }, maxUnavailable: 1 },
      then: ['spec.targetRef Invalid'],
    },
    { name: 'an empty selector', spec: { selector: {}, maxUnavailable: 1 }, then: ['spec.selector Invalid'] },
    {
      name: 'a bad label',
      spec: { selector: { matchLabels: { a: '!' } }, maxUnavailable: 1 },
      then: ['spec.selector.matchLabels Invalid'],
    },
    { name: 'neither amount', spec: { selector }, then: [`${amounts} Required`] },
    { name: 'both amounts', spec: { ...good, minAvailable: 1 }, then: [`${amounts} Required`] },
    { name: 'a negative amount', spec: { selector, maxUnavailable: -1 }, then: ['spec.maxUnavailable Invalid'] },
    { name: 'a fraction', spec: { selector, minAvailable: 1.5 }, then: ['spec.minAvailable Invalid'] },
    { name: 'a number beyond int32', spec: { selector, minAvailable: 2 ** 31 }, then: ['spec.minAvailable Invalid'] },
    { name: 'a number as text', spec: { selector, minAvailable: '5' }, then: ['spec.minAvailable Invalid'] },
    { name: 'a signed percentage', spec: { selector, minAvailable: '+5%' }, then: ['spec.minAvailable Invalid'] },
    { name: 'a fraction of a percent', spec: { selector, minAvailable: '5.5%' }, then: ['spec.minAvailable Invalid'] },
    { name: 'more than all', spec: { selector, minAvailable: '101%' }, then: ['spec.minAvailable Invalid'] },
    {
      name: 'an unknown operation',
      spec: { ...good, protectOperations: ['DELETE', 'REMOVE'] },
      then: ['spec.protectOperations[1] NotSupported'],
    },
    { name: 'operations that are no list', spec: { ...good, protectOperations: 'DELETE' }, then: ['spec.protectOperations Invalid'] },
    { name: 'an empty selector of ignored Pods', spec: { ...good, ignoredPodSelector: {} }, then: ['spec.ignoredPodSelector Invalid'] },
    {
      name: 'an illegal selector of ignored Pods',
      spec: { ...good, ignoredPodSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
      then: ['spec.ignoredPodSelector.matchExpressions[0].values Required'],
    },
    {
      name: 'an annotation that is no number',
      spec: good,
      metadata: { annotations: { [total]: 'x' } },
      then: [`metadata.annotations[${total}] Invalid`],
    },
    {
      name: 'an annotation and a member that differ',
      spec: { ...good, protectTotalReplicas: 4 },
      metadata: { annotations: { [total]: '04' } },
      then: [`metadata.annotations[${total}] Invalid`],
    },
    {
      name: 'an annotation with an unknown operation',
      spec: good,
      metadata: { annotations: { [operations]: 'DELETE,remove' } },
      then: [`metadata.annotations[${operations}] NotSupported`],
    },
    { name: 'no spec at all', spec: undefined as unknown as object, then: [`${both} Required`, `${amounts} Required`] },
    {
      name: 'all at once',
      spec: { protectOperations: ['x'], ignoredPodSelector: {} },
      then: [`${both} Required`, `${amounts} Required`, 'spec.protectOperations[0] NotSupported', 'spec.ignoredPodSelector Invalid'],
    },
  ])('$name', ({ spec, metadata, then }) => {
    expect(fieldsOf(spec, metadata === undefined ? {} : { metadata })).toEqual(then);
  });

  it.each<{ spec: object; metadata?: object; then: string }>([
    { spec: { maxUnavailable: 1 }, then: `${both}: Required value: one of selector and targetRef must be given` },
    { spec: { ...good, targetRef }, then: `${both}: Required value: selector and targetRef are mutually exclusive` },
    { spec: { selector }, then: `${amounts}: Required value: one of maxUnavailable and minAvailable must be given` },
    { spec: { ...good, minAvailable: 1 }, then: `${amounts}: Required value: maxUnavailable and minAvailable are mutually exclusive` },
    { spec: { selector, maxUnavailable: -1 }, then: 'spec.maxUnavailable: Invalid value: -1: must be a whole number of at least 0' },
    {
      spec: { selector, maxUnavailable: '5% or so' },
      then: 'spec.maxUnavailable: Invalid value: "5% or so": must be a whole number, or a percentage such as 25%',
    },
    { spec: { selector, maxUnavailable: '101%' }, then: 'spec.maxUnavailable: Invalid value: "101%": must not be greater than 100%' },
    {
      spec: { selector: {}, maxUnavailable: 1 },
      then: 'spec.selector: Invalid value: {}: an empty label selector is invalid: it selects every Pod',
    },
    {
      spec: { targetRef: { ...targetRef, apiVersion: 'a/b/c' }, maxUnavailable: 1 },
      then: `spec.targetRef: Invalid value: {"apiVersion":"a/b/c","kind":"Deployment","name":"web"}: apiVersion must be group/version, or the version alone, of letters, digits and '-._'`,
    },
    { spec: { ...good, protectOperations: 'DELETE' }, then: 'spec.protectOperations: Invalid value: "DELETE": must be a list' },
    {
      spec: good,
      metadata: { annotations: { [total]: 'x' } },
      then: `metadata.annotations[${total}]: Invalid value: "x": must be a valid int32`,
    },
    {
      spec: { ...good, protectTotalReplicas: 4 },
      metadata: { annotations: { [total]: '5' } },
      then: `metadata.annotations[${total}]: Invalid value: "5": must match spec.protectTotalReplicas when both are set`,
    },
  ])('in words: $then', ({ spec, metadata, then }) => {
    expect(formatFieldErrors(faultsOf(spec, metadata === undefined ? {} : { metadata }))).toBe(then);
  });

  it('an amount may be as large as an int32', () => {
    expect([faultsOf({ selector, maxUnavailable: 2 ** 31 - 1 }), fieldsOf({ selector, maxUnavailable: 2 ** 31 })]).toEqual([
      [],
      ['spec.maxUnavailable Invalid'],
    ]);
  });

  it('the annotation may say what the member says', () => {
    expect(faultsOf({ ...good, protectTotalReplicas: 4 }, { metadata: { annotations: { [total]: '4' } } })).toEqual([]);
    expect(faultsOf(good, { metadata: { annotations: { [total]: '' } } })).toEqual([]);
  });
});

it('an annotation with an unknown operation that is stored already does not refuse other changes', () => {
  const metadata = { annotations: { [operations]: 'remove' } };
  expect(faultsOf({ ...good, maxUnavailable: 2 }, { metadata, oldObject: aBudget(good, metadata) })).toEqual([]);
  expect(fieldsOf(good, { metadata, oldObject: aBudget(good) })).toHaveLength(1);
});

describe('a change (4.1.5)', () => {
  it.each<{ name: string; from: object; to: object; allowed: boolean }>([
    { name: 'of the selector is refused', from: good, to: { ...good, selector: { matchLabels: { app: 'api' } } }, allowed: false },
    { name: 'from selector to target is refused', from: good, to: { targetRef, maxUnavailable: 1 }, allowed: false },
    {
      name: 'of the target is refused',
      from: { targetRef, maxUnavailable: 1 },
      to: { targetRef: { ...targetRef, name: 'x' }, maxUnavailable: 1 },
      allowed: false,
    },
    { name: 'of amounts is allowed', from: good, to: { selector, minAvailable: '10%' }, allowed: true },
    { name: 'of null to nothing is none', from: { ...good, targetRef: null }, to: good, allowed: true },
  ])('$name', ({ from, to, allowed }) => {
    const faults = faultsOf(to, { oldObject: aBudget(from) });
    expect(faults.map(({ detail }) => detail)).toEqual(allowed ? [] : ['selector and targetRef cannot be modified']);
  });
});

describe('another budget of the namespace (4.1.6)', () => {
  const named = (name: string, spec: object) => aBudget(spec, { name });
  it('is read once, however many others there are', () => {
    const readsBeside = (count: number): number => {
      let reads = 0;
      const values = new Proxy(['web', 'api'], {
        get: (target, member) => {
          reads++;
          return Reflect.get(target, member) as unknown;
        },
      });
      const selector = { matchExpressions: [{ key: 'app', operator: 'In', values }] };
      const others = Array.from({ length: count }, (_, index) => named(`q${index}`, { selector: { matchLabels: { app: 'other' } } }));
      expect(faultsOf({ selector, maxUnavailable: 1 }, { others })).toEqual([]);
      return reads;
    };
    expect(readsBeside(50)).toBe(readsBeside(1));
  });

  it.each<{ name: string; spec: object; others: readonly JsonObject[]; then: readonly string[] }>([
    {
      name: 'for the same target, in whatever version, is in conflict',
      spec: { targetRef, maxUnavailable: 1 },
      others: [named('q', { targetRef: { ...targetRef, apiVersion: 'apps/v1beta2' } })],
      then: ['spec.targetReference'],
    },
    {
      name: 'for a target of another group is not',
      spec: { targetRef, maxUnavailable: 1 },
      others: [named('q', { targetRef: { ...targetRef, apiVersion: 'x/v1' } })],
      then: [],
    },
    {
      name: 'for another name is not',
      spec: { targetRef, maxUnavailable: 1 },
      others: [named('q', { targetRef: { ...targetRef, name: 'x' } })],
      then: [],
    },
    {
      name: 'with an overlapping selector is in conflict',
      spec: good,
      others: [named('q', { selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['web', 'c'] }] } })],
      then: ['spec.selector'],
    },
    { name: 'with another selector is not', spec: good, others: [named('q', { selector: { matchLabels: { c: 'd' } } })], then: [] },
    { name: 'is not compared, target with selector', spec: good, others: [named('q', { targetRef })], then: [] },
    { name: 'that is the object itself is none', spec: good, others: [named('p', good)], then: [] },
    { name: 'is reported once', spec: good, others: [named('q', good), named('r', good)], then: ['spec.selector'] },
  ])('$name', ({ spec, others, then }) => {
    expect(faultsOf(spec, { others }).map(({ field }) => field)).toEqual(then);
  });

  it('is named', () => {
    expect(formatFieldErrors(faultsOf(good, { others: [named('q', good)] }))).toContain('in conflict with other PodUnavailableBudget q');
    const targets = faultsOf({ targetRef, maxUnavailable: 1 }, { others: [named('q', { targetRef })] });
    expect(formatFieldErrors(targets)).toBe(
      'spec.targetReference: Invalid value: {"apiVersion":"apps/v1","kind":"Deployment","name":"web"}: in conflict with other PodUnavailableBudget q',
    );
  });
});

describe('warnings name what is allowed but probably a mistake', () => {
  it.each<{ spec: object; annotations?: object; then: readonly (string | RegExp)[] }>([
    { spec: good, then: [] },
    { spec: { selector, maxUnavailable: 0 }, then: [/maxUnavailable: 0 lets no Pod/] },
    { spec: { selector, maxUnavailable: '0%' }, then: [/maxUnavailable: "0%" lets no Pod ever become unavailable/] },
    { spec: { selector, minAvailable: '100%' }, then: [/minAvailable: "100%" lets no Pod/] },
    { spec: { selector, minAvailable: 0 }, then: [/minAvailable: 0 protects no Pod/] },
    { spec: { selector, minAvailable: '0%' }, then: [/minAvailable: "0%" protects no Pod/] },
    { spec: { selector, maxUnavailable: '100%' }, then: [/maxUnavailable: "100%" protects no Pod/] },
    { spec: { targetRef, maxUnavailable: 1, selector: null, ignoredPodSelector: null }, then: [] },
    { spec: { ...good, protectOperations: [] }, annotations: { 'kruise.io/pub-protect-operations': 'DELETE' }, then: [] },
    { spec: { ...good, protectOperations: ['DELETE'] }, annotations: { 'kruise.io/pub-protect-operations': '' }, then: [] },
    { spec: { ...good, ignoredPodSelector: selector }, then: [/no Pod is protected/] },
    {
      spec: good,
      annotations: { 'kruise.io/pub-protect-operations': 'DELETE, Remove' },
      then: [/"Remove" is not known and has no effect; known are DELETE, UPDATE, EVICT, RESIZE$/],
    },
    {
      spec: { ...good, protectOperations: ['EVICT'] },
      annotations: { 'kruise.io/pub-protect-operations': 'DELETE' },
      then: [/no effect beside/],
    },
    { spec: { ...good, protectOperations: ['DELETE'] }, annotations: { 'kruise.io/pub-protect-operations': ' DELETE' }, then: [] },
  ])('$spec $annotations', ({ spec, annotations = {}, then }) => {
    const warnings = podUnavailableBudgetWarnings(aBudget(spec, { annotations }));
    expect(warnings).toHaveLength(then.length);
    then.forEach((pattern, i) => expect(warnings[i]).toMatch(pattern));
  });
});

it('objects of any shape are validated', () => {
  const rules = (other: unknown) => ({ oldObject: aBudget({}), others: [other as JsonObject] });
  const judged = fc.property(fc.object({ maxDepth: 3 }), fc.object(), fc.anything(), (spec, metadata, other) => {
    const object = aBudget(spec, metadata);
    return Array.isArray(validatePodUnavailableBudget(object, rules(other))) && Array.isArray(podUnavailableBudgetWarnings(object));
  });
  expect(() => fc.assert(judged)).not.toThrow();
});
