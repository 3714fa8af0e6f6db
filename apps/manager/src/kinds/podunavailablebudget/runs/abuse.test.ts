/**
 * Attempts to take a protected Pod out of service beyond its budget, or to use or free the budget of others, by a user who may write only Pods and
 * budgets of a namespace. The last table lists what the contract leaves open.
 */
import { afterEach, describe, expect, it } from '@jest/globals';
import { podUnavailableBudgets, validatePodUnavailableBudget, type PodUnavailableBudgetStatus } from '@kruise/api';
import { pods, type JsonObject, type ObjectMeta, type Pod } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { asNew } from '../../../module/controller-process.testing.ts';
import { BudgetCluster, labelled, namespace, relatedPub, toImage, type Answer, type WebhookReplica } from '../cluster.testing.ts';

const legacy = 'kruise.io/related-pub';
const named = { [relatedPub]: 'b', [legacy]: 'b' };
const status: PodUnavailableBudgetStatus = { totalReplicas: 2, desiredAvailable: 2, currentAvailable: 2, unavailableAllowed: 0 };

let cluster = new BudgetCluster();
afterEach(() => cluster.stop());

/** Two ready Pods under a budget with nothing left, and a victim's budget of the same name elsewhere. */
async function begin(): Promise<WebhookReplica> {
  cluster = new BudgetCluster();
  cluster.api.seed(podUnavailableBudgets, { ...cluster.budget({ maxUnavailable: 0 }), status });
  cluster.api.seed(podUnavailableBudgets, {
    metadata: { name: 'b', namespace: 'victim' },
    spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 1 },
    status: { ...status, desiredAvailable: 1, unavailableAllowed: 1 },
  });
  for (const name of ['p', 'q']) cluster.pod(name, undefined, { annotations: named });
  return cluster.replica();
}

type Attempt = (replica: WebhookReplica) => Promise<Answer>;
const withMetadata =
  (change: (metadata: ObjectMeta) => Partial<ObjectMeta>, also: (pod: Pod) => Pod = (same) => same) =>
  (pod: Pod): Pod =>
    also({ ...pod, metadata: { ...pod.metadata, ...change(pod.metadata) } });
const annotated = (annotations: Readonly<Record<string, string>>) =>
  withMetadata((metadata) => ({ annotations: { ...metadata.annotations, ...annotations } }));
const bothOf = (first: (pod: Pod) => Pod, second: (pod: Pod) => Pod) => (pod: Pod) => second(first(pod));
const deleted =
  (options: object): Attempt =>
  (replica) =>
    cluster.delete('p', replica, { options });
/** One write that is free, and then the deletion. */
const after =
  (change: (pod: Pod) => Pod): Attempt =>
  async (replica) => {
    expect((await cluster.update('p', change, replica)).code).toBe(200);
    return cluster.delete('p', replica);
  };
const eviction =
  (more: object): Attempt =>
  (replica) =>
    cluster.evict('p', replica, {
      object: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p', namespace }, ...more },
    });
const container =
  (change: object) =>
  (pod: Pod): Pod => ({ ...pod, spec: { ...pod.spec, containers: pod.spec.containers.map((one) => ({ ...one, ...change })) } });
const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'mine', uid: 'mine' };

