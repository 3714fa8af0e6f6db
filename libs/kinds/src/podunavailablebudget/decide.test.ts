import { describe, expect, it } from '@jest/globals';
import type { PodUnavailableBudget, PodUnavailableBudgetSpec, PodUnavailableBudgetStatus, PubOperation } from '@kruise/api';
import { formatTime, instant, type Pod } from '@kruise/objects';
import { aPod, epoch, type PodShape } from '@kruise/testing';
import { decideByBudget, decideByPod, mostEntries, type DecisionContext, type Verdict } from './decide.ts';

const later = (seconds: number) => instant(epoch + seconds * 1000);
const now = later(100);
const context = (over: Partial<DecisionContext> = {}): DecisionContext => ({ now, tellsResizes: false, isAvailable: () => true, ...over });
const status = (over: Partial<PodUnavailableBudgetStatus> = {}): PodUnavailableBudgetStatus => ({
  currentAvailable: 3,
  desiredAvailable: 2,
  totalReplicas: 3,
  unavailableAllowed: 1,
  ...over,
});
const budget = (
  over: Partial<PodUnavailableBudgetStatus> | undefined = {},
  spec: Partial<PodUnavailableBudgetSpec> = {},
): PodUnavailableBudget => ({
  metadata: { name: 'b', namespace: 'default', uid: 'u' },
  spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 1, ...spec },
  status: status(over),
});
const pod = (shape: PodShape = {}): Pod => aPod({ name: 'p', annotations: { 'pub.kruise.io/related-pub': 'b' }, ...shape });
const at = formatTime(now);
const ask = (
  given: PodUnavailableBudget | undefined,
  operation: PubOperation = 'DELETE',
  over: Partial<DecisionContext> = {},
  shape: PodShape = {},
): Verdict => decideByBudget(given, { pod: pod(shape), operation }, context(over));

describe('what the Pod alone decides (4.5 rules 1 to 3)', () => {
  it.each<{ name: string; shape: PodShape; isAvailable?: boolean; because: string | undefined }>([
    { name: 'without a budget it may go', shape: { annotations: {} }, because: 'the Pod has no budget' },
    {
      name: 'taken out of protection it may go',
      shape: { annotations: { 'pub.kruise.io/related-pub': 'b', 'pub.kruise.io/no-protect': 'true' } },
      because: 'the Pod is taken out of protection',
    },
    { name: 'not available as it is it may go', shape: {}, isAvailable: false, because: 'the Pod is not available as it is' },
    { name: 'else the budget is asked', shape: {}, because: undefined },
  ])('$name', ({ shape, isAvailable = true, because }) => {
    const verdict = decideByPod({ pod: pod(shape), operation: 'DELETE' }, context({ isAvailable: () => isAvailable }));
    expect(verdict).toEqual(because === undefined ? undefined : { kind: 'Allow', because });
  });
});

const { status: _notYet, ...unseen } = budget();

