/** The objects that an event enqueues, and how soon. @see spec/podunavailablebudget.md 5.1 */
import { describe, expect, it } from '@jest/globals';
import type { PodUnavailableBudget, PodUnavailableBudgetSpec } from '@kruise/api';
import type { Request, StoreEvent } from '@kruise/kube';
import type { KubeObject, Pod } from '@kruise/objects';
import { aPod, type PodShape } from '@kruise/testing';
import { availability, isFor, selections } from '@kruise/kinds/podunavailablebudget';
import { requestsOfBudget, requestsOfPod, requestsOfWorkload, type Budgets } from './triggers.ts';

const time = '2026-01-01T00:00:00Z';
const selectionOf = selections();
const budget = (name: string, spec: PodUnavailableBudgetSpec, disrupted: readonly string[] = []): PodUnavailableBudget => ({
  metadata: { name, namespace: 'default', generation: 1 },
  spec,
  status: {
    currentAvailable: 0,
    desiredAvailable: 0,
    totalReplicas: 0,
    unavailableAllowed: 0,
    disruptedPods: Object.fromEntries(disrupted.map((pod) => [pod, time])),
  },
});
const web = budget('web', { selector: { matchLabels: { app: 'web' } } }, ['admitted']);
const db = budget('db', { selector: { matchLabels: { app: 'db' } } });
const target = budget('target', { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } });
const foreign = budget('foreign', { targetRef: { apiVersion: 'x/v1', kind: 'Rollout', name: 'web' } });
const known: Budgets = {
  in: (namespace) => (namespace === 'default' ? [web, db, target, foreign] : []),
  isFor: (one, pod) => isFor(selectionOf(one), pod, []),
  findsBySelector: (one) => one === foreign,
  selectionOf,
  isAvailable: availability({ InPlaceWorkloadVerticalScaling: false }),
};

/** As `name` for at once, `name after ms` for later. */
const textsOf = (requests: readonly Request[]): readonly string[] =>
  requests.map((request) => ('key' in request ? `${request.key.name} after ${request.after}` : request.name));

const pod = (shape: PodShape = {}): Pod =>
  aPod({ name: 'p', labels: { app: 'web' }, annotations: { 'pub.kruise.io/related-pub': 'web' }, ...shape });
const ofPod = (event: StoreEvent<Pod>): readonly string[] => textsOf(requestsOfPod(event, known, () => 1000));
const added = <T extends KubeObject>(object: T): StoreEvent<T> => ({ kind: 'Added', object, initial: false });
const updated = <T extends KubeObject>(previous: T, object: T): StoreEvent<T> => ({ kind: 'Updated', previous, object });
const deleted = <T extends KubeObject>(object: T): StoreEvent<T> => ({ kind: 'Deleted', object });

describe('an event of a Pod', () => {
  const gathered = 'after 40';
  it.each<{ name: string; event: StoreEvent<Pod>; then: readonly string[] }>([
    { name: 'that is new enqueues the budget that it names', event: added(pod()), then: [`web ${gathered}`] },
    { name: 'that has ended already enqueues none', event: added(pod({ phase: 'Succeeded' })), then: [] },
    {
      name: 'that names none enqueues the one that is for it, and those that have to look',
      event: added(pod({ annotations: {} })),
      then: [`web ${gathered}`, `foreign ${gathered}`],
    },
    { name: 'of another namespace enqueues none', event: added(pod({ namespace: 'other' })), then: [] },
    { name: 'that becomes unready enqueues it', event: updated(pod(), pod({ ready: false })), then: [`web ${gathered}`] },
    {
      name: 'of which nothing changes that counts enqueues none',
      event: updated(pod(), pod({ annotations: { ...pod().metadata.annotations, a: 'b' } })),
      then: [],
    },
    {
      name: 'whose labels change enqueues both budgets',
      event: updated(pod(), pod({ labels: { app: 'db' } })),
      then: [`web ${gathered}`, `db ${gathered}`],
    },
    {
      name: 'that loses the name enqueues the one that gives it back',
      event: updated(pod(), pod({ annotations: {} })),
      then: [`web ${gathered}`, `foreign ${gathered}`],
    },
    {
      name: 'whose deletion is requested without an admission enqueues it',
      event: updated(pod(), pod({ terminating: true })),
      then: [`web ${gathered}`],
    },
    {
      name: 'whose deletion is requested after an admission enqueues it 5 s later',
      event: updated(pod({ name: 'admitted' }), pod({ name: 'admitted', terminating: true })),
      then: ['web after 5000'],
    },
    {
      name: 'that is being deleted already enqueues none',
      event: updated(pod({ terminating: true }), pod({ terminating: true, ready: false })),
      then: [],
    },
    { name: 'that is deleted without an admission enqueues it', event: deleted(pod()), then: [`web ${gathered}`] },
    {
      name: 'that is deleted after an admission enqueues it 5 s later',
      event: deleted(pod({ name: 'admitted' })),
      then: ['web after 5000'],
    },
    { name: 'that is deleted after it was terminating enqueues none', event: deleted(pod({ terminating: true })), then: [] },
  ])('$name', ({ event, then }) => {
    expect(ofPod(event)).toEqual(then);
  });
});

