/** The whole controller on an in-memory API server, when something blocks it. @see spec/daemonset.md 3, 5.5, 8 */
import { describe, expect, it } from '@jest/globals';
import { daemonSets, type DaemonSet } from '@kruise/api';
import { ApiError } from '@kruise/kube';
import type { FakeCall } from '@kruise/kube/testing';
import { controllerOf, controllerRevisions, nodes, pods } from '@kruise/objects';
import { aDaemonSet } from '@kruise/kinds/daemonset/testing';
import { DaemonSetCluster } from './cluster.testing.ts';

const three = ['n1 app:1', 'n2 app:1', 'n3 app:1'];
const allGood = 'desired 3, current 3, ready 3, updated 3, available 3, misscheduled 0';
const quota = 'pods "agent" is forbidden: exceeded quota: few, requested: pods=1, used: pods=0, limited: pods=0';

/** Says no to calls about Pods as long as it is on. */
class Refusal {
  isOn = true;
  readonly #of: (call: FakeCall) => ApiError | undefined;

  constructor(of: (call: FakeCall) => ApiError | undefined) {
    this.#of = of;
  }

  readonly before = (call: FakeCall): void => {
    const error = this.isOn && call.type === pods ? this.#of(call) : undefined;
    if (error !== undefined) throw error;
  };
}

const forbidden = (message: string, causes: readonly { readonly reason: string }[] = []): ApiError =>
  new ApiError(message, { kind: 'Forbidden' }, { code: 403, causes: causes as never });

