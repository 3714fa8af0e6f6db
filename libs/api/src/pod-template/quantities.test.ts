import { describe, expect, it } from '@jest/globals';
import { parseQuantity, type JsonObject } from '@kruise/objects';
import { Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { roundMap, roundResources, withCanonicalClaimQuantities, withCanonicalQuantities } from './quantities.ts';

const nanosPerMilli = 1_000_000n;
const nanosOf = (value: unknown): bigint | undefined => parseQuantity(value)?.nanos;
const limit = (value: unknown): JsonObject => ({ limits: { cpu: value } });
const roundedLimit = (value: unknown): unknown => (roundResources(limit(value))['limits'] as JsonObject)['cpu'];

describe('a rounded quantity', () => {
  const digits = fc.nat(10 ** 9).map(String);
  const texts = fc
    .tuple(
      fc.constantFrom('', '', '+', '-'),
      digits,
      fc.option(
        digits.map((fraction) => `.${fraction}`),
        { nil: '' },
      ),
      fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'Ki', 'Mi', 'Gi', 'Ti', 'e3', 'e-6', 'E', 'x'),
    )
    .map((parts) => parts.join(''));

  it('is the next multiple of a thousandth, and the same value if it is one already', () => {
    const seen = new Occurrences();
    fc.assert(
      fc.property(texts, (text) => {
        const [before, after] = [nanosOf(text), nanosOf(roundedLimit(text))];
        const isKept = before === undefined || before % nanosPerMilli === 0n;
        if (seen.note('kept', isKept)) return expect(roundedLimit(text)).toBe(text);
        if (before === undefined || after === undefined) throw new Error('a quantity stays one');
        expect(after % nanosPerMilli).toBe(0n);
        const distance = before < 0n ? before - after : after - before;
        expect([distance > 0n, distance < nanosPerMilli]).toEqual([true, true]);
        seen.note(before < 0n ? 'negative' : 'positive');
      }),
      { numRuns: 500 },
    );
    seen.expectAtLeast({ kept: 50, negative: 5, positive: 20 });
  });

  it.each<{ value: unknown; then: unknown }>([
    { value: '1n', then: '1m' },
    { value: '1000000n', then: '1000000n' },
    { value: '1000001n', then: '2m' },
    { value: '1.5m', then: '2m' },
    { value: '0.1Ki', then: '0.1Ki' },
    { value: '0.0001Ki', then: '103m' },
    { value: 0.0001, then: '1m' },
    { value: 2, then: 2 },
    { value: '', then: '' },
    { value: null, then: null },
    { value: ['1n'], then: ['1n'] },
    { value: '1nn', then: '1nn' },
  ])('of $value is $then', ({ value, then }) => {
    expect(roundedLimit(value)).toEqual(then);
  });

  it('is one of each limit and request, and of no other member', () => {
    const some = { cpu: '1n', memory: '1Gi' };
    expect(roundResources({ limits: some, requests: some, claims: some })).toEqual({
      limits: { cpu: '1m', memory: '1Gi' },
      requests: { cpu: '1m', memory: '1Gi' },
      claims: some,
    });
    expect(roundMap({ capacity: some, other: some }, 'capacity')).toEqual({ capacity: { cpu: '1m', memory: '1Gi' }, other: some });
  });

  it('may have any name', () => {
    const map = JSON.parse('{"limits":{"__proto__":"1n","constructor":"1u"}}') as JsonObject;
    expect(JSON.stringify(roundResources(map))).toBe('{"limits":{"__proto__":"1m","constructor":"1m"}}');
  });

  it.each([{}, { limits: null }, { limits: 'x' }, { limits: [] }, { limits: { cpu: '1', memory: '1Gi' } }])(
    'of %j is the very same object',
    (members) => {
      expect(roundResources(members)).toBe(members);
    },
  );
});

describe('canonical quantities', () => {
  const odd = { resources: { limits: { cpu: '1000m' }, requests: { memory: '1024Mi' } } };
  const even = { resources: { limits: { cpu: '1' }, requests: { memory: '1Gi' } } };

  it.each<{ where: string; given: JsonObject; then: JsonObject }>([
    ...['containers', 'initContainers', 'ephemeralContainers'].map((list) => ({
      where: `each of ${list}`,
      given: { [list]: [odd, {}, odd] },
      then: { [list]: [even, {}, even] },
    })),
    { where: 'the Pod itself', given: odd, then: even },
    { where: 'the overhead', given: { overhead: { cpu: '1000m' } }, then: { overhead: { cpu: '1' } } },
    {
      where: 'the size of an emptyDir',
      given: { volumes: [{ emptyDir: { sizeLimit: '1024Mi' } }, { hostPath: { sizeLimit: '1024Mi' } }] },
      then: { volumes: [{ emptyDir: { sizeLimit: '1Gi' } }, { hostPath: { sizeLimit: '1024Mi' } }] },
    },
  ])('are written in $where', ({ given, then }) => {
    expect(withCanonicalQuantities({ spec: given })).toEqual({ spec: then });
    const canonical = { spec: then };
    expect(withCanonicalQuantities(canonical)).toBe(canonical);
  });

  it('are written in what a claim requests and has, and in no other part of it', () => {
    const amounts = { storage: '1024Mi' };
    expect(withCanonicalClaimQuantities({ spec: odd, status: { capacity: amounts, allocatedResources: amounts } })).toEqual({
      spec: even,
      status: { capacity: { storage: '1Gi' }, allocatedResources: amounts },
    });
  });
});
