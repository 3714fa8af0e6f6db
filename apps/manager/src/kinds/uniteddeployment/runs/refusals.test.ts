/** Refusals of the API server for one subset: they are reported, the other subsets continue, and this one too once the cause is fixed. @see spec/uniteddeployment.md 5.6, 6 */
import { describe, expect, it } from '@jest/globals';
import { cloneSets, unitedDeploymentLabels as labels, unitedDeployments, type CloneSet } from '@kruise/api';
import type { FakeApi } from '@kruise/kube/testing';
import { isControlledBy, newControllerRef, pods, type KubeObject } from '@kruise/objects';
import { deployments } from '@kruise/workloads';
import { creates, Gate, patches, quota, webhook } from './refusals.testing.ts';
import { adaptive, named, templateOf } from '@kruise/kinds/uniteddeployment/testing';
import { UnitedDeploymentCluster } from '../cluster.testing.ts';

const namespace = 'default';
const messageOf = (cluster: UnitedDeploymentCluster, type: string): string | undefined =>
  cluster.status.conditions?.find((condition) => condition.type === type)?.message;
const imagesOf = (cluster: UnitedDeploymentCluster): readonly unknown[] =>
  cluster.api
    .peekAll(pods, namespace)
    .map(({ spec, metadata }) => `${metadata.labels?.[labels.subsetName] ?? ''} ${spec.containers[0]?.image ?? ''}`);

