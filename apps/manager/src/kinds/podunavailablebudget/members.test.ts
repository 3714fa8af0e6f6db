/** Which Pods a budget selects, as events make it known. */
import { expect, it } from '@jest/globals';
import type { PodUnavailableBudget } from '@kruise/api';
import { keyOf, type KubeObject, type LabelSelector, type Pod } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { BudgetMembers } from './members.ts';
import { selections } from '@kruise/kinds/podunavailablebudget';

/** What the stores hold. */
class Held<T extends KubeObject> {
  readonly objects = new Map<string, T>();
  readonly #textOf = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string => `${namespace}/${name}`;

  put(object: T): T | undefined {
    const key = this.#textOf(keyOf(object));
    const former = this.objects.get(key);
    this.objects.set(key, object);
    return former;
  }

  take(object: T): void {
    this.objects.delete(this.#textOf(keyOf(object)));
  }

  get store(): never {
    const get = (key: { readonly namespace: string; readonly name: string }): T | undefined => this.objects.get(this.#textOf(key));
    const list = ({ namespace }: { readonly namespace?: string }): readonly T[] =>
      [...this.objects.values()].filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace);
    return { get, list } as never;
  }
}

/** Budgets and Pods, and the members that follow both. */
function begin() {
  const [budgets, pods] = [new Held<PodUnavailableBudget>(), new Held<Pod>()];
  const members = new BudgetMembers({ budgets: budgets.store, pods: pods.store }, selections());
  return {
    members,
    putBudget: (object: PodUnavailableBudget): void => {
      const previous = budgets.put(object);
      members.onBudget(previous === undefined ? { kind: 'Added', object, initial: false } : { kind: 'Updated', object, previous });
    },
    takeBudget: (object: PodUnavailableBudget): void => {
      budgets.take(object);
      members.onBudget({ kind: 'Deleted', object });
    },
    putPod: (object: Pod): void => {
      const previous = pods.put(object);
      members.onPod(previous === undefined ? { kind: 'Added', object, initial: false } : { kind: 'Updated', object, previous });
    },
    takePod: (object: Pod): void => {
      pods.take(object);
      members.onPod({ kind: 'Deleted', object });
    },
    namesOf: (name: string, namespace = 'default') =>
      members
        .podsOf({ namespace, name })
        .map(({ metadata }) => metadata.name)
        .toSorted(),
  };
}

const budget = (name: string, selector: LabelSelector, namespace = 'default'): PodUnavailableBudget => ({
  metadata: { name, namespace },
  spec: { selector, maxUnavailable: 1 },
});
const [web, db] = [{ matchLabels: { app: 'web' } }, { matchLabels: { app: 'db' } }];
const pod = (name: string, app: string, namespace = 'default'): Pod => aPod({ name, namespace, labels: { app } });

it('are those that are there when the budget comes, and those that come later, of its namespace', () => {
  const fixture = begin();
  fixture.putPod(pod('a', 'web'));
  fixture.putPod(pod('b', 'db'));
  fixture.putPod(pod('elsewhere', 'web', 'other'));
  fixture.putBudget(budget('web', web));
  fixture.putBudget(budget('web', web, 'other'));
  fixture.putPod(pod('c', 'web'));
  fixture.putPod(pod('d', 'web', 'other'));
  expect([fixture.namesOf('web'), fixture.namesOf('web', 'other')]).toEqual([
    ['a', 'c'],
    ['d', 'elsewhere'],
  ]);
});

it('are distinguished from Pods of the same name elsewhere', () => {
  const fixture = begin();
  fixture.putPod(pod('a', 'web', 'first'));
  fixture.putPod(pod('a', 'db', 'second'));
  for (const namespace of ['first', 'second']) fixture.putBudget(budget('web', web, namespace));
  fixture.putPod(pod('b', 'db', 'second'));
  fixture.putPod(pod('b', 'web', 'first'));
  expect([fixture.namesOf('web', 'first'), fixture.namesOf('web', 'second')]).toEqual([['a', 'b'], []]);
});

it('follow the labels of Pods, and their end', () => {
  const fixture = begin();
  fixture.putBudget(budget('web', web));
  fixture.putBudget(budget('db', db));
  const made = pod('a', 'web');
  fixture.putPod(made);
  fixture.putPod({ ...made, status: { phase: 'Failed' } });
  expect([fixture.namesOf('web'), fixture.namesOf('db')]).toEqual([['a'], []]);
  fixture.putPod(pod('a', 'db'));
  expect([fixture.namesOf('web'), fixture.namesOf('db')]).toEqual([[], ['a']]);
  fixture.takePod(pod('a', 'db'));
  fixture.putPod(pod('a', 'web'));
  expect([fixture.namesOf('web'), fixture.namesOf('db')]).toEqual([['a'], []]);
});

it('are those of the present selector', () => {
  const fixture = begin();
  fixture.putPod(pod('a', 'web'));
  fixture.putPod(pod('b', 'db'));
  const before = budget('one', web);
  fixture.putBudget(before);
  fixture.putBudget({ ...before, status: { currentAvailable: 1, desiredAvailable: 1, totalReplicas: 1, unavailableAllowed: 0 } });
  expect(fixture.namesOf('one')).toEqual(['a']);
  fixture.putBudget(budget('one', db));
  expect(fixture.namesOf('one')).toEqual(['b']);
});

it('end with the budget, and one that selects nothing has none', () => {
  const fixture = begin();
  fixture.putPod(pod('a', 'web'));
  const made = budget('web', web);
  fixture.putBudget(made);
  expect(fixture.members.size).toBe(1);
  fixture.takeBudget(made);
  fixture.putBudget({ ...made, metadata: { name: 'target', namespace: 'default' }, spec: { targetRef: { kind: 'X' }, maxUnavailable: 1 } });
  expect([fixture.namesOf('web'), fixture.namesOf('target'), fixture.members.size]).toEqual([[], [], 1]);
});

it('nothing is known of a budget before its first event', () => {
  const fixture = begin();
  fixture.putPod(pod('a', 'web'));
  expect(fixture.namesOf('web')).toEqual([]);
});

it('what is known is not asked again for each event', () => {
  const fixture = begin();
  let reads = 0;
  const made = pod('a', 'web');
  const counted = { budgets: { list: () => (reads++, []) }, pods: { list: () => (reads++, []) } };
  const members = new BudgetMembers(counted as never, selections());
  members.onPod({ kind: 'Updated', object: { ...made, status: {} }, previous: made });
  const one = budget('web', web);
  members.onBudget({ kind: 'Updated', object: { ...one, metadata: { ...one.metadata, generation: 2 } }, previous: one });
  expect([reads, fixture.members.size]).toEqual([0, 0]);
});
