/** The acceptance scenarios of the kind, with the whole controller on an API server in memory. @see spec/broadcastjob.md 9 */
import { describe, expect, it } from '@jest/globals';
import { broadcastJobs, type BroadcastJob, type BroadcastJobSpec } from '@kruise/api';
import { ApiError } from '@kruise/kube';
import type { FakeCall } from '@kruise/kube/testing';
import { nodes, pods, type Pod } from '@kruise/objects';
import { nodeOf } from '@kruise/pods';
import { aJob, ending, restarted, BroadcastJobCluster } from './cluster.testing.ts';

const isOver = (cluster: BroadcastJobCluster) => (): boolean => cluster.job.status?.completionTime !== undefined;
const conditionsOf = (cluster: BroadcastJobCluster): readonly string[] =>
  (cluster.job.status?.conditions ?? []).map(({ type, status, reason = '', message = '' }) => `${type} ${status} ${reason}: ${message}`);
const finish = (cluster: BroadcastJobCluster): Promise<void> => cluster.until(isOver(cluster), 'the job has ended');
const template = (over: object): BroadcastJobSpec['template'] => {
  const { template: base } = aJob().spec;
  return { ...base, spec: { ...base.spec, ...over } } as BroadcastJobSpec['template'];
};

describe('a BroadcastJob', () => {
  it('runs a Pod on each node, and is complete when all have succeeded (1)', async () => {
    await using cluster = new BroadcastJobCluster();
    await cluster.manager.settle();
    expect(cluster.summary).toBe('running: desired 3, active 3, succeeded 0, failed 0');
    await finish(cluster);
    expect(cluster.summary).toBe('completed: desired 3, active 0, succeeded 3, failed 0');
    expect(conditionsOf(cluster)).toEqual(['Complete True Complete: Job completed, 3 pods succeeded, 0 pods failed']);
    expect(cluster.events.filter((event) => !event.startsWith('SuccessfulCreate'))).toEqual([
      'JobComplete: Job default/job is completed, 3 pods succeeded, 0 pods failed',
    ]);
    expect(await cluster.quietHour()).toEqual([]);
  });

  it('makes Pods that say whose they are and for which node', async () => {
    await using cluster = new BroadcastJobCluster({}, { nodes: ['n1'] });
    await cluster.manager.settle();
    const { metadata, spec } = cluster.podOn('n1');
    expect(metadata).toMatchObject({
      generateName: 'job-',
      labels: { app: 'job', 'broadcastjob-name': 'job', 'broadcastjob-controller-uid': cluster.job.metadata.uid },
      ownerReferences: [
        {
          apiVersion: 'apps.kruise.io/v1beta1',
          kind: 'BroadcastJob',
          name: 'job',
          uid: cluster.job.metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    });
    expect(metadata.name).toMatch(/^job-[bcdfghjklmnpqrstvwxz2-9]{5}$/);
    expect(spec.nodeName).toBeUndefined();
    expect(spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution).toEqual({
      nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }],
    });
  });

  it.each<[number | string, number]>([
    [2, 2],
    ['50%', 3],
    ['50', 3],
    [1, 1],
  ])('with parallelism %p has %d Pods at a time (2)', async (parallelism, most) => {
    await using cluster = new BroadcastJobCluster({ parallelism }, { nodes: ['n1', 'n2', 'n3', 'n4', 'n5'] });
    await finish(cluster);
    expect([cluster.mostActive, cluster.created.length]).toEqual([most, 5]);
  });

  const policy = "pods \"job\" is forbidden: ValidatingAdmissionPolicy 'frozen' with binding 'frozen' denied request: frozen";
  const refused = (): never => {
    throw new ApiError(policy, { kind: 'Forbidden' }, { code: 403 });
  };

  it('runs on the other nodes when the Pod of one may not be created, and says so', async () => {
    const before = ({ verb, type, body }: FakeCall): void => {
      if (verb === 'create' && type === pods && ['n1', 'n2'].includes(nodeOf(body as Pod) ?? '')) refused();
    };
    await using cluster = new BroadcastJobCluster({ parallelism: 1 }, { before, nodes: ['n1', 'n2', 'n3', 'n4'] });
    await cluster.ticks(20);
    expect([cluster.summary, cluster.created]).toEqual(['running: desired 4, active 0, succeeded 2, failed 0', ['n3', 'n4']]);
    expect(conditionsOf(cluster)).toEqual([`Blocked True AdmissionRefuses: Pods cannot be created or deleted: ${policy}`]);
  });

  it('takes a node whose Pod was refused in the usual order once the node is recreated', async () => {
    let isRefused = true;
    const before = ({ verb, type, body }: FakeCall): void => {
      if (isRefused && verb === 'create' && type === pods && nodeOf(body as Pod) === 'n1') refused();
    };
    await using cluster = new BroadcastJobCluster({ parallelism: 1 }, { before });
    cluster.slow.add('n2');
    await cluster.ticks(3);
    await cluster.api.delete(nodes, { namespace: '', name: 'n1' });
    await cluster.ticks(3);
    isRefused = false;
    cluster.node('n1');
    cluster.slow.clear();
    await finish(cluster);
    expect(cluster.created).toEqual(['n2', 'n1', 'n3']);
  });

  it('continues, counts and ends when a Pod that has no place may not be deleted, and reports it until it is', async () => {
    const completionPolicy = { type: 'Always' as const, ttlSecondsAfterFinished: 60 };
    let isRefused = true;
    const before = ({ verb, type }: FakeCall): void => {
      if (verb === 'delete' && type === pods && isRefused) refused();
    };
    await using cluster = new BroadcastJobCluster({ parallelism: 1, completionPolicy }, { before });
    cluster.slow.add('n1');
    await cluster.ticks(2);
    cluster.node('n1', { spec: { unschedulable: true } });
    await cluster.ticks(3);
    expect(cluster.summary).toMatch(/^running: desired 2, active 2, /);
    await finish(cluster);
    expect(cluster.shown).toEqual(['n1 Running', 'n2 Succeeded', 'n3 Succeeded']);
    const complete = 'Complete True Complete: Job completed, 2 pods succeeded, 0 pods failed';
    await cluster.ticks(1);
    expect(conditionsOf(cluster)).toEqual([complete, `Blocked True AdmissionRefuses: Pods cannot be created or deleted: ${policy}`]);
    isRefused = false;
    await cluster.until(() => cluster.pods.length === 2, 'the Pod is deleted');
    await cluster.ticks(1);
    expect(conditionsOf(cluster)).toEqual([complete]);
    await cluster.until(() => cluster.found === undefined, 'the job is deleted when its time is over');
  });

  it('runs on the other nodes when a Pod that waits for a deleted node may not be deleted', async () => {
    const before = ({ verb, type }: FakeCall): void => {
      if (verb === 'delete' && type === pods) refused();
    };
    await using cluster = new BroadcastJobCluster({ parallelism: 1, completionPolicy: { type: 'Never' } }, { before });
    await cluster.manager.settle();
    await cluster.api.delete(nodes, { namespace: '', name: 'n1' });
    await cluster.ticks(20);
    expect(cluster.shown).toEqual(['n1 new', 'n2 Succeeded', 'n3 Succeeded']);
  });

  it('ends at the end of its time although a Pod that has no place may not be deleted', async () => {
    const before = ({ verb, type }: FakeCall): void => {
      if (verb === 'delete' && type === pods) refused();
    };
    await using cluster = new BroadcastJobCluster({ completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 5 } }, { before });
    cluster.slow.add('n1');
    await cluster.ticks(2);
    cluster.node('n1', { spec: { unschedulable: true } });
    await cluster.until(isOver(cluster), 'the job has ended');
    expect(cluster.shown).toContain('n1 Running');
    await cluster.until(() => cluster.found === undefined, 'the job is deleted when its time is over');
  });

  it('starts none with parallelism 0', async () => {
    await using cluster = new BroadcastJobCluster({ parallelism: 0 });
    await cluster.ticks(5);
    expect([cluster.summary, cluster.shown]).toEqual(['running: desired 3, active 0, succeeded 0, failed 0', []]);
  });

  it('says so when more Pods are active than may be', async () => {
    await using cluster = new BroadcastJobCluster({ parallelism: 2 });
    for (const node of ['n1', 'n2']) cluster.slow.add(node);
    await cluster.ticks(3);
    cluster.change({ parallelism: 1 });
    await cluster.ticks(2);
    expect(cluster.events.filter((event) => event.startsWith('TooMany'))).toEqual([
      'TooManyActivePods: the number of active pods exceeds the parallelism limit',
    ]);
    expect(cluster.shown).toEqual(['n1 Running', 'n2 Running']);
  });

  it('skips a node with a taint, and uses it with a toleration (3)', async () => {
    const taints = [{ key: 'team', value: 'blue', effect: 'NoSchedule' }];
    await using cluster = new BroadcastJobCluster();
    cluster.node('n2', { spec: { taints } });
    await cluster.manager.settle();
    expect(cluster.job.status?.desired).toBe(2);
    cluster.change({ template: template({ tolerations: [{ key: 'team', operator: 'Exists' }] }) });
    cluster.slow.add('n1');
    await cluster.until(() => cluster.job.status?.desired === 3, 'the node is one for the new template');
    await cluster.until(() => cluster.shown.includes('n2 Running'), 'it runs');
  });

  it('takes a node once it is open again (4)', async () => {
    await using cluster = new BroadcastJobCluster();
    cluster.slow.add('n1');
    cluster.node('n3', { spec: { unschedulable: true } });
    await cluster.ticks(3);
    expect(cluster.job.status?.desired).toBe(2);
    cluster.node('n3');
    await cluster.ticks(3);
    expect(cluster.shown).toEqual(['n1 Running', 'n2 Succeeded', 'n3 Succeeded']);
  });

  it('that fails fast ends with its first failed Pod (5)', async () => {
    await using cluster = new BroadcastJobCluster();
    cluster.broken.add('n2');
    for (const node of ['n1', 'n3']) cluster.slow.add(node);
    await finish(cluster);
    expect(cluster.summary).toBe('failed: desired 3, active 0, succeeded 0, failed 3');
    expect(conditionsOf(cluster)).toEqual(['Failed True Failed: failure policy is FailurePolicyTypeFailFast and failed pod is found']);
    await cluster.ticks(2);
    expect(cluster.shown).toEqual(['n2 Failed']);
    expect(cluster.events.filter((event) => event.startsWith('failed pod'))).toEqual([
      'failed pod is found: failure policy is FailurePolicyTypeFailFast and failed pod is found: 0 pods succeeded, 1 pods failed',
      'failed pod is found: failure policy is FailurePolicyTypeFailFast and failed pod is found: 0 pods succeeded, 3 pods failed',
    ]);
    cluster.node('n4');
    expect(await cluster.quietHour()).toEqual([]);
    expect(cluster.created).toHaveLength(3);
  });

  it('deletes nothing for an end that the API server does not let it write', async () => {
    let isRefused = true;
    const before = ({ verb, subresource, body }: FakeCall): void => {
      if (isRefused && verb === 'update' && subresource === 'status' && (body as BroadcastJob).status?.phase === 'failed') refused();
    };
    await using cluster = new BroadcastJobCluster({}, { before });
    cluster.broken.add('n2');
    for (const node of ['n1', 'n3']) cluster.slow.add(node);
    await cluster.ticks(5);
    expect([cluster.summary, cluster.shown]).toEqual([
      'running: desired 3, active 3, succeeded 0, failed 0',
      ['n1 Running', 'n2 Failed', 'n3 Running'],
    ]);
    expect(cluster.events.filter((event) => event.startsWith('failed pod'))).toEqual([]);
    isRefused = false;
    await finish(cluster);
    await cluster.ticks(2);
    expect([cluster.summary, cluster.shown]).toEqual(['failed: desired 3, active 0, succeeded 0, failed 3', ['n2 Failed']]);
  });

  it('that continues completes with its failures (6)', async () => {
    await using cluster = new BroadcastJobCluster({ failurePolicy: { type: 'Continue' } });
    cluster.broken.add('n2');
    await finish(cluster);
    expect(cluster.summary).toBe('completed: desired 3, active 0, succeeded 2, failed 1');
  });

  it('that pauses waits until its failed Pods are deleted (7)', async () => {
    await using cluster = new BroadcastJobCluster({ failurePolicy: { type: 'Pause' }, parallelism: 1 });
    cluster.broken.add('n1');
    await cluster.ticks(10);
    expect([cluster.summary, cluster.shown]).toEqual(['paused: desired 3, active 0, succeeded 0, failed 1', ['n1 Failed']]);
    expect(cluster.events.filter((event) => event.startsWith('Paused'))).toHaveLength(1);
    expect(await cluster.quietHour()).toEqual([]);
    cluster.broken.clear();
    await cluster.api.delete(pods, { namespace: 'default', name: cluster.podOn('n1').metadata.name });
    await finish(cluster);
    expect(cluster.summary).toBe('completed: desired 3, active 0, succeeded 3, failed 0');
    expect(cluster.events.filter((event) => event.startsWith('Continue'))).toHaveLength(1);
  });

  it('fails at its deadline, and its Pods go, also under another manager (8)', async () => {
    await using cluster = new BroadcastJobCluster({ completionPolicy: { type: 'Always', activeDeadlineSeconds: 10 } });
    for (const node of ['n1', 'n3']) cluster.slow.add(node);
    await cluster.ticks(5);
    await cluster.manager.stop();
    const { startTime } = cluster.job.status ?? {};
    expect(isOver(cluster)()).toBe(false);
    cluster.begin();
    await cluster.manager.settle();
    expect(cluster.summary).toBe('failed: desired 3, active 0, succeeded 1, failed 2');
    expect(cluster.job.status?.startTime).toBe(startTime);
    expect(conditionsOf(cluster)).toEqual(['Failed True Failed: Job default/job was active longer than specified deadline']);
    await cluster.ticks(2);
    expect(cluster.shown).toEqual(['n2 Succeeded']);
    expect(cluster.events).toContain(
      'DeadlineExceeded: Job default/job was active longer than specified deadline: 1 pods succeeded, 2 pods failed',
    );
  });

  it('fails at its deadline when nothing else happens (8)', async () => {
    await using cluster = new BroadcastJobCluster({ completionPolicy: { type: 'Always', activeDeadlineSeconds: 10 } });
    for (const node of ['n1', 'n2', 'n3']) cluster.slow.add(node);
    await cluster.ticks(9);
    expect(isOver(cluster)()).toBe(false);
    await cluster.ticks(3);
    expect(cluster.summary).toBe('failed: desired 3, active 0, succeeded 0, failed 3');
  });

  it.each([5, 0])('is deleted %d s after its end (9)', async (ttlSecondsAfterFinished) => {
    await using cluster = new BroadcastJobCluster({ completionPolicy: { type: 'Always', ttlSecondsAfterFinished } });
    await cluster.until(() => cluster.found === undefined || isOver(cluster)(), 'the job has ended');
    if (ttlSecondsAfterFinished > 0) {
      await cluster.ticks(ttlSecondsAfterFinished - 2);
      expect(cluster.found).toBeDefined();
    }
    await cluster.ticks(3);
    expect(cluster.found).toBeUndefined();
  });

  it('that never completes takes nodes that join (10)', async () => {
    await using cluster = new BroadcastJobCluster({ completionPolicy: { type: 'Never' } });
    await cluster.ticks(5);
    expect(cluster.summary).toBe('running: desired 3, active 0, succeeded 3, failed 0');
    expect(await cluster.quietHour()).toEqual([]);
    cluster.node('n4');
    await cluster.ticks(5);
    expect(cluster.summary).toBe('running: desired 4, active 0, succeeded 4, failed 0');
  });

  it('that never completes fails all the same, and starts no more', async () => {
    await using cluster = new BroadcastJobCluster({ completionPolicy: { type: 'Never' } });
    cluster.broken.add('n2');
    for (const node of ['n1', 'n3']) cluster.slow.add(node);
    await cluster.until(() => cluster.job.status?.phase === 'failed', 'it fails');
    cluster.node('n4');
    await cluster.ticks(3);
    expect(cluster.shown).toEqual(['n2 Failed']);
    expect(cluster.created).toHaveLength(3);
  });

  it('that never completes counts a Pod once that it may not delete after it has failed', async () => {
    const before = ({ verb, type }: FakeCall): void => {
      if (verb === 'delete' && type === pods) refused();
    };
    await using cluster = new BroadcastJobCluster({ completionPolicy: { type: 'Never' } }, { before });
    cluster.broken.add('n2');
    for (const node of ['n1', 'n3']) cluster.slow.add(node);
    await cluster.until(() => cluster.job.status?.phase === 'failed', 'it fails');
    await cluster.ticks(3);
    expect([cluster.shown, cluster.summary]).toEqual([
      ['n1 Running', 'n2 Failed', 'n3 Running'],
      'failed: desired 3, active 2, succeeded 0, failed 1',
    ]);
  });

  it('that is paused starts when it may (11)', async () => {
    await using cluster = new BroadcastJobCluster({ paused: true });
    await cluster.ticks(3);
    expect([cluster.summary, cluster.shown]).toEqual(['paused: desired 3, active 0, succeeded 0, failed 0', []]);
    cluster.change({ paused: false });
    await finish(cluster);
    expect(cluster.events).toContain('Continue: continue to process job');
  });

  it('counts a Pod as failed from the restart after the limit on, and lets it run (14)', async () => {
    const spec = { template: template({ restartPolicy: 'OnFailure' }), failurePolicy: { type: 'FailFast' as const, restartLimit: 2 } };
    await using cluster = new BroadcastJobCluster(spec, { nodes: ['n1'] });
    cluster.slow.add('n1');
    await cluster.ticks(2);
    cluster.setPod('n1', (pod) => restarted(pod, 2));
    await cluster.ticks(2);
    expect(cluster.summary).toBe('running: desired 1, active 1, succeeded 0, failed 0');
    cluster.setPod('n1', (pod) => restarted(pod, 3));
    await cluster.ticks(2);
    expect([cluster.summary, cluster.shown]).toEqual(['failed: desired 1, active 0, succeeded 0, failed 1', ['n1 Running']]);
  });

  it('waits for a node that has room for it (15)', async () => {
    const containers = [{ name: 'main', image: 'app:1', resources: { requests: { cpu: '100' } } }];
    await using cluster = new BroadcastJobCluster({ template: template({ containers }) });
    await cluster.ticks(3);
    expect(cluster.summary).toBe('running: desired 0, active 0, succeeded 0, failed 0');
    cluster.node('big', { allocatable: { pods: '1', cpu: '128' } });
    await cluster.ticks(3);
    expect(cluster.shown).toEqual(['big Succeeded']);
  });

  it('counts no Pod of others (16)', async () => {
    await using cluster = new BroadcastJobCluster({}, { nodes: ['n1'] });
    cluster.slow.add('n1');
    await cluster.ticks(2);
    const { metadata, ...rest } = cluster.podOn('n1');
    const { uid: _uid, resourceVersion: _version, ownerReferences: _owners, ...bare } = metadata;
    cluster.api.seed(pods, ending('Failed')({ ...rest, metadata: { ...bare, name: 'foreign' } }));
    cluster.change({ parallelism: 7 });
    await cluster.ticks(2);
    expect(cluster.summary).toBe('running: desired 1, active 1, succeeded 0, failed 0');
  });

  it('reports two Pods for one node', async () => {
    await using cluster = new BroadcastJobCluster({}, { nodes: ['n1'] });
    cluster.slow.add('n1');
    await cluster.ticks(2);
    const { metadata, ...rest } = cluster.podOn('n1');
    const { uid: _uid, resourceVersion: _version, ...bare } = metadata;
    cluster.api.seed(pods, { ...rest, metadata: { ...bare, name: 'zz' } });
    await cluster.ticks(1);
    expect(cluster.events).toContain('DuplicatePodCreatedOnSameNode: Duplicated pod zz found on same node n1');
    expect(cluster.summary).toBe('running: desired 1, active 2, succeeded 0, failed 0');
  });

  it('keeps what has ended on a node that is closed later, and takes the rest away', async () => {
    await using cluster = new BroadcastJobCluster({ completionPolicy: { type: 'Never' } });
    cluster.slow.add('n2');
    await cluster.ticks(4);
    for (const name of ['n1', 'n2']) cluster.node(name, { spec: { unschedulable: true } });
    await cluster.ticks(4);
    expect([cluster.summary, cluster.shown]).toEqual([
      'running: desired 2, active 0, succeeded 2, failed 0',
      ['n1 Succeeded', 'n3 Succeeded'],
    ]);
    for (const name of ['n1', 'n2']) cluster.node(name);
    await cluster.ticks(2);
    expect(cluster.created.toSorted()).toEqual(['n1', 'n2', 'n2', 'n3']);
  });

  it('deletes a Pod that waits for a deleted node', async () => {
    await using cluster = new BroadcastJobCluster({ parallelism: 1, completionPolicy: { type: 'Never' } });
    await cluster.manager.settle();
    expect(cluster.shown).toEqual(['n1 new']);
    await cluster.api.delete(nodes, { namespace: '', name: 'n1' });
    await cluster.ticks(6);
    expect(cluster.shown).toEqual(['n2 Succeeded', 'n3 Succeeded']);
  });

  it('starts nothing while it is being deleted', async () => {
    await using cluster = new BroadcastJobCluster({ parallelism: 1 });
    cluster.slow.add('n1');
    await cluster.ticks(2);
    const { metadata, ...rest } = cluster.job;
    cluster.api.seed(broadcastJobs, { ...rest, metadata: { ...metadata, finalizers: ['example.com/hold'] } });
    await cluster.api.delete(broadcastJobs, { namespace: 'default', name: 'job' });
    cluster.slow.clear();
    await cluster.ticks(4);
    expect(cluster.created).toEqual(['n1']);
  });

  it('reports what prevents the creation of Pods, and continues afterwards', async () => {
    const quota = 'pods "job" is forbidden: exceeded quota: few, requested: pods=1, used: pods=0, limited: pods=0';
    let isFull = true;
    const before = (call: FakeCall): void => {
      if (isFull && call.verb === 'create' && call.type === pods) throw new ApiError(quota, { kind: 'Forbidden' }, { code: 403 });
    };
    await using cluster = new BroadcastJobCluster({}, { before });
    await cluster.ticks(3);
    expect(conditionsOf(cluster)).toEqual([`Blocked True QuotaExceeded: Pods cannot be created or deleted: ${quota}`]);
    expect(cluster.summary).toBe('running: desired 3, active 0, succeeded 0, failed 0');
    expect(cluster.events).toContain(`FailedCreate: Error creating: ${quota}`);
    isFull = false;
    await finish(cluster);
    expect(conditionsOf(cluster)).toEqual(['Complete True Complete: Job completed, 3 pods succeeded, 0 pods failed']);
  });

  it('does not say at its end what kept Pods from being made before', async () => {
    const completionPolicy = { type: 'Always' as const, activeDeadlineSeconds: 10 };
    const before = (call: FakeCall): void => {
      if (call.verb === 'create' && call.type === pods) throw new ApiError('no', { kind: 'Forbidden' }, { code: 403 });
    };
    await using cluster = new BroadcastJobCluster({ completionPolicy }, { before });
    await cluster.ticks(3);
    expect(conditionsOf(cluster)).toEqual([expect.stringMatching(/^Blocked True /)]);
    await finish(cluster);
    expect(conditionsOf(cluster)).toEqual(['Failed True Failed: Job default/job was active longer than specified deadline']);
  });

  it('closed nodes take away what runs there, also when all the others are done', async () => {
    await using cluster = new BroadcastJobCluster({}, { nodes: ['n1', 'n2'] });
    cluster.slow.add('n2');
    await cluster.ticks(2);
    cluster.node('n2', { spec: { unschedulable: true } });
    await finish(cluster);
    await cluster.ticks(3);
    expect([cluster.summary, cluster.shown]).toEqual(['completed: desired 1, active 0, succeeded 1, failed 0', ['n1 Succeeded']]);
  });

  it.each<[Partial<BroadcastJobSpec>, string]>([
    [{ parallelism: 'many' }, 'spec.parallelism: Invalid value: "many": must be a number or a whole percentage (e.g. 5 or "20%")'],
    [{ template: {} }, 'spec.template.spec: Required value: must be an object'],
  ])('that came past admission says what is wrong with it: %j', async (spec, why) => {
    await using cluster = new BroadcastJobCluster(spec);
    await cluster.ticks(3);
    expect(conditionsOf(cluster)).toEqual([`Blocked True InvalidSpec: ${why}`]);
    expect(cluster.events).toEqual([`InvalidSpec: ${why}`]);
    cluster.change(aJob().spec);
    cluster.change({ parallelism: 3 });
    await finish(cluster);
    expect(conditionsOf(cluster)).toHaveLength(1);
  });
});