describe('a child that cannot be made', () => {
  it('is reported with its subset, and delays no other one: neither their creation nor updates', async () => {
    const gate = new Gate(quota, creates('a'));
    await using cluster = new UnitedDeploymentCluster({ replicas: 6, subsets: named('a', 'b', 'c') }, gate);
    await cluster.ticks(5);
    expect(cluster.shown).toEqual(['b 2 CloneSet', 'c 2 CloneSet']);
    expect(cluster.conditions).toEqual([
      'UnitedDeploymentUpdated True UnitedDeploymentRevisionUpdated',
      'SubsetUpdated True',
      'SubsetProvisioned False Error',
      'Blocked True QuotaExceeded',
    ]);
    expect(messageOf(cluster, 'SubsetProvisioned')).toBe(`subset a: ${quota}`);
    expect(messageOf(cluster, 'Blocked')).toBe(`children cannot be created or deleted: subset a: ${quota}`);
    cluster.changeImage('app:2');
    cluster.change({ topology: { subsets: named('a', 'b', 'd') } });
    await cluster.ticks(10);
    // The Pods of c stay for those that a is to run.
    expect(imagesOf(cluster).toSorted()).toEqual(['b app:2', 'b app:2', 'c app:1', 'c app:1', 'd app:2', 'd app:2']);
    gate.isOn = false;
    await cluster.settle(900, 200);
    expect(cluster.shown).toEqual(['a 2 CloneSet', 'b 2 CloneSet', 'd 2 CloneSet']);
    expect(cluster.conditions.toSorted()).toEqual([
      'SubsetProvisioned True',
      'SubsetUpdated True',
      'UnitedDeploymentUpdated True UnitedDeploymentRevisionUpdated',
    ]);
  });

  it('in the place of another one leaves that as it is until it is made', async () => {
    const gate = new Gate(quota, creates('b'));
    await using cluster = new UnitedDeploymentCluster({ replicas: 4, subsets: named('a') }, gate);
    await cluster.settle();
    cluster.change({ topology: { subsets: named('b') } });
    await cluster.ticks(10);
    expect(cluster.shown).toEqual(['a 4 CloneSet']);
    cluster.change({ replicas: 0 });
    await cluster.ticks(10);
    expect(cluster.shown).toEqual([]);
    cluster.change({ replicas: 4 });
    gate.isOn = false;
    await cluster.settle(900, 200);
    expect(cluster.shown).toEqual(['b 4 CloneSet']);
  });

  it('takes no Pods away from the others, but for what is not wanted any more', async () => {
    const gate = new Gate(quota, creates('b'));
    await using cluster = new UnitedDeploymentCluster({ replicas: 4, subsets: named('a') }, gate);
    await cluster.settle();
    cluster.change({ topology: { subsets: named('a', 'b') } });
    await cluster.ticks(10);
    expect(cluster.shown).toEqual(['a 4 CloneSet']);
    expect(cluster.subsets).toEqual(['a 2', 'b 2']);
    cluster.change({ replicas: 2 });
    await cluster.ticks(10);
    expect(cluster.shown).toEqual(['a 2 CloneSet']);
    gate.isOn = false;
    await cluster.settle(900, 200);
    expect(cluster.shown).toEqual(['a 1 CloneSet', 'b 1 CloneSet']);
  });

  it('of another kind leaves the children of the old kind until all of the new one are there', async () => {
    const gate = new Gate(webhook, creates('b', 'Deployment'));
    await using cluster = new UnitedDeploymentCluster({ replicas: 4 }, gate);
    await cluster.settle();
    cluster.change({ template: templateOf('Deployment') });
    await cluster.ticks(10);
    expect(cluster.shown).toEqual(['a 2 CloneSet', 'a 2 Deployment', 'b 2 CloneSet']);
    expect(cluster.conditions).toContain('Blocked True AdmissionRefuses');
    gate.isOn = false;
    await cluster.settle(900, 200);
    expect(cluster.shown).toEqual(['a 2 Deployment', 'b 2 Deployment']);
    expect(cluster.api.peekAll(cloneSets, namespace)).toEqual([]);
    expect(cluster.api.peekAll(deployments, namespace).every((one) => isControlledBy(one, cluster.united.metadata.uid))).toBe(true);
  });

  it('does not keep Pods of other subsets where they find no node', async () => {
    const gate = new Gate(quota, creates('c'));
    await using cluster = new UnitedDeploymentCluster({ replicas: 3, subsets: named('a', 'b', 'c'), schedule: adaptive() }, gate);
    await cluster.settle();
    expect(cluster.shown).toEqual(['a 3 CloneSet', 'b 0 CloneSet']);
    cluster.change({ replicas: 5 });
    cluster.workloads.closed.add('a');
    await cluster.ticks(30);
    expect(cluster.shown).toEqual(['a 3 CloneSet', 'b 2 CloneSet']);
  });

  it('beside another one is reported in the order of the subsets, in any order of the answers', async () => {
    const gate = new Gate(quota, (call) => creates('a')(call) || creates('c')(call));
    await using cluster = new UnitedDeploymentCluster({ replicas: 6, subsets: named('c', 'b', 'a') }, gate);
    await cluster.ticks(5);
    expect(messageOf(cluster, 'Blocked')).toBe(`children cannot be created or deleted: subset a: ${quota}`);
  });

  it('is retried with increasing delays, and reported in one event', async () => {
    const gate = new Gate(quota, creates('b'));
    await using cluster = new UnitedDeploymentCluster({ replicas: 4 }, gate);
    await cluster.ticks(3600);
    expect(gate.attempts).toBeLessThan(75);
    expect(new Set(cluster.events)).toEqual(
      new Set([
        'SuccessfulUpdateSubset: Create 1 Subset (CloneSet)',
        expect.stringMatching(/^FailedUpdateSubset: create web-b-\w+: /),
        `FailedUpdateSubset: this round: subset b: ${quota}`,
      ]),
    );
    const written: string[] = [];
    cluster.api.onWrite(({ call }) => {
      if (call.subresource === 'status' && call.from === 'manager') written.push(call.key.name);
    });
    await cluster.ticks(1200);
    expect(written).toEqual([]);
  });
});

describe('a child that cannot be changed', () => {
  it('is reported with its subset, and delays no other one', async () => {
    const gate = new Gate(webhook, patches('a'));
    await using cluster = new UnitedDeploymentCluster({ replicas: 4 }, gate);
    await cluster.settle();
    cluster.changeImage('app:2');
    await cluster.ticks(10);
    expect(imagesOf(cluster).toSorted()).toEqual(['a app:1', 'a app:1', 'b app:2', 'b app:2']);
    expect(cluster.conditions).toContain('SubsetUpdated False Error');
    expect(cluster.conditions).toContain('Blocked True AdmissionRefuses');
    expect(messageOf(cluster, 'Blocked')).toBe(`children cannot be updated: subset a: ${webhook}`);
    gate.isOn = false;
    await cluster.settle(900, 200);
    expect(imagesOf(cluster)).toEqual(Array.from({ length: 4 }, () => expect.stringContaining('app:2')));
    expect(cluster.conditions.join()).not.toMatch(/False|Blocked/);
  });
});

