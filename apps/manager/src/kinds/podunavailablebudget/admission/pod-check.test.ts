/** What the Pod webhook answers for budgets, and what it leaves behind. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { podUnavailableBudgets, type PodUnavailableBudgetSpec, type PodUnavailableBudgetStatus } from '@kruise/api';
import { apiFailures } from '@kruise/kube/testing';
import { pods, type Pod } from '@kruise/objects';
import { BudgetCluster, labelled, namespace, relatedPub, toImage, type WebhookReplica } from '../cluster.testing.ts';

const named = { annotations: { [relatedPub]: 'b' } };
const forbidden = (why: string): string => `podunavailablebudget.policy.kruise.io "b" is forbidden: ${why}`;
const exhausted = forbidden('pub unavailable allowed is negative');

let cluster: BudgetCluster;
afterEach(() => cluster.stop());

/** Two ready Pods, and a budget that lets so many go. */
async function begin(
  allowed: number,
  spec: Partial<PodUnavailableBudgetSpec> = {},
  gates: Parameters<BudgetCluster['replica']>[0] = {},
): Promise<WebhookReplica> {
  cluster = new BudgetCluster();
  const status: PodUnavailableBudgetStatus = { totalReplicas: 2, desiredAvailable: 1, currentAvailable: 2, unavailableAllowed: allowed };
  const budget = cluster.budget({ maxUnavailable: 1, ...spec });
  cluster.api.seed(podUnavailableBudgets, { ...budget, status });
  for (const name of ['a', 'b']) cluster.pod(name, undefined, named);
  return cluster.replica(gates);
}
const left = (): number | undefined => cluster.get()?.status?.unavailableAllowed;
const recorded = (): readonly string[] => {
  const { disruptedPods = {}, unavailablePods = {} } = cluster.get()?.status ?? {};
  return [
    ...Object.keys(disruptedPods).map((name) => `disrupted ${name}`),
    ...Object.keys(unavailablePods).map((name) => `unavailable ${name}`),
  ];
};
const cpu =
  (amount: string, restartPolicy?: string) =>
  (pod: Pod): Pod => ({
    ...pod,
    spec: {
      ...pod.spec,
      containers: [
        {
          name: 'main',
          image: 'app:1',
          resources: { requests: { cpu: amount } },
          ...(restartPolicy === undefined ? {} : { resizePolicy: [{ resourceName: 'cpu', restartPolicy }] }),
        },
      ],
    },
  });