describe('a DaemonSet', () => {
  it('runs one Pod on each node', async () => {
    await using cluster = new DaemonSetCluster();
    await cluster.settle();
    expect(cluster.shown).toEqual(three);
    expect(cluster.summary).toBe(allGood);
    cluster.changeImage('app:2');
    await cluster.settle();
    expect(cluster.shown).toEqual(['n1 app:2', 'n2 app:2', 'n3 app:2']);
    expect(await cluster.quietHour()).toEqual([]);
  });

  it('forgets with a node which Pod was deleted there last, by which the next one is named', async () => {
    await using cluster = new DaemonSetCluster();
    await cluster.settle();
    const first = cluster.podOn('n1').metadata.name;
    await cluster.deletePod('n1');
    await cluster.settle();
    const second = cluster.podOn('n1').metadata.name;
    await cluster.api.delete(nodes, { namespace: '', name: 'n1' });
    await cluster.deletePod('n1');
    await cluster.settle();
    cluster.node('n1');
    await cluster.settle();
    expect([first === second, cluster.podOn('n1').metadata.name]).toEqual([false, first]);
  });

  it('creates the revision that it uses when that of another owner is deleted', async () => {
    await using cluster = new DaemonSetCluster();
    await cluster.settle();
    const [held] = cluster.api.peekAll(controllerRevisions, 'default');
    const owner = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'DaemonSet', name: 'other', uid: 'other', controller: true };
    cluster.api.seed(controllerRevisions, { ...held!, metadata: { ...held!.metadata, ownerReferences: [owner] } });
    await cluster.settle();
    expect(cluster.revisions).toHaveLength(1);
    await cluster.api.delete(controllerRevisions, { namespace: 'default', name: held!.metadata.name });
    await cluster.settle();
    expect(cluster.api.peekAll(controllerRevisions, 'default').map((one) => controllerOf(one)?.uid)).toEqual([cluster.set.metadata.uid]);
  });

  it('reports what prevents the creation of Pods, counts its nodes meanwhile, and continues afterwards', async () => {
    const refusal = new Refusal(({ verb }) => (verb === 'create' ? forbidden(quota) : undefined));
    await using cluster = new DaemonSetCluster({}, refusal);
    await cluster.ticks(5);
    expect(cluster.conditions).toEqual([`Blocked QuotaExceeded: Pods cannot be created or deleted: ${quota}`]);
    expect(cluster.summary).toBe('desired 3, current 0, ready 0, updated 0, available 0, misscheduled 0');
    expect(new Set(cluster.events)).toEqual(new Set([`FailedCreate: Error creating: ${quota}`]));
    refusal.isOn = false;
    await cluster.settle(200, 20);
    expect([cluster.shown, cluster.summary, cluster.conditions]).toEqual([three, allGood, []]);
  });

  it('tries one Pod at a time, and not every node, where Pods are refused', async () => {
    let attempts = 0;
    const refusal = new Refusal(({ verb }) => (verb === 'create' ? (attempts++, forbidden(quota)) : undefined));
    await using cluster = new DaemonSetCluster({}, { ...refusal, nodes: Array.from({ length: 50 }, (_, index) => `n${index}`) });
    await cluster.tick();
    expect(attempts).toBeGreaterThan(0);
    expect(attempts).toBeLessThan(20);
  });

  it('reports no Pods that cannot be created because their namespace is being deleted', async () => {
    const refusal = new Refusal(({ verb }) => (verb === 'create' ? forbidden('going', [{ reason: 'NamespaceTerminating' }]) : undefined));
    await using cluster = new DaemonSetCluster({}, refusal);
    await cluster.ticks(5);
    expect([cluster.events, cluster.conditions, cluster.shown]).toEqual([[], [], []]);
  });

  it('says which Pod could not be deleted, and updates the other nodes', async () => {
    let kept = '';
    const refusal = new Refusal(({ verb, key }) => (verb === 'delete' && key.name === kept ? forbidden('protected') : undefined));
    await using cluster = new DaemonSetCluster({ rollingUpdate: { maxUnavailable: 3 } }, refusal);
    await cluster.settle();
    kept = cluster.podOn('n2').metadata.name;
    cluster.changeImage('app:2');
    await cluster.ticks(8);
    expect(cluster.shown).toEqual(['n1 app:2', 'n2 app:1', 'n3 app:2']);
    expect(cluster.events).toContain('FailedDelete: Error deleting: protected');
    expect(cluster.conditions).toEqual(['Blocked ScalingFails: Pods cannot be created or deleted: protected']);
    refusal.isOn = false;
    await cluster.settle(200, 20);
    expect([cluster.shown, cluster.conditions]).toEqual([['n1 app:2', 'n2 app:2', 'n3 app:2'], []]);
  });

  it('takes another name where one is taken, and leaves the Pod that has it', async () => {
    await using planned = new DaemonSetCluster({}, { nodes: ['n1'] });
    await planned.settle();
    const { name } = planned.podOn('n1').metadata;
    let seen = false;
    await using cluster = new DaemonSetCluster(
      {},
      {
        nodes: ['n1'],
        // Another client takes the name just after the controller has read it.
        before: ({ verb, type, key }) => {
          if (seen || verb !== 'create' || type !== pods) return;
          seen = true;
          cluster.api.seed(pods, { metadata: key, spec: { nodeName: 'other', containers: [] } });
        },
      },
    );
    await cluster.settle();
    expect(cluster.pods.map(({ metadata, spec }) => [metadata.name === name, spec.nodeName])).toEqual([
      [false, 'n1'],
      [true, 'other'],
    ]);
    expect(cluster.events.filter((event) => event.startsWith('Failed'))).toEqual([]);
    expect(cluster.conditions).toEqual([]);
  });

  it.each<[string, Partial<DaemonSet['spec']>, string, string]>([
    [
      'an empty selector',
      { selector: {} },
      'SelectingAll: This daemon set is selecting all pods. A non-empty selector is required.',
      'Blocked InvalidSpec: spec.selector: ',
    ],
    ['no template', { template: undefined as never }, 'InvalidSpec: spec.template', 'Blocked InvalidSpec: spec.template'],
    [
      'words for minReadySeconds',
      { minReadySeconds: 'x' as never },
      'InvalidSpec: spec.minReadySeconds',
      'Blocked InvalidSpec: spec.minReadySeconds',
    ],
  ])('that admission did not check, with %s, reports it once, and others are not affected', async (_name, spec, event, condition) => {
    await using cluster = new DaemonSetCluster();
    await cluster.settle();
    const quiet = cluster.events.length;
    const healthy = cluster.set;
    cluster.api.seed(daemonSets, {
      ...aDaemonSet({ spec }),
      metadata: { ...healthy.metadata, name: 'broken', uid: 'broken', resourceVersion: undefined as never },
    });
    await cluster.ticks(20);
    const broken = cluster.api.peek(daemonSets, { namespace: 'default', name: 'broken' });
    expect((broken?.status?.conditions ?? []).map(({ type, reason = '', message = '' }) => `${type} ${reason}: ${message}`)).toEqual([
      expect.stringContaining(condition),
    ]);
    expect(cluster.events.slice(quiet)).toEqual([expect.stringContaining(event)]);
    cluster.changeImage('app:2');
    await cluster.settle();
    expect(cluster.shown).toEqual(['n1 app:2', 'n2 app:2', 'n3 app:2']);
  });
});