it('a child that is refused more Pods takes none from the others, and gets them later', async () => {
  const gate = new Gate(webhook, patches('b'));
  const share = (a: number, b: number) => ({
    subsets: [
      { name: 'a', replicas: a },
      { name: 'b', replicas: b },
    ],
  });
  await using cluster = new UnitedDeploymentCluster({ replicas: 6, ...share(5, 1) }, gate);
  gate.isOn = false;
  await cluster.settle();
  gate.isOn = true;
  cluster.change({ topology: share(1, 5) });
  await cluster.ticks(10);
  expect(cluster.shown).toEqual(['a 5 CloneSet', 'b 1 CloneSet']);
  cluster.change({ replicas: 3, topology: share(1, 2) });
  await cluster.ticks(10);
  expect(cluster.shown).toEqual(['a 2 CloneSet', 'b 1 CloneSet']);
  gate.isOn = false;
  await cluster.settle(900, 200);
  expect(cluster.shown).toEqual(['a 1 CloneSet', 'b 2 CloneSet']);
});

describe('what comes before the children', () => {
  const eventsOf = async (gate: Gate, prepare: (api: FakeApi) => void = () => undefined): Promise<readonly string[]> => {
    await using cluster = new UnitedDeploymentCluster({ replicas: 2 }, { ...gate, prepare });
    await cluster.ticks(3);
    expect(gate.attempts).toBeGreaterThan(0);
    return [...new Set(cluster.events.map((line) => line.split(':', 1)[0] ?? ''))];
  };
  const aChild = (name: string, ownerReferences: KubeObject['metadata']['ownerReferences'] = []): CloneSet => ({
    metadata: { namespace, name, labels: { app: 'web', [labels.subsetName]: 'a' }, ownerReferences },
    spec: { replicas: 1, selector: { matchLabels: { app: 'web', [labels.subsetName]: 'a' } }, template: {} },
  });

  it('a revision that cannot be created is reported, and no child is created without it', async () => {
    const gate = new Gate(quota, ({ verb, type }) => verb === 'create' && type?.kind === 'ControllerRevision');
    await using cluster = new UnitedDeploymentCluster({ replicas: 2 }, gate);
    await cluster.ticks(3);
    expect(new Set(cluster.events)).toEqual(new Set([`FailedRevisionProvision: ${quota}`]));
    expect(cluster.shown).toEqual([]);
    expect(cluster.conditions).toEqual(['SubsetUpdated False Error', 'Blocked True QuotaExceeded']);
    expect(cluster.status.observedGeneration).toBeUndefined();
    gate.isOn = false;
    await cluster.settle(900, 200);
    expect(cluster.shown).toEqual(['a 1 CloneSet', 'b 1 CloneSet']);
    expect(cluster.conditions.join()).not.toMatch(/False|Blocked/);
  });

  it('a child that cannot be adopted is reported, with both reasons', async () => {
    const gate = new Gate(webhook, ({ verb, key }) => verb === 'patch' && key.name === 'orphan');
    const events = await eventsOf(gate, (api) => void api.seed(cloneSets, aChild('orphan')));
    expect(events).toEqual(['FailedFindSubsets', 'Failed FindSubsets', 'SuccessfulUpdateSubset']);
  });

  it('a child that cannot be adopted stays as it is, and the others are created', async () => {
    const gate = new Gate(webhook, ({ verb, key }) => verb === 'patch' && key.name === 'orphan');
    await using cluster = new UnitedDeploymentCluster(
      { replicas: 2 },
      { ...gate, prepare: (api) => void api.seed(cloneSets, aChild('orphan')) },
    );
    await cluster.ticks(20);
    expect(
      cluster.api.peekAll(cloneSets, namespace).map(({ metadata, spec }) => [metadata.labels?.[labels.subsetName], spec.replicas]),
    ).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
    expect(messageOf(cluster, 'Blocked')).toBe(`children cannot be created or deleted: subset a: ${webhook}`);
    cluster.change({ replicas: 4 });
    await cluster.ticks(20);
    expect(cluster.api.peekAll(cloneSets, namespace).map(({ spec }) => spec.replicas)).toEqual([1, 2]);
    gate.isOn = false;
    await cluster.settle(900, 200);
    expect(cluster.shown).toEqual(['a 2 CloneSet', 'b 2 CloneSet']);
    expect(cluster.conditions.join()).not.toMatch(/False|Blocked/);
  });

  it('a second child of a subset that cannot be deleted is reported, with both reasons', async () => {
    const gate = new Gate(webhook, ({ verb, key }) => verb === 'delete' && key.name === 'second');
    await using cluster = new UnitedDeploymentCluster({ replicas: 2 }, gate);
    await cluster.settle();
    await cluster.clock.step(5_000);
    cluster.api.seed(cloneSets, aChild('second', [newControllerRef(cluster.united, unitedDeployments)]));
    await cluster.ticks(3);
    expect(cluster.events).toContain(`FailedDeleteDuplicatedSubsets: second: ${webhook}`);
    expect(cluster.events).toContain(`Failed FindSubsets: ${webhook}`);
    expect(cluster.conditions).toContain('SubsetProvisioned False Error');
    // The older child is scaled all the same.
    cluster.change({ replicas: 4 });
    await cluster.ticks(20);
    const older = cluster.api.peekAll(cloneSets, namespace).filter(({ metadata }) => metadata.name !== 'second');
    expect(older.map(({ spec }) => spec.replicas)).toEqual([2, 2]);
    gate.isOn = false;
    await cluster.settle(900, 200);
    expect(cluster.shown).toEqual(['a 2 CloneSet', 'b 2 CloneSet']);
  });
});