const escapes: Readonly<Record<string, Attempt>> = {
  'a plain deletion': deleted({}),
  'a forced deletion': deleted({ gracePeriodSeconds: 0 }),
  'a deletion with a long grace period': deleted({ gracePeriodSeconds: 86_400 }),
  'a deletion in the background': deleted({ propagationPolicy: 'Background' }),
  'a deletion in the foreground': deleted({ propagationPolicy: 'Foreground' }),
  'a deletion that orphans': deleted({ propagationPolicy: 'Orphan' }),
  'a deletion with a precondition': deleted({ preconditions: { uid: 'x' } }),
  'a deletion with an empty list of dry runs': deleted({ dryRun: [] }),
  'an eviction': eviction({}),
  'a forced eviction': eviction({ deleteOptions: { gracePeriodSeconds: 0 } }),
  'an eviction that names another Pod inside': eviction({ metadata: { name: 'other', namespace: 'victim' } }),
  'an eviction with an empty list of dry runs': eviction({ deleteOptions: { dryRun: [] } }),
  'a finalizer first': after(withMetadata(() => ({ finalizers: ['example.com/mine'] }))),
  'another owner first': after(withMetadata(() => ({ ownerReferences: [owner] }))),
  'another controller first': after(withMetadata(() => ({ ownerReferences: [{ ...owner, controller: true }] }))),
  'an owner that is gone first': after(withMetadata(() => ({ ownerReferences: [{ ...owner, uid: 'gone', blockOwnerDeletion: true }] }))),
  'labels that the selector does not select first': after(withMetadata(() => ({ labels: {} }))),
  'another label first': after(labelled('app', 'other')),
  'an unavailable label of another prefix first': after(labelled('unavailable-pod.kruise.io.example.com/x', 'true')),
  'a deletion cost first': after(annotated({ 'controller.kubernetes.io/pod-deletion-cost': '-1' })),
  'no protection, not quite true, first': after(annotated({ 'pub.kruise.io/no-protect': 'yes' })),
  'no protection, in other words, first': after(annotated({ 'pub.kruise.io/no-protect ': 'true' })),
  'only the new name taken away first': after(annotated({ [relatedPub]: '' })),
  'only the old name taken away first': after(annotated({ [legacy]: '' })),
  'the old name of a budget that is gone first': after(annotated({ [legacy]: 'gone' })),
  'a static Pod in name first': after(annotated({ 'kubernetes.io/config.source': 'file' })),
  'a mirror of another Pod in name first': after(annotated({ 'kubernetes.io/config.mirror': 'x' })),
  'an update under way in name first': (replica) =>
    cluster.update('p', bothOf(annotated({ 'apps.kruise.io/specified-delete': 'true' }), toImage('x')), replica),
  'an unavailable label': (replica) => cluster.update('p', labelled('unavailable-pod.kruise.io/x', ''), replica),
  'an unavailable label without a name': (replica) => cluster.update('p', labelled('unavailable-pod.kruise.io/', 'false'), replica),
  'two unavailable labels at once': (replica) =>
    cluster.update('p', bothOf(labelled('unavailable-pod.kruise.io/x', ''), labelled('unavailable-pod.kruise.io/y', '')), replica),
  'another image': (replica) => cluster.update('p', toImage('x'), replica),
  'another image, by the subresource of resizes': (replica) => cluster.update('p', toImage('x'), replica, { subResource: 'resize' }),
  'another image and no protection in one write': (replica) =>
    cluster.update('p', bothOf(annotated({ 'pub.kruise.io/no-protect': 'true' }), toImage('x')), replica),
  'another image and a budget of another name in one write': (replica) =>
    cluster.update('p', bothOf(annotated({ [relatedPub]: 'none', [legacy]: 'none' }), toImage('x')), replica),
  'another image and labels that are ignored in one write': (replica) =>
    cluster.update('p', bothOf(labelled('ignored', 'yes'), toImage('x')), replica),
  'an unavailable label and more cpu in one write': (replica) =>
    cluster.update('p', bothOf(labelled('unavailable-pod.kruise.io/x', ''), container({ resources: { requests: { cpu: '1' } } })), replica),
  'another image and more cpu in one write': (replica) =>
    cluster.update('p', bothOf(container({ resources: { requests: { cpu: '1' } } }), toImage('x')), replica),
  'a deadline': (replica) => cluster.update('p', (pod) => ({ ...pod, spec: { ...pod.spec, activeDeadlineSeconds: 1 } }), replica),
  'a toleration taken away': (replica) =>
    cluster.update('p', (pod) => ({ ...pod, spec: { ...pod.spec, tolerations: [{ key: 'x' }] } }), replica),
  'a resize': (replica) => cluster.update('p', container({ resources: { requests: { cpu: '1' } } }), replica),
  'a deletion right after a dry run of it': async (replica) => {
    await cluster.delete('p', replica, { dryRun: true });
    return cluster.delete('p', replica);
  },
  'a deletion while caches are blind': async (replica) => {
    cluster.api.holdWatches();
    return cluster.delete('p', replica);
  },
  'a deletion right after a refused one': async (replica) => {
    await cluster.delete('p', replica);
    return cluster.delete('p', replica);
  },
};