describe('an event of a budget', () => {
  const changed = { ...web, metadata: { ...web.metadata, generation: 2 } };
  const annotated = { ...web, metadata: { ...web.metadata, annotations: { a: 'b' } } };
  it.each<{ name: string; event: StoreEvent<PodUnavailableBudget>; then: readonly string[] }>([
    { name: 'that is new enqueues it', event: added(web), then: ['web'] },
    { name: 'that a user changed enqueues it', event: updated(web, changed), then: ['web'] },
    { name: 'that a user annotated enqueues it', event: updated(web, annotated), then: ['web'] },
    { name: 'that was charged enqueues it a little later', event: updated(web, { ...web }), then: ['web after 100'] },
    { name: 'that is deleted enqueues it', event: deleted(web), then: ['web'] },
  ])('$name', ({ event, then }) => {
    expect(textsOf(requestsOfBudget(event))).toEqual(then);
  });
});

describe('an event of a workload', () => {
  const workload = (replicas: number, over: object = {}, metadata: object = {}): KubeObject =>
    ({
      metadata: { name: 'web', namespace: 'default', ...metadata },
      spec: { replicas, template: { metadata: { labels: { app: 'db' } } } },
      ...over,
    }) as KubeObject;
  const both = ['db', 'target'];
  it.each<{ name: string; event: StoreEvent<KubeObject>; then: readonly string[] }>([
    { name: 'that is new enqueues those that name it or select its Pods', event: added(workload(1)), then: both },
    { name: 'that is scaled does', event: updated(workload(1), workload(2)), then: both },
    {
      name: 'that is for more nodes does',
      event: updated(workload(1), workload(1, { status: { desiredNumberScheduled: 3 } })),
      then: both,
    },
    { name: 'that is being deleted does', event: updated(workload(1), workload(1, {}, { deletionTimestamp: time })), then: both },
    {
      name: 'of which nothing changes that counts does not',
      event: updated(workload(1), workload(1, {}, { labels: { a: 'b' } })),
      then: [],
    },
    { name: 'that is deleted does', event: deleted(workload(1)), then: both },
    { name: 'of another name does so by its Pods only', event: added(workload(1, {}, { name: 'x' })), then: ['db'] },
    { name: 'of another namespace does not', event: added(workload(1, {}, { namespace: 'other' })), then: [] },
    { name: 'without a template does so by its name only', event: added(workload(1, { spec: {} })), then: ['target'] },
  ])('$name', ({ event, then }) => {
    expect(requestsOfWorkload(event, { group: 'apps', kind: 'Deployment' }, known).map(({ name }) => name)).toEqual(then);
  });

  it('of another kind with the name does not', () => {
    const requests = requestsOfWorkload(added(workload(1)), { group: 'apps.kruise.io', kind: 'StatefulSet' }, known);
    expect(requests.map(({ name }) => name)).toEqual(['db']);
  });
});