describe('an operation on a Pod (4.5)', () => {
  it.each<{ name: string; act: (replica: WebhookReplica) => Promise<{ code: number; message: string }>; record: string }>([
    { name: 'DELETE', act: (replica) => cluster.delete('a', replica), record: 'disrupted a' },
    { name: 'EVICT', act: (replica) => cluster.evict('a', replica), record: 'disrupted a' },
    { name: 'UPDATE', act: (replica) => cluster.update('a', toImage('app:2'), replica), record: 'unavailable a' },
    {
      name: 'UPDATE by a label',
      act: (replica) => cluster.update('a', labelled('unavailable-pod.kruise.io/x', ''), replica),
      record: 'unavailable a',
    },
    { name: 'RESIZE', act: (replica) => cluster.update('a', cpu('1'), replica), record: 'unavailable a' },
    {
      name: 'RESIZE by the subresource',
      act: (replica) => cluster.update('a', cpu('1'), replica, { subResource: 'resize' }),
      record: 'unavailable a',
    },
  ])('$name takes one and is recorded at once; the next is refused', async ({ name, act, record }) => {
    const replica = await begin(1);
    if (name.startsWith('RESIZE')) cluster.api.seed(pods, { ...cpu('2')(cluster.getPod('a')!) });
    expect(await act(replica)).toEqual({ code: 200, message: '' });
    expect([left(), recorded()]).toEqual([0, [record]]);
    const cause = { reason: 'DisruptionBudget', message: 'The budget b needs 1 to be available and has 2, of which 1 may go already' };
    expect(await cluster.evict('b', replica)).toEqual({ code: 429, message: exhausted, cause });
    expect(await cluster.delete('b', replica)).toEqual({ code: 403, message: exhausted });
    expect(await cluster.update('b', toImage('app:2'), replica)).toEqual({ code: 403, message: exhausted });
    expect(cluster.getPod('b')?.spec.containers[0]?.image).toBe('app:1');
  });

  it('3: a refusal is an event, a line of the protection log and a number', async () => {
    const replica = await begin(0);
    await cluster.evict('a', replica);
    await cluster.evict('a', replica, { dryRun: true });
    expect(replica.events).toEqual(Array<string>(2).fill('pub-controller Warning PubPreventPodDeletion on a'));
    expect(replica.refused[1]).toEqual({
      Event: 'PodUnavailableBudget',
      Kind: 'unknown',
      Namespace: namespace,
      Name: 'a',
      UserAgent: 'alice',
    });
  });

  it('the controller of the Pod is named in the log', async () => {
    const replica = await begin(0);
    cluster.deployment('web', 1);
    cluster.pod('web-0', 'web', named);
    await cluster.delete('web-0', replica);
    expect(replica.refused).toMatchObject([{ Kind: 'ReplicaSet', Name: 'web-1' }]);
  });

  it.each<{
    name: string;
    allowed?: number;
    spec?: Partial<PodUnavailableBudgetSpec>;
    before?: () => void;
    act: (replica: WebhookReplica) => Promise<{ code: number }>;
  }>([
    {
      name: '3: of a Pod taken out of protection',
      before: () => void cluster.pod('a', undefined, { annotations: { 'pub.kruise.io/no-protect': 'true' } }),
      act: (replica) => cluster.evict('a', replica),
    },
    {
      name: '4: of a Pod that the budget ignores',
      spec: { ignoredPodSelector: { matchLabels: { x: 'y' } } },
      before: () => void cluster.pod('a', undefined, { labels: { x: 'y' } }),
      act: (replica) => cluster.evict('a', replica),
    },
    {
      name: '6: of a Pod that is not ready',
      before: () => void cluster.pod('a', undefined, { ready: false }),
      act: (replica) => cluster.delete('a', replica),
    },
    {
      name: '6: an update of one',
      before: () => void cluster.pod('a', undefined, { ready: false }),
      act: (replica) => cluster.update('a', toImage('x'), replica),
    },
    {
      name: '7: that takes an unavailable label away',
      before: () => void cluster.pod('a', undefined, { labels: { 'unavailable-pod.kruise.io/x': '' } }),
      act: (replica) => cluster.update('a', ({ metadata, ...pod }) => ({ ...pod, metadata: { ...metadata, labels: {} } }), replica),
    },
    {
      name: '8: that the budget does not protect from',
      spec: { protectOperations: ['DELETE'] },
      act: (replica) => cluster.evict('a', replica),
    },
    {
      name: '8: updates, where only deletions are',
      spec: { protectOperations: ['DELETE'] },
      act: (replica) => cluster.update('a', toImage('x'), replica),
    },
    { name: 'of metadata alone', act: (replica) => cluster.update('a', labelled('x', 'y'), replica) },
    {
      name: 'that takes the name of the budget away',
      act: (replica) =>
        cluster.update(
          'a',
          ({ metadata, ...pod }) => ({ ...toImage('x')({ ...pod, metadata }), metadata: { ...metadata, annotations: {} } }),
          replica,
        ),
    },
    {
      name: 'a second deletion of a terminating Pod',
      act: (replica) => {
        const pod = cluster.getPod('a')!;
        const oldObject = { ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
        return replica.ask({ operation: 'DELETE', name: 'a', oldObject });
      },
    },
    {
      name: 'of a Pod of another subresource',
      act: (replica) => replica.ask({ operation: 'CREATE', subResource: 'binding', name: 'a', object: null }),
    },
    { name: 'a deletion without an object', act: (replica) => replica.ask({ operation: 'DELETE', name: 'a', oldObject: null }) },
  ])('is free: $name', async ({ allowed = 0, spec, before, act }) => {
    const replica = await begin(allowed, spec);
    before?.();
    expect((await act(replica)).code).toBe(200);
    expect([left(), recorded(), replica.events]).toEqual([allowed, [], []]);
  });

  it.each<{ name: string; act: (replica: WebhookReplica) => Promise<{ code: number }> }>([
    { name: 'of a deletion', act: (replica) => cluster.delete('a', replica, { dryRun: true }) },
    {
      name: 'said in its options',
      act: (replica) => replica.ask({ operation: 'DELETE', name: 'a', oldObject: cluster.getPod('a')!, options: { dryRun: ['All'] } }),
    },
    {
      name: 'of an eviction, said in its options',
      act: (replica) =>
        replica.ask({
          operation: 'CREATE',
          subResource: 'eviction',
          name: 'a',
          object: { metadata: { name: 'a' }, deleteOptions: { dryRun: ['All'] } } as never,
        }),
    },
    { name: 'of an update', act: (replica) => cluster.update('a', toImage('x'), replica, { dryRun: true }) },
  ])('15: a dry run $name costs nothing, and is refused where it would be', async ({ act }) => {
    const replica = await begin(1);
    expect((await act(replica)).code).toBe(200);
    expect([left(), recorded()]).toEqual([1, []]);
    cluster.api.seed(podUnavailableBudgets, { ...cluster.get()!, status: { ...cluster.get()!.status!, unavailableAllowed: 0 } });
    await cluster.clock.settle();
    expect((await act(replica)).code).toBeGreaterThan(400);
  });

  it('17: with resizes distinguished from updates, one that restarts nothing is free and one that does is an update', async () => {
    const replica = await begin(0, {}, { gates: { InPlacePodVerticalScaling: true } });
    for (const policy of ['NotRequired', 'RestartContainer'])
      cluster.api.seed(pods, cpu('1', policy)(cluster.getPod(policy === 'NotRequired' ? 'a' : 'b')!));
    expect((await cluster.update('a', cpu('2', 'NotRequired'), replica)).code).toBe(200);
    expect((await cluster.update('b', cpu('2', 'RestartContainer'), replica)).code).toBe(403);
  });

  it('an eviction of a Pod that is not there is a fault of the request', async () => {
    const replica = await begin(1);
    expect(await replica.ask({ operation: 'CREATE', subResource: 'eviction', name: 'gone', object: null })).toEqual({
      code: 400,
      message: 'pods "gone" not found',
    });
  });

  it('a budget that ignores Pods by a selector that cannot be read is a fault, too', async () => {
    const replica = await begin(1, { ignoredPodSelector: { matchLabels: { a: '!' } } });
    expect((await cluster.delete('a', replica)).code).toBe(400);
  });

  it('a Pod that could not be read for its eviction is refused with 400', async () => {
    const replica = await begin(
      1,
      {},
      {
        faults: {
          before: ({ verb, type }) => {
            if (verb === 'get' && type === pods) throw apiFailures.unreachable();
          },
        },
      },
    );
    expect((await cluster.evict('a', replica)).code).toBe(400);
  });
});

describe('gates', () => {
  it('off for updates: these are let through', async () => {
    const replica = await begin(0, {}, { gates: { PodUnavailableBudgetUpdateGate: false } });
    expect((await cluster.update('a', toImage('x'), replica)).code).toBe(200);
    expect((await cluster.delete('a', replica)).code).toBe(403);
  });

  it('off for deletions: these are', async () => {
    const replica = await begin(0, {}, { gates: { PodUnavailableBudgetDeleteGate: false } });
    expect((await cluster.delete('a', replica)).code).toBe(200);
    expect((await cluster.update('b', toImage('x'), replica)).code).toBe(403);
  });
});

describe('replicas whose caches are not equally far', () => {
  it('charge one after the other: the loser reads again', async () => {
    const first = await begin(1);
    const second = await cluster.replica();
    cluster.api.holdWatches();
    expect((await cluster.delete('a', first)).code).toBe(200);
    const late = cluster.delete('b', second);
    await cluster.clock.step(5000);
    expect((await late).code).toBe(403);
    expect(left()).toBe(0);
  });

  it('do not refuse by what was: they look before they do', async () => {
    const replica = await begin(0);
    cluster.api.holdWatches();
    cluster.api.seed(podUnavailableBudgets, { ...cluster.get()!, status: { ...cluster.get()!.status!, unavailableAllowed: 1 } });
    expect((await cluster.delete('a', replica)).code).toBe(200);
  });

  it('do not let go by what was: a budget that needed no Pod may need some by now', async () => {
    const replica = await begin(0);
    const budget = cluster.get()!;
    cluster.api.seed(podUnavailableBudgets, { ...budget, status: { ...budget.status!, desiredAvailable: 0 } });
    await cluster.clock.settle();
    cluster.api.holdWatches();
    cluster.api.seed(podUnavailableBudgets, { ...cluster.get()!, status: budget.status! });
    expect((await cluster.delete('a', replica)).code).toBe(403);
  });

  it('64 at once through both take what there is, and not one more', async () => {
    const first = await begin(5);
    const second = await cluster.replica();
    const names = Array.from({ length: 64 }, (_, i) => `p${i}`);
    for (const name of names) cluster.pod(name, undefined, named);
    await cluster.clock.settle();
    const all = Promise.all(
      names.map((name, i) => {
        const replica = i % 2 === 0 ? first : second;
        return [() => cluster.evict(name, replica), () => cluster.delete(name, replica), () => cluster.update(name, toImage('x'), replica)][
          i % 3
        ]!();
      }),
    );
    await cluster.clock.step(20_000);
    const codes = (await all).map(({ code }) => code);
    expect([codes.filter((code) => code === 200).length, left(), recorded().length]).toEqual([5, 0, 5]);
  });
});

describe('a write that fails', () => {
  it('keeps the Pod, with the words of the server', async () => {
    const replica = await begin(
      1,
      {},
      {
        faults: {
          before: ({ verb }) => {
            if (verb === 'update') throw apiFailures.unreachable();
          },
        },
      },
    );
    expect(await cluster.delete('a', replica)).toEqual({
      code: 403,
      message: expect.stringContaining('podunavailablebudget.policy.kruise.io "b" is forbidden: '),
    });
    expect(left()).toBe(1);
  });

  it('as does a budget that cannot be read before it refuses; an eviction is tried again', async () => {
    const replica = await begin(
      0,
      {},
      {
        faults: {
          before: ({ verb, type }) => {
            if (verb === 'get' && type === podUnavailableBudgets) throw apiFailures.unreachable();
          },
        },
      },
    );
    const lost = { message: expect.stringMatching(/^podunavailablebudget\.policy\.kruise\.io "b" is forbidden: /) };
    expect([await cluster.delete('a', replica), await cluster.evict('a', replica)]).toEqual([
      { code: 403, ...lost },
      { code: 429, ...lost, cause: { reason: 'DisruptionBudget', message: expect.any(String) } },
    ]);
  });

  it('a budget that is deleted meanwhile keeps no Pod', async () => {
    const replica = await begin(1);
    cluster.api.holdWatches();
    await cluster.api.delete(podUnavailableBudgets, { namespace, name: 'b' });
    expect((await cluster.delete('a', replica)).code).toBe(200);
  });
});