describe('what the budget decides (4.5 rules 4 to 9)', () => {
  const labels = { app: 'web' };
  it.each<{
    name: string;
    given: PodUnavailableBudget | undefined;
    operation?: PubOperation;
    tellsResizes?: boolean;
    then: string;
    because?: string;
  }>([
    { name: 'one that does not exist protects nothing', given: undefined, then: 'Allow', because: 'the budget does not exist' },
    {
      name: 'one that ignores the Pod lets it go',
      given: budget({}, { ignoredPodSelector: { matchLabels: labels } }),
      then: 'Allow',
      because: 'the budget ignores the Pod',
    },
    { name: 'one that ignores none by null does not', given: budget({}, { ignoredPodSelector: null as never }), then: 'Charge' },
    {
      name: 'one that ignores others does not',
      given: budget({}, { ignoredPodSelector: { matchLabels: { app: 'other' } } }),
      then: 'Charge',
    },
    {
      name: 'one that ignores by a selector that cannot be read is at fault',
      given: budget({}, { ignoredPodSelector: { matchLabels: { app: '!' } } }),
      then: 'Fault',
    },
    { name: 'one without a status lets all go', given: unseen, then: 'Allow' },
    {
      name: 'one that needs no Pod lets all go',
      given: budget({ desiredAvailable: 0, unavailableAllowed: 0 }),
      then: 'Allow',
      because: 'no Pod has to be available',
    },
    {
      name: 'one that does not protect from the operation lets it be',
      given: budget({ unavailableAllowed: 0 }, { protectOperations: ['EVICT'] }),
      then: 'Allow',
      because: 'the budget does not protect from DELETE',
    },
    { name: 'one that protects from updates protects from resizes', given: budget(), operation: 'RESIZE', then: 'Charge' },
    { name: 'unless these are distinguished', given: budget(), operation: 'RESIZE', tellsResizes: true, then: 'Allow' },
    {
      name: 'a Pod that was deleted before is not charged again',
      given: budget({ unavailableAllowed: 0, disruptedPods: { p: at } }),
      then: 'Allow',
    },
    {
      name: 'a Pod that was updated before is not charged again',
      given: budget({ unavailableAllowed: 0, unavailablePods: { p: at } }),
      then: 'Allow',
    },
    { name: 'one that has nothing left refuses', given: budget({ unavailableAllowed: 0 }), then: 'Deny' },
    { name: 'one that has less than nothing left refuses', given: budget({ unavailableAllowed: -1 }), then: 'Deny' },
    { name: 'one that has something left is charged', given: budget(), then: 'Charge' },
  ])('$name', ({ given, operation, tellsResizes = false, then, because }) => {
    const verdict = ask(given, operation, { tellsResizes }, { labels });
    expect(verdict).toMatchObject({ kind: then, ...(because === undefined ? {} : { because }) });
  });

  it.each<{ operation: PubOperation; map: string }>([
    { operation: 'DELETE', map: 'disruptedPods' },
    { operation: 'EVICT', map: 'disruptedPods' },
    { operation: 'UPDATE', map: 'unavailablePods' },
    { operation: 'RESIZE', map: 'unavailablePods' },
  ])('$operation takes one and is recorded in $map', ({ operation, map }) => {
    const held = { disruptedPods: { x: at }, unavailablePods: { y: at } };
    expect(ask(budget(held), operation)).toEqual({
      kind: 'Charge',
      status: { ...status(held), unavailableAllowed: 0, [map]: { ...held[map as keyof typeof held], p: at } },
    });
  });

  it.each<{ held: Partial<PodUnavailableBudgetStatus>; cause: string }>([
    { held: { unavailableAllowed: 0 }, cause: 'The budget b needs 2 to be available and has 3, of which 1 may go already' },
    { held: { unavailableAllowed: -1 }, cause: 'The budget b needs 2 to be available and has 3, of which 1 may go already' },
    {
      held: { unavailableAllowed: -2, currentAvailable: 3 },
      cause: 'The budget b needs 2 to be available and has 3, of which 1 may go already',
    },
    { held: { unavailableAllowed: 0, currentAvailable: 2 }, cause: 'The budget b needs 2 to be available and has 2' },
    { held: { unavailableAllowed: 0, currentAvailable: 1 }, cause: 'The budget b needs 2 to be available and has 1' },
  ])('denials have the words that programs look for, and the numbers as cause: $held', ({ held, cause }) => {
    expect(ask(budget(held))).toEqual({ kind: 'Deny', why: 'pub unavailable allowed is negative', cause });
  });

  it.each([
    { entries: mostEntries, then: 'Charge' },
    { entries: mostEntries + 1, then: 'Deny' },
  ])('with $entries records of both sorts: $then', ({ entries, then }) => {
    const names = (prefix: string, count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, at]));
    const half = Math.floor(entries / 2);
    const verdict = ask(budget({ disruptedPods: names('a', half), unavailablePods: names('b', entries - half) }));
    expect(verdict.kind).toBe(then);
    if (then === 'Deny') {
      const why = 'DisruptedPods and UnavailablePods map too big - too many unavailable not confirmed by PUB controller';
      expect(verdict).toEqual({
        kind: 'Deny',
        why,
        cause: 'The budget b has allowed disruptions of 2001 Pods that its controller has not observed yet',
      });
    }
  });
});

describe('the record of an earlier admission (4.5 rule 8)', () => {
  const seconds = (ago: number) => formatTime(later(100 - ago));
  it.each<{ name: string; held: Partial<PodUnavailableBudgetStatus>; createdAgo?: number; then: string }>([
    { name: 'of a deletion counts while it is young', held: { disruptedPods: { p: seconds(9) } }, then: 'Allow' },
    { name: 'of a deletion is renewed when half its time is over', held: { disruptedPods: { p: seconds(10) } }, then: 'Renew' },
    { name: 'of an update counts while it is young', held: { unavailablePods: { p: seconds(4) } }, then: 'Allow' },
    { name: 'of an update is renewed when half its time is over', held: { unavailablePods: { p: seconds(5) } }, then: 'Renew' },
    { name: 'that is older than the Pod may be of another', held: { disruptedPods: { p: seconds(5) } }, createdAgo: 3, then: 'Renew' },
    {
      name: 'from the second in which the Pod was made is of this one',
      held: { disruptedPods: { p: seconds(5) } },
      createdAgo: 5,
      then: 'Allow',
    },
    { name: 'from the future is renewed', held: { disruptedPods: { p: seconds(-5) } }, then: 'Renew' },
    { name: 'whose time cannot be read is renewed', held: { disruptedPods: { p: 'soon' } }, then: 'Renew' },
  ])('$name', ({ held, createdAgo = 60, then }) => {
    const verdict = ask(budget({ unavailableAllowed: 0, ...held }), 'DELETE', {}, { createdAt: later(100 - createdAgo) });
    expect(verdict.kind).toBe(then);
    const map = held.disruptedPods === undefined ? 'unavailablePods' : 'disruptedPods';
    const renewed = { kind: 'Renew', status: { ...status({ unavailableAllowed: 0, ...held }), [map]: { p: at } } };
    expect(verdict).toEqual(then === 'Renew' ? renewed : { kind: 'Allow', because: 'the Pod has been admitted already' });
  });

  it('an object that names things as languages do is a name like any other', () => {
    expect(decideByBudget(budget(), { pod: pod({ name: 'constructor' }), operation: 'DELETE' }, context()).kind).toBe('Charge');
  });
});