describe('a protected Pod stays as it is', () => {
  it('there are at least 40 attempts', () => expect(Object.keys(escapes).length).toBeGreaterThanOrEqual(40));

  it.each(Object.keys(escapes))('%s', async (name) => {
    const replica = await begin();
    const answer = await escapes[name]?.(replica);
    expect([403, 429]).toContain(answer?.code);
    const held = cluster.getPod('p');
    expect([
      held?.spec.containers[0]?.image,
      Object.keys(held?.metadata.labels ?? {}).some((key) => key.startsWith('unavailable-pod.kruise.io/')),
    ]).toEqual(['app:1', false]);
    expect(cluster.get()?.status).toEqual(status);
  });
});

describe('the budget of another namespace is neither spent nor freed', () => {
  const victim = () => cluster.api.peek(podUnavailableBudgets, { namespace: 'victim', name: 'b' })?.status;
  it.each<{ name: string; attempt: Attempt }>([
    { name: 'by the name of its budget on a Pod of mine', attempt: async (replica) => cluster.delete('mine', replica) },
    {
      name: 'by its namespace in the name',
      attempt: async (replica) => (
        await cluster.update('mine', annotated({ [relatedPub]: 'victim/b' }), replica),
        cluster.delete('mine', replica)
      ),
    },
    {
      name: 'by its namespace in an eviction',
      attempt: (replica) => cluster.evict('mine', replica, { object: { metadata: { name: 'mine', namespace: 'victim' } } }),
    },
    {
      name: 'by 64 operations',
      attempt: async (replica) => (await Promise.all(Array.from({ length: 64 }, () => cluster.update('mine', toImage('x'), replica))))[0]!,
    },
  ])('$name', async ({ attempt }) => {
    const replica = await begin();
    cluster.api.seed(pods, asNew(aPod({ name: 'mine', annotations: named })));
    const before = victim();
    await attempt(replica);
    expect(victim()).toEqual(before);
  });
});

describe('a budget is not loosened by a second one', () => {
  const first = { metadata: { name: 'b' }, spec: { selector: { matchLabels: { app: 'web' } } } };
  it.each<{ name: string; spec: object; old?: object }>([
    { name: 'with the same selector', spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: '100%' } },
    { name: 'with a wider one', spec: { selector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] }, maxUnavailable: '100%' } },
    { name: 'with one of all Pods', spec: { selector: {}, maxUnavailable: '100%' } },
    { name: 'that ignores all Pods', spec: { selector: { matchLabels: { x: 'y' } }, maxUnavailable: 1, ignoredPodSelector: {} } },
    { name: 'of more than all', spec: { selector: { matchLabels: { x: 'y' } }, maxUnavailable: '1000%' } },
    { name: 'of less than nothing', spec: { selector: { matchLabels: { x: 'y' } }, minAvailable: -1 } },
    {
      name: 'that was for others before',
      spec: { selector: { matchLabels: { x: 'y' } }, maxUnavailable: 1 },
      old: { selector: { matchLabels: { x: 'z' } } },
    },
  ])('$name', ({ spec, old }) => {
    const object: JsonObject = { metadata: { name: 'mine' }, spec };
    const oldObject: JsonObject | undefined = old === undefined ? undefined : { metadata: { name: 'mine' }, spec: old };
    expect(validatePodUnavailableBudget(object, { oldObject, others: [first] })).not.toEqual([]);
  });
});

describe('open by contract', () => {
  it.each<{ name: string; attempt: Attempt }>([
    { name: 'no-protect, which is for emergencies', attempt: after(annotated({ 'pub.kruise.io/no-protect': 'true' })) },
    {
      name: 'both names taken away: the controller puts them back, and who may do this may do the former',
      attempt: after(annotated({ [relatedPub]: '', [legacy]: '' })),
    },
  ])('$name', async ({ attempt }) => {
    const replica = await begin();
    expect((await attempt(replica)).code).toBe(200);
  });
});
