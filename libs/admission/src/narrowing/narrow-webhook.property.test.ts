/** The narrowed webhooks together cover what is needed, and each request is sent to one of them. */
import { describe, expect, it } from '@jest/globals';
import { labelMatcherOf, matchAll, type LabelSelector } from '@kruise/objects';
import { casesOf, Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import type { Formula } from './formula.ts';
import { planEntries } from './narrow-webhook.ts';
import type { NarrowedEntry } from './narrowed-entry.ts';
import type { RequestNeed } from './request-need.ts';
import { chancesOf } from './second-chance.ts';

type Labels = Readonly<Record<string, string>>;
interface Asked {
  readonly namespace: string;
  readonly namespaceLabels: Labels;
  readonly labels: Labels;
}

/** What happens to a request. */
interface Fate {
  /** Whether it has a trace of an answer. */
  readonly bears: boolean;
  /** Whether an answer leaves a trace. */
  readonly leaves: boolean;
  readonly lost: readonly boolean[];
}

const nameLabel = 'kubernetes.io/metadata.name';
const keys = ['a', 'b', 'c'];
const values = ['1', '2'];
const names = ['x', 'y'];

const labelsArb: fc.Arbitrary<Labels> = fc.dictionary(fc.constantFrom(...keys), fc.constantFrom(...values));
const expressionArb = (
  someKeys: readonly string[],
  someValues: readonly string[],
): fc.Arbitrary<NonNullable<LabelSelector['matchExpressions']>[number]> =>
  fc.oneof(
    fc.record({
      key: fc.constantFrom(...someKeys),
      operator: fc.constantFrom('In', 'NotIn'),
      values: fc.uniqueArray(fc.constantFrom(...someValues), { minLength: 1 }),
    }),
    fc.record({ key: fc.constantFrom(...someKeys), operator: fc.constantFrom('Exists', 'DoesNotExist') }),
  );
const selectorArb: fc.Arbitrary<LabelSelector> = fc.record({ matchExpressions: fc.array(expressionArb(keys, values), { maxLength: 3 }) });
const namespaceSelectorArb: fc.Arbitrary<LabelSelector> = fc.record({
  matchExpressions: fc.array(fc.oneof({ weight: 3, arbitrary: expressionArb(keys, values) }, expressionArb([nameLabel], names)), {
    maxLength: 3,
  }),
});
const needArb: fc.Arbitrary<RequestNeed> = fc.record(
  { reason: fc.constantFrom('one', 'two', 'three'), namespaceSelector: namespaceSelectorArb, objectSelector: selectorArb },
  { requiredKeys: ['reason'] },
);
const askedArb: fc.Arbitrary<Asked> = fc.record({
  namespace: fc.constantFrom(...names, 'z'),
  namespaceLabels: labelsArb,
  labels: labelsArb,
});

const selects = (selector: LabelSelector | null | undefined, labels: Labels): boolean => {
  if (selector === undefined || selector === null) return true;
  const parsed = labelMatcherOf(selector);
  return parsed.kind === 'Matcher' && parsed.matcher.matches(labels);
};
const isNeeded = (need: RequestNeed, { namespace, namespaceLabels, labels }: Asked): boolean =>
  selects(need.namespaceSelector, { ...namespaceLabels, [nameLabel]: namespace }) && selects(need.objectSelector, labels);

function holds(formula: Formula, asked: Asked): boolean {
  switch (formula.kind) {
    case 'Always':
      return true;
    case 'Never':
      return false;
    case 'All':
      return formula.of.every((one) => holds(one, asked));
    case 'Any':
      return formula.of.some((one) => holds(one, asked));
    case 'Not':
      return !holds(formula.of, asked);
    case 'Label':
      return matchAll([formula.requirement]).matches(asked.labels);
    case 'InNamespaces':
      return formula.names.includes(asked.namespace);
    case 'Cel':
      throw new Error('these needs have none');
  }
}
const isAsked = ({ namespace, own, before }: NarrowedEntry, asked: Asked): boolean =>
  matchAll(namespace).matches(asked.namespaceLabels) && holds(own, asked) && !holds(before, asked);

const runs = casesOf(200);

describe('narrowing', () => {
  it('calls one webhook for each request that is needed, and none for any other', () => {
    const seen = new Occurrences();
    fc.assert(
      fc.property(
        fc.array(needArb, { maxLength: 6 }),
        fc.array(askedArb, { minLength: 10, maxLength: 20, size: 'max' }),
        (needs, requests) => {
          const plan = planEntries({ needs }, () => true);
          fc.pre(plan !== undefined);
          const { entries, exact } = plan;
          for (const asked of requests) {
            const count = entries.filter((entry) => isAsked(entry, asked)).length;
            const needed = needs.some((need) => isNeeded(need, asked));
            if (needed) expect(count).toBe(1);
            else if (exact) expect(count).toBe(0);
            seen.note(needed ? 'needed' : exact ? 'not needed, and none is to ask' : 'not needed, and one may ask');
          }
          seen.note('several entries', entries.length > 1);
        },
      ),
      { numRuns: runs },
    );
    seen.expectAtLeast({ needed: runs, 'not needed, and none is to ask': runs, 'several entries': runs / 10 });
  });

  it('covers at least as much when it has to be short', () => {
    const seen = new Occurrences();
    fc.assert(
      fc.property(
        fc.array(needArb, { minLength: 1, maxLength: 8 }),
        fc.array(askedArb, { minLength: 10, maxLength: 20, size: 'max' }),
        (needs, requests) => {
          let attempts = 0;
          const plan = planEntries({ needs }, () => ++attempts > 1);
          fc.pre(plan !== undefined);
          const { entries, exact } = plan;
          expect(exact).toBe(false);
          for (const asked of requests) {
            const count = entries.filter((entry) => isAsked(entry, asked)).length;
            const needed = needs.some((need) => isNeeded(need, asked));
            if (needed) expect(count).toBe(1);
            else expect(count).toBeLessThanOrEqual(1);
            seen.note(needed ? 'needed' : count === 1 ? 'asked about without need' : 'neither');
          }
        },
      ),
      { numRuns: runs },
    );
    seen.expectAtLeast({ needed: runs, 'asked about without need': runs / 10, neither: runs / 10 });
  });

  /**
   * Simulates the API server. @param lost the calls that are lost
   * @returns whether the request ends answered, refused, or neither, and after how many calls
   */
  function goThrough(entries: readonly NarrowedEntry[], asked: Asked, { bears, leaves, lost }: Fate): readonly [string, number] {
    let [trace, isAnswered, calls] = [bears, false, 0];
    for (const { entry, chance } of chancesOf(entries)) {
      if (!isAsked(entry, asked) || (chance !== undefined && (chance === 'Again') !== trace)) continue;
      const isLost = lost[calls++] === true;
      if (isLost && chance !== 'First') return ['refused', calls];
      if (isLost) continue;
      isAnswered = true;
      trace ||= leaves;
    }
    return [isAnswered ? 'answered' : 'unanswered', calls];
  }

  it('with second chances lets no needed request pass unanswered, and calls again only when it must', () => {
    const fateArb: fc.Arbitrary<Fate> = fc.record({
      bears: fc.boolean(),
      leaves: fc.boolean(),
      lost: fc.array(fc.boolean(), { minLength: 2, maxLength: 2 }),
    });
    const seen = new Occurrences();
    fc.assert(
      fc.property(
        fc.array(needArb, { maxLength: 6 }),
        fc.array(fc.tuple(askedArb, fateArb), { minLength: 10, maxLength: 20, size: 'max' }),
        (needs, requests) => {
          const plan = planEntries({ needs }, () => true);
          fc.pre(plan !== undefined);
          const { entries, exact } = plan;
          for (const [asked, fate] of requests) {
            const isWanted = needs.some((need) => isNeeded(need, asked));
            const [end, calls] = goThrough(entries, asked, fate);
            const [isFirstLost, isSecondLost] = fate.lost;
            const isLost = fate.bears ? isFirstLost : (isFirstLost || !fate.leaves) && isSecondLost;
            if (isWanted) expect(end).toBe(isLost ? 'refused' : 'answered');
            else if (exact) expect([end, calls]).toEqual(['unanswered', 0]);
            if (isWanted && !isFirstLost && (fate.bears || fate.leaves)) expect(calls).toBe(1);
            expect(calls).toBeLessThanOrEqual(2);
            seen.note(
              !isWanted
                ? exact
                  ? 'not needed'
                  : 'not needed, and one may ask'
                : isLost
                  ? 'refused'
                  : calls === 1
                    ? 'answered at once'
                    : 'answered the second time',
            );
          }
        },
      ),
      { numRuns: runs },
    );
    seen.expectAtLeast({ 'not needed': runs, refused: runs / 2, 'answered at once': runs / 2, 'answered the second time': runs / 2 });
  });

  it('names every webhook once', () => {
    const seen = new Occurrences();
    fc.assert(
      fc.property(fc.array(needArb, { maxLength: 8 }), (needs) => {
        const entries = planEntries({ needs }, () => true)?.entries ?? [];
        const prefixes = entries.map(({ prefix }) => prefix);
        expect(new Set(prefixes).size).toBe(prefixes.length);
        const all = chancesOf(entries).map(({ entry }) => entry.prefix);
        expect(new Set(all).size).toBe(all.length);
        seen.note('several webhooks', entries.length > 1);
        seen.note('more for a second chance', all.length > entries.length);
      }),
      { numRuns: runs },
    );
    seen.expectAtLeast({ 'several webhooks': runs / 10, 'more for a second chance': runs / 10 });
  });
});