describe('what holds a child up', () => {
  const blocked = (reason: string, message: string) => [{ type: 'Blocked', status: 'True', reason, message }];

  it('is reported for the UnitedDeployment as well, with the subset, and only while it lasts', async () => {
    await using cluster = new UnitedDeploymentCluster({ replicas: 4 });
    await cluster.settle();
    const quotaOfPods = 'Pods cannot be created or deleted: exceeded quota: few';
    cluster.workloads.conditions.set('b', blocked('QuotaExceeded', quotaOfPods));
    await cluster.ticks(3);
    expect(cluster.conditions).toContain('Blocked True QuotaExceeded');
    expect(messageOf(cluster, 'Blocked')).toBe(`subset b: ${quotaOfPods}`);
    cluster.workloads.conditions.clear();
    await cluster.settle();
    expect(cluster.conditions.join()).not.toContain('Blocked');
  });

  it('is reported for a Deployment in the words of Kubernetes', async () => {
    await using cluster = new UnitedDeploymentCluster({ replicas: 4, kind: 'Deployment' });
    await cluster.settle();
    const message = 'pods "web-a-x" is forbidden: violates PodSecurity "restricted:latest": privileged';
    cluster.workloads.conditions.set('a', [
      { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' },
      { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message },
    ]);
    await cluster.ticks(3);
    expect(cluster.conditions).toContain('Blocked True AdmissionRefuses');
    expect(messageOf(cluster, 'Blocked')).toBe(`subset a: ${message}`);
  });

  it('is not reported for Pods with substitutes', async () => {
    await using cluster = new UnitedDeploymentCluster({ replicas: 2, schedule: adaptive({ reserveUnschedulablePods: true }) });
    cluster.workloads.closed.add('a');
    await cluster.settle(100, 20);
    cluster.workloads.conditions.set('a', blocked('Unschedulable', 'no node'));
    await cluster.ticks(3);
    expect(cluster.subsets[0]).toBe('a 2 2 reserved Schedulable=False');
    expect(cluster.conditions.join()).not.toContain('Blocked');
    cluster.workloads.conditions.set('a', blocked('QuotaExceeded', 'exceeded quota: few'));
    await cluster.ticks(3);
    expect(cluster.conditions).toContain('Blocked True QuotaExceeded');
  });
});
