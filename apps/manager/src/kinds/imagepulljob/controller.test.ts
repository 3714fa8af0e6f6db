import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { imagePullJobFinalizer, imagePullJobs, nodeImages } from '@kruise/api';
import { ApiError } from '@kruise/kube';
import { apiFailures, isWrite } from '@kruise/kube/testing';
import { hasFinalizer, imageLimits, milliseconds, pods, secrets, type Secret } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { tagAt } from '@kruise/kinds/images';
import { PullCluster } from '../../images/pull-cluster.testing.ts';
import { imagePullJobController } from './controller.ts';

let cluster: PullCluster;
beforeEach(() => {
  cluster = new PullCluster();
});
afterEach(() => cluster.stop());

const task = { name: 'nginx', tag: '1' };
const asked = (): readonly string[] =>
  cluster
    .nodeImages()
    .filter((nodeImage) => tagAt(nodeImage, task) !== undefined)
    .map(({ metadata }) => metadata.name);
const configSpace = 'kruise-daemon-config';
const copies = (): readonly Secret[] => cluster.api.peekAll(secrets, configSpace);

function seedSecret(name = 's', value = 'e30=', type = 'kubernetes.io/dockerconfigjson'): void {
  const held = cluster.api.peek(secrets, { namespace: 'default', name });
  cluster.api.seed(secrets, {
    ...held,
    metadata: { ...held?.metadata, name, namespace: 'default', labels: { team: 'shop' } },
    type,
    data: { '.dockerconfigjson': value },
  });
}

describe('a job', () => {
  it('pulls on all nodes, never on more at a time than it may, and completes', async () => {
    cluster.seedNodes(7);
    cluster.seedJob({ spec: { parallelism: 2 } });
    cluster.start(imagePullJobController);
    let most = 0;
    await cluster.until(() => {
      most = Math.max(most, cluster.job()?.status?.active ?? 0);
      return cluster.isOver();
    }, 'the job has ended');
    expect(most).toBe(2);
    expect(cluster.job()?.status).toMatchObject({ desired: 7, succeeded: 7, active: 0, failed: 0, message: 'job has completed' });
    // One write a node; the job's own are bounded by what changes in it.
    expect(cluster.writes('nodeimages')).toBe(7);
    expect(cluster.writes('imagepulljobs')).toBeLessThanOrEqual(3 * 7 + 3);
  });

  it('says which nodes failed', async () => {
    cluster.seedNodes(3);
    cluster.seedJob({ spec: { parallelism: 3 } });
    cluster.start(imagePullJobController);
    await cluster.until(() => cluster.isOver(), 'over', { fails: (_image, node) => node !== 'n1' });
    expect(cluster.job()?.status).toMatchObject({ desired: 3, succeeded: 1, failed: 2, failedNodes: ['n0', 'n2'] });
  });

  it('has a finalizer while it runs and none when it is over', async () => {
    cluster.seedNodes(1);
    cluster.seedJob({ metadata: { finalizers: ['a/b'] } });
    cluster.start(imagePullJobController);
    await cluster.pass();
    expect(hasFinalizer(cluster.job()!, imagePullJobFinalizer)).toBe(true);
    await cluster.until(() => cluster.isOver(), 'over');
    await cluster.pass();
    expect(cluster.job()?.metadata.finalizers).toEqual(['a/b']);
  });

  it('is deleted after its time to live, and not before', async () => {
    cluster.seedNodes(1);
    cluster.seedJob({ spec: { completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 20 } } });
    cluster.start(imagePullJobController);
    await cluster.until(() => cluster.isOver(), 'over');
    await cluster.pass(18);
    expect(cluster.job()).toBeDefined();
    await cluster.pass(3);
    expect(cluster.job()).toBeUndefined();
  });

  it('stays when it is given more time right before', async () => {
    cluster.seedNodes(1);
    cluster.seedJob({ spec: { completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 20 } } });
    const longer = (): void => {
      const { spec, ...job } = cluster.job()!;
      cluster.api.seed(imagePullJobs, { ...job, spec: { ...spec, completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 60 } } });
    };
    cluster.start(imagePullJobController, { before: ({ verb, type }) => void (verb === 'delete' && type === imagePullJobs && longer()) });
    await cluster.until(() => cluster.isOver(), 'over');
    await cluster.pass(25);
    expect(cluster.isOver()).toBe(true);
  });

  it('stays without one', async () => {
    cluster.seedNodes(1);
    cluster.seedJob();
    cluster.start(imagePullJobController);
    await cluster.until(() => cluster.isOver(), 'over');
    await cluster.pass(5_000);
    expect(cluster.isOver()).toBe(true);
  });

  it('gives up at its deadline when a node does not answer', async () => {
    cluster.seedNodes(2);
    cluster.seedJob({
      spec: { parallelism: 2, pullPolicy: { timeoutSeconds: 50 }, completionPolicy: { type: 'Always', activeDeadlineSeconds: 50 } },
    });
    cluster.start(imagePullJobController);
    await cluster.pass();
    expect(cluster.job()?.status).toMatchObject({ desired: 2, active: 2 });
    await cluster.pass(48);
    expect(cluster.isOver()).toBe(false);
    await cluster.pass(3);
    expect(cluster.job()?.status).toMatchObject({
      failed: 2,
      active: 0,
      failedNodes: ['n0', 'n1'],
      message: 'job exceeds activeDeadlineSeconds',
    });
  });

  it('that is deleted while it runs leaves nothing that holds it', async () => {
    cluster.seedNodes(1);
    cluster.seedJob();
    cluster.start(imagePullJobController);
    await cluster.pass();
    await cluster.api.delete(imagePullJobs, { namespace: 'default', name: 'pull' });
    await cluster.pass();
    expect(cluster.job()).toBeUndefined();
  });

  it('grows and shrinks with the nodes', async () => {
    cluster.seedNodes(2);
    cluster.seedJob({ spec: { completionPolicy: { type: 'Never' }, parallelism: 5 } });
    cluster.start(imagePullJobController);
    await cluster.until(() => cluster.job()?.status?.succeeded === 2, 'two nodes have it');
    cluster.seedNodes(4);
    await cluster.until(() => cluster.job()?.status?.succeeded === 4, 'four nodes have it');
    await cluster.api.delete(nodeImages, { namespace: '', name: 'n0' });
    await cluster.until(() => cluster.job()?.status?.desired === 3, 'three nodes');
    expect(cluster.job()?.status).toMatchObject({ succeeded: 3, message: 'job is running, progress 100.0%' });
  });

  it('completes when the only node that has not pulled is deleted', async () => {
    cluster.seedNodes(2);
    cluster.seedJob({ spec: { parallelism: 2 } });
    cluster.start(imagePullJobController);
    await cluster.pass();
    await cluster.api.delete(nodeImages, { namespace: '', name: 'n1' });
    await cluster.until(() => cluster.isOver(), 'over');
    expect(cluster.job()?.status).toMatchObject({ desired: 1, succeeded: 1 });
  });

  it('shares a task with an earlier job: the node checks again, and both have it', async () => {
    cluster.seedNodes(1);
    cluster.seedJob();
    cluster.start(imagePullJobController);
    await cluster.until(() => cluster.isOver(), 'the first is over');
    cluster.seedJob({ name: 'second' });
    await cluster.until(() => cluster.isOver('second'), 'the second is over');
    const tag = tagAt(cluster.nodeImage('n0')!, task);
    expect(tag?.version).toBe(1);
    expect(tag?.ownerReferences?.map(({ name }) => name)).toEqual(['pull', 'second']);
    expect([cluster.job()?.status?.succeeded, cluster.job('second')?.status?.succeeded]).toEqual([1, 1]);
  });

  it('takes up an edit while it runs and answers one that comes too late', async () => {
    cluster.seedNodes(2);
    cluster.seedJob({ spec: { parallelism: 0 } });
    const manager = cluster.start(imagePullJobController);
    await cluster.pass();
    expect(cluster.job()?.status).toMatchObject({ desired: 2, active: 0, message: 'job is running, progress 0.0%' });
    const change = (spec: object): Promise<unknown> =>
      cluster.api.patch(imagePullJobs, { namespace: 'default', name: 'pull' }, { spec }, { type: 'merge' });
    await change({ parallelism: 2, selector: { names: ['n1'] } });
    await cluster.pass();
    expect(asked()).toEqual(['n1']);
    await change({ image: 'nginx:2' });
    await cluster.pass();
    expect(cluster.nodeImage('n1')?.spec.images?.['nginx']?.tags.map(({ tag }) => tag)).toEqual(['2']);
    await cluster.until(() => cluster.isOver(), 'over');
    expect(manager.events).toEqual([]);
    await change({ image: 'nginx:3' });
    await cluster.pass();
    expect(manager.events).toMatchObject([{ about: 'pull', reason: 'JobComplete' }]);
  });

  it('that admission did not check gets the error reported, and others continue', async () => {
    cluster.seedNodes(1);
    cluster.seedJob({ name: 'odd', spec: { parallelism: '50%' } });
    cluster.seedJob();
    const manager = cluster.start(imagePullJobController);
    await cluster.until(() => cluster.isOver(), 'over');
    expect(cluster.job('odd')?.status?.message).toMatch(/percentage/);
    expect(manager.events).toMatchObject([{ about: 'odd', reason: 'InvalidSpec' }]);
  });

  it.each([1, 3])('continues with other nodes when one refuses the write, %i at a time', async (parallelism) => {
    cluster.seedNodes(3);
    cluster.seedJob({ spec: { parallelism } });
    const manager = cluster.start(imagePullJobController, {
      before: ({ verb, key, type }) => {
        if (verb === 'patch' && type?.plural === 'nodeimages' && key.name === 'n0') throw apiFailures.badRequest('no');
      },
    });
    await cluster.until(() => cluster.job()?.status?.succeeded === 2, 'two have it');
    expect(asked()).toEqual(['n1', 'n2']);
    expect(manager.events[0]).toMatchObject({
      reason: 'NodeImageRefused',
      message: 'the task for the image cannot be given to node n0: no',
    });
    expect(cluster.isOver()).toBe(false);
  });

  it.each([500, 413, 429])('continues with other nodes when the write to one is answered with %i', async (status) => {
    const busy = { kind: 'TooManyRequests', retryAfter: milliseconds(1000) } as const;
    cluster.seedNodes(3);
    cluster.seedJob();
    const manager = cluster.start(imagePullJobController, {
      before: ({ verb, key, type }) => {
        if (verb === 'patch' && type?.plural === 'nodeimages' && key.name === 'n0')
          throw new ApiError('too large', status === 429 ? busy : { kind: 'ServerError', status }, { code: status });
      },
    });
    for (let round = 0; asked().length < 2 && round < 20; round += 1) {
      await cluster.pass(1);
      cluster.runAgents();
    }
    expect(asked()).toEqual(['n1', 'n2']);
    expect(manager.events[0]).toMatchObject({
      reason: 'NodeImageRefused',
      message: 'the task for the image cannot be given to node n0: too large',
    });
    expect(cluster.isOver()).toBe(false);
  });

  it('changes each node once when its image is edited', async () => {
    cluster.seedNodes(3);
    cluster.seedJob({ spec: { parallelism: 3, completionPolicy: { type: 'Never' } } });
    cluster.start(imagePullJobController);
    await cluster.until(() => cluster.job()?.status?.succeeded === 3, 'the nodes have it');
    const before = cluster.writes('nodeimages');
    const { spec, ...job } = cluster.job()!;
    cluster.api.seed(imagePullJobs, { ...job, spec: { ...spec, image: 'redis:7' } });
    await cluster.pass();
    await cluster.until(() => cluster.job()?.status?.succeeded === 3, 'the nodes have the other image');
    expect([asked(), cluster.writes('nodeimages') - before]).toEqual([[], 3]);
  });

  it('takes a former task back within a minute from a node that refused it once', async () => {
    cluster.seedNodes(1);
    cluster.seedJob({ spec: { completionPolicy: { type: 'Never' } } });
    let isRefused = false;
    cluster.start(imagePullJobController, {
      before: ({ verb, type }) => {
        if (!isRefused || verb !== 'patch' || type?.plural !== 'nodeimages' || asked().length === 0) return;
        isRefused = false;
        throw apiFailures.badRequest('no');
      },
    });
    await cluster.until(() => cluster.job()?.status?.succeeded === 1, 'the node has it');
    isRefused = true;
    const { spec, ...job } = cluster.job()!;
    cluster.api.seed(imagePullJobs, { ...job, spec: { ...spec, image: 'redis:7' } });
    await cluster.pass();
    expect(asked()).toEqual(['n0']);
    await cluster.pass(60);
    await cluster.until(() => cluster.job()?.status?.succeeded === 1, 'the node has the other image');
    expect(asked()).toEqual([]);
  });

  it.each(['imagepulljobs', 'secrets', 'nodeimages'])('writes %s within a minute of an outage, however long that was', async (plural) => {
    cluster.seedNodes(1);
    seedSecret();
    cluster.seedJob({ spec: { pullSecrets: ['s'] } });
    let isAway = true;
    cluster.start(imagePullJobController, {
      before: (call) => {
        if (isAway && isWrite(call) && call.type?.plural === plural) throw apiFailures.unreachable('away');
      },
    });
    for (let minute = 0; minute < 30; minute += 1) await cluster.pass(60);
    expect(asked()).toEqual([]);
    isAway = false;
    await cluster.pass(60);
    expect(asked()).toEqual(['n0']);
  });
});

describe('the nodes of a job', () => {
  const place = (name: string, node: string, labels = { app: 'web' }): void =>
    void cluster.api.seed(pods, { ...aPod({ name, node }), metadata: { name, namespace: 'default', labels } });

  it.each<{ name: string; selector: object; then: readonly string[] }>([
    { name: 'by name', selector: { names: ['n2', 'n9'] }, then: ['n2'] },
    { name: 'by label', selector: { matchLabels: { name: 'n1' } }, then: ['n1'] },
    { name: 'by a condition', selector: { matchExpressions: [{ key: 'name', operator: 'NotIn', values: ['n0'] }] }, then: ['n1', 'n2'] },
    { name: 'all with an empty selector', selector: {}, then: ['n0', 'n1', 'n2'] },
    { name: 'none with an empty list of names', selector: { names: [] }, then: [] },
  ])('$name', async ({ selector, then }) => {
    cluster.seedNodes(3);
    cluster.seedJob({ spec: { selector, parallelism: 9, completionPolicy: { type: 'Never' } } });
    cluster.start(imagePullJobController);
    await cluster.pass();
    expect(asked()).toEqual(then);
  });

  it('a change of labels enqueues just the jobs that gain or lose the node', async () => {
    cluster.seedNodes(2);
    cluster.seedJob({ spec: { selector: { matchLabels: { name: 'chosen' } }, completionPolicy: { type: 'Never' } } });
    cluster.start(imagePullJobController);
    await cluster.pass();
    expect(cluster.job()?.status?.desired).toBe(0);
    await cluster.api.patch(nodeImages, { namespace: '', name: 'n1' }, { metadata: { labels: { name: 'chosen' } } }, { type: 'merge' });
    await cluster.pass();
    expect([cluster.job()?.status?.desired, asked()]).toEqual([1, ['n1']]);
  });

  it('those of the active Pods, also of Pods that come later', async () => {
    cluster.seedNodes(4);
    place('a', 'n1');
    place('b', 'n1');
    place('c', 'n3', { app: 'other' });
    cluster.seedJob({ spec: { podSelector: { matchLabels: { app: 'web' } }, completionPolicy: { type: 'Never' } } });
    cluster.start(imagePullJobController);
    await cluster.until(() => cluster.job()?.status?.succeeded === 1, 'n1 has it');
    expect(asked()).toEqual(['n1']);
    place('d', 'n2');
    await cluster.until(() => cluster.job()?.status?.succeeded === 2, 'n2 has it, too');
    await cluster.api.delete(pods, { namespace: 'default', name: 'd' }, { gracePeriodSeconds: 0 });
    await cluster.pass();
    expect(cluster.job()?.status?.desired).toBe(1);
  });
});

describe('pull secrets', () => {
  const withSecret = { spec: { pullSecrets: ['s'] } };

  it('are copied for the agents, named in the NodeImages, and gone 5 s after the job has ended', async () => {
    cluster.seedNodes(1);
    seedSecret();
    cluster.seedJob(withSecret);
    cluster.start(imagePullJobController);
    await cluster.pass();
    const [copy] = copies();
    expect(copies()).toHaveLength(1);
    expect(copy).toMatchObject({
      type: 'kubernetes.io/dockerconfigjson',
      data: { '.dockerconfigjson': 'e30=' },
      metadata: {
        annotations: {
          'imagepulljobs.kruise.io/source-key': 'default/s',
          'imagepulljobs.kruise.io/references': 'default/pull',
          'imagepulljobs.kruise.io/mode': 'batch',
        },
      },
    });
    expect(copy?.metadata.labels).toBeUndefined();
    expect(copy?.metadata.name).toMatch(/^s-[0-9a-f]{6}$/);
    expect(cluster.nodeImage('n0')?.spec.images?.['nginx']?.pullSecrets).toEqual([
      { namespace: configSpace, name: copy?.metadata.name, mode: 'batch' },
    ]);
    await cluster.until(() => cluster.isOver(), 'over');
    await cluster.pass(3.5);
    expect([copies().length, hasFinalizer(cluster.job()!, imagePullJobFinalizer)]).toEqual([1, true]);
    await cluster.pass(2);
    expect([copies(), hasFinalizer(cluster.job()!, imagePullJobFinalizer)]).toEqual([[], false]);
  });

  it('are all given up when the job has ended, but for one whose deletion is refused', async () => {
    cluster.seedNodes(1);
    for (const name of ['a', 'b', 'c']) seedSecret(name);
    cluster.seedJob({ spec: { pullSecrets: ['a', 'b', 'c'] } });
    cluster.start(imagePullJobController, {
      before: ({ verb, type, key }) => {
        if (verb === 'delete' && type === secrets && key.name.startsWith('a-')) throw apiFailures.serverError();
      },
    });
    await cluster.until(() => cluster.isOver(), 'over');
    await cluster.pass(6);
    expect(copies().map(({ metadata }) => metadata.annotations?.['imagepulljobs.kruise.io/source-key'])).toEqual(['default/a']);
  });

  it('are taken over by the next job of a series, not created again', async () => {
    cluster.seedNodes(1);
    seedSecret();
    cluster.seedJob({ name: 'a', spec: { pullSecrets: ['s'] } });
    cluster.start(imagePullJobController);
    await cluster.until(() => cluster.isOver('a'), 'a is over');
    const [first] = copies();
    for (const name of ['b', 'c', 'd']) {
      await cluster.pass(3.5);
      cluster.seedJob({ name, spec: { pullSecrets: ['s'], image: `${name}:1` } });
      await cluster.until(() => cluster.isOver(name), `${name} is over`);
    }
    expect(copies().map(({ metadata }) => metadata.uid)).toEqual([first?.metadata.uid]);
    await cluster.pass(10);
    expect(copies()).toEqual([]);
  });

  it('go at once with a job that is deleted, whether it has ended or not', async () => {
    cluster.seedNodes(1);
    seedSecret();
    cluster.seedJob({ name: 'a', spec: { pullSecrets: ['s'] } });
    cluster.start(imagePullJobController);
    await cluster.until(() => cluster.isOver('a'), 'a is over');
    expect(copies()).toHaveLength(1);
    await cluster.api.delete(imagePullJobs, { namespace: 'default', name: 'a' });
    await cluster.pass();
    expect([copies(), cluster.job('a')]).toEqual([[], undefined]);
  });

  it('go with the next manager when the last one stopped before it was time', async () => {
    cluster.seedNodes(1);
    seedSecret();
    cluster.seedJob(withSecret);
    const first = cluster.start(imagePullJobController);
    await cluster.until(() => cluster.isOver(), 'over');
    await first.stop();
    expect(copies()).toHaveLength(1);
    cluster.start(imagePullJobController);
    await cluster.pass();
    expect([copies(), hasFinalizer(cluster.job()!, imagePullJobFinalizer)]).toEqual([[], false]);
  });

  it('go with a job that is deleted before it is time', async () => {
    cluster.seedNodes(1);
    seedSecret();
    cluster.start(imagePullJobController);
    cluster.seedJob({ name: 'short', spec: { pullSecrets: ['s'], completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 1 } } });
    await cluster.until(() => cluster.isOver('short'), 'short is over');
    await cluster.pass(2);
    expect([copies(), cluster.job('short')]).toEqual([[], undefined]);
  });

  it('are shared by jobs, and stay until the last of them is over', async () => {
    cluster.seedNodes(1);
    seedSecret();
    cluster.seedJob({ ...withSecret, name: 'a' });
    cluster.seedJob({ name: 'b', spec: { pullSecrets: ['s'], completionPolicy: { type: 'Never' }, image: 'redis' } });
    cluster.start(imagePullJobController);
    await cluster.pass();
    expect(copies().map(({ metadata }) => metadata.annotations?.['imagepulljobs.kruise.io/references'])).toEqual(['default/a,default/b']);
    await cluster.until(() => cluster.isOver('a'), 'a is over');
    await cluster.pass(5);
    expect(copies().map(({ metadata }) => metadata.annotations?.['imagepulljobs.kruise.io/references'])).toEqual(['default/b']);
    await cluster.api.delete(imagePullJobs, { namespace: 'default', name: 'b' });
    await cluster.pass();
    expect([copies(), cluster.job('b')]).toEqual([[], undefined]);
  });

  it('follow their source while a job uses them', async () => {
    cluster.seedNodes(1);
    seedSecret();
    cluster.seedJob(withSecret);
    cluster.start(imagePullJobController);
    await cluster.pass();
    seedSecret('s', 'eyJhIjoxfQ==');
    await cluster.pass();
    expect(copies().map(({ data }) => data?.['.dockerconfigjson'])).toEqual(['eyJhIjoxfQ==']);
  });

  it('are read once for each change of theirs, however many nodes and passes there are', async () => {
    const reads = (): number =>
      cluster.api.calls.filter(({ verb, type, key }) => verb === 'get' && type === secrets && key.name === 's').length;
    cluster.seedNodes(4);
    seedSecret();
    seedSecret('unrelated');
    cluster.seedJob(withSecret);
    cluster.start(imagePullJobController);
    await cluster.until(() => cluster.job()?.status?.succeeded === 2, 'two nodes have it');
    expect(reads()).toBe(1);
    seedSecret('s', 'eyJhIjoxfQ==');
    await cluster.until(() => cluster.isOver(), 'over');
    expect(reads()).toBe(2);
    expect(cluster.api.calls.filter(({ verb, key }) => verb === 'get' && key.name === 'unrelated')).toEqual([]);
  });

  it('follow their source also when that is recreated with another type', async () => {
    seedSecret();
    cluster.seedNodes(1);
    cluster.seedJob({ ...withSecret, spec: { ...withSecret.spec, completionPolicy: { type: 'Never' } } });
    cluster.start(imagePullJobController);
    await cluster.pass();
    expect(copies().map(({ type }) => type)).toEqual(['kubernetes.io/dockerconfigjson']);
    await cluster.api.delete(secrets, { namespace: 'default', name: 's' });
    await cluster.api.create(secrets, {
      metadata: { name: 's', namespace: 'default' },
      type: 'kubernetes.io/dockercfg',
      data: { '.dockercfg': 'e30=' },
    });
    for (let i = 0; i < 5; i += 1) await cluster.pass(1);
    expect(copies().map(({ type, data }) => [type, data])).toEqual([['kubernetes.io/dockercfg', { '.dockercfg': 'e30=' }]]);
  });

  it('that are missing are skipped, with an event, and used once they exist', async () => {
    cluster.seedNodes(1);
    cluster.seedJob(withSecret);
    const manager = cluster.start(imagePullJobController);
    await cluster.pass();
    expect([asked(), copies()]).toEqual([['n0'], []]);
    expect(manager.events).toMatchObject([{ reason: 'PullSecretMissing' }]);
    seedSecret();
    await cluster.pass();
    expect(cluster.nodeImage('n0')?.spec.images?.['nginx']?.pullSecrets).toHaveLength(1);
    expect(tagAt(cluster.nodeImage('n0')!, task)?.version).toBeUndefined();
  });

  it('of other types are never copied, which is said; the others of the job are', async () => {
    cluster.seedNodes(1);
    seedSecret('odd', 'e30=', 'Opaque');
    seedSecret();
    cluster.seedJob({ spec: { pullSecrets: ['odd', 's'] } });
    const manager = cluster.start(imagePullJobController);
    await cluster.pass();
    expect(copies().map(({ type, metadata }) => [type, metadata.annotations?.['imagepulljobs.kruise.io/source-key']])).toEqual([
      ['kubernetes.io/dockerconfigjson', 'default/s'],
    ]);
    expect(cluster.nodeImage('n0')?.spec.images?.['nginx']?.pullSecrets).toHaveLength(1);
    expect(manager.events).toEqual([
      {
        about: 'pull',
        type: 'Warning',
        reason: 'PullSecretRefused',
        message: expect.stringContaining('Secret default/odd is of type Opaque and is not copied for the nodes'),
      },
    ]);
    await cluster.until(() => cluster.isOver(), 'over');
    expect(cluster.job()?.status).toMatchObject({ succeeded: 1, failed: 0 });
  });

  it('that are too large for the nodes are neither held nor copied, which is said once; the others of the job are', async () => {
    cluster.seedNodes(1);
    const bytes = imageLimits.pullSecretBytes.value;
    seedSecret('large', Buffer.alloc(bytes + 1).toString('base64'));
    seedSecret('s', Buffer.alloc(bytes).toString('base64'));
    cluster.seedJob({ spec: { pullSecrets: ['large', 's'] } });
    const manager = cluster.start(imagePullJobController);
    await cluster.pass();
    expect(copies().map(({ metadata }) => metadata.annotations?.['imagepulljobs.kruise.io/source-key'])).toEqual(['default/s']);
    await cluster.until(() => cluster.isOver(), 'over');
    expect(cluster.job()?.status).toMatchObject({ succeeded: 1, failed: 0 });
    expect(manager.events.filter(({ reason }) => reason === 'PullSecretRefused')).toEqual([
      {
        about: 'pull',
        type: 'Warning',
        reason: 'PullSecretRefused',
        message: `Secret default/large has ${bytes + 1} bytes and is not given to the nodes, which take ${bytes} at most; the image is pulled without it`,
      },
    ]);
  });

  it('of the agents own namespace are used as they are', async () => {
    cluster.seedNodes(1);
    cluster.seedJob({ ...withSecret, metadata: { namespace: configSpace } });
    cluster.start(imagePullJobController);
    await cluster.pass();
    expect(cluster.nodeImage('n0')?.spec.images?.['nginx']?.pullSecrets).toEqual([{ namespace: configSpace, name: 's' }]);
    expect(copies()).toEqual([]);
  });

  it('left behind by a deleted job are removed by the next manager', async () => {
    const annotations = { 'imagepulljobs.kruise.io/source-key': 'default/s', 'imagepulljobs.kruise.io/references': 'default/gone' };
    cluster.api.seed(secrets, { metadata: { name: 's-0', namespace: configSpace, annotations } });
    cluster.api.seed(secrets, { metadata: { name: 'unrelated', namespace: configSpace } });
    cluster.start(imagePullJobController);
    await cluster.pass();
    expect(copies().map(({ metadata }) => metadata.name)).toEqual(['unrelated']);
  });

  it('wait for a namespace that is not there, and jobs without them do not', async () => {
    cluster.seedNodes(1);
    seedSecret();
    cluster.seedJob(withSecret);
    cluster.seedJob({ name: 'free', spec: { image: 'redis' } });
    cluster.start(imagePullJobController, {
      before: ({ verb, type }) => {
        if (verb === 'create' && type?.plural === 'secrets') throw apiFailures.notFound(secrets, configSpace);
      },
    });
    await cluster.until(() => cluster.isOver('free'), 'the other is over');
    expect(asked()).toEqual([]);
    expect(cluster.job()?.status?.message).toMatch(/^job waits for its pull secrets: .*not found/);
  });

  it('whose copies are refused leave their job with a status, an event and its deadline, and no other job', async () => {
    cluster.seedNodes(2);
    seedSecret();
    cluster.seedJob({ spec: { ...withSecret.spec, completionPolicy: { type: 'Always', activeDeadlineSeconds: 600 } } });
    cluster.seedJob({ name: 'free', spec: { image: 'redis' } });
    const manager = cluster.start(imagePullJobController, {
      before: ({ verb, type }) => {
        if (verb === 'create' && type?.plural === 'secrets') throw new ApiError('exceeded quota', { kind: 'Forbidden' }, { code: 403 });
      },
    });
    await cluster.until(() => cluster.isOver('free'), 'the other is over');
    expect(cluster.job()?.status).toMatchObject({ desired: 2, active: 0, message: 'job waits for its pull secrets: exceeded quota' });
    expect(manager.events[0]).toMatchObject({ about: 'pull', reason: 'PullSecretRefused' });
    await cluster.pass(600);
    expect([asked(), cluster.job()?.status]).toMatchObject([
      [],
      { failedNodes: ['n0', 'n1'], message: 'job exceeds activeDeadlineSeconds' },
    ]);
    expect(cluster.isOver()).toBe(true);
  });

  it.each<{ answer: string; refusal: ApiError; isWaiting: boolean }>([
    { answer: 'an invalid one', refusal: new ApiError('denied', { kind: 'Invalid', causes: [] }, { code: 422 }), isWaiting: false },
    { answer: 'a forbidden one', refusal: new ApiError('denied', { kind: 'Forbidden' }, { code: 403 }), isWaiting: true },
  ])('whose copies are refused are written 6 times in the first minute, and again afterwards: $answer', async ({ refusal, isWaiting }) => {
    cluster.seedNodes(30);
    seedSecret();
    cluster.seedJob({ spec: { ...withSecret.spec, parallelism: 1 } });
    let calls = 0;
    let isRefused = false;
    const manager = cluster.start(imagePullJobController, {
      before: ({ verb, type }) => {
        if (verb !== 'update' || type?.plural !== 'secrets' || !isRefused) return;
        calls++;
        throw refusal;
      },
    });
    await cluster.pass();
    isRefused = true;
    seedSecret('s', 'W10=');
    await cluster.pass(59);
    expect([calls, manager.events.filter(({ reason }) => reason === 'PullSecretRefused').length]).toEqual([6, 6]);
    expect(cluster.job()?.status?.message?.includes('waits for its pull secrets: denied')).toBe(isWaiting);
    isRefused = false;
    await cluster.pass(60);
    expect(copies().map(({ data }) => data)).toEqual([{ '.dockerconfigjson': 'W10=' }]);
  });

  it('that the manager may not read delay only the jobs that name them', async () => {
    cluster.seedNodes(1);
    seedSecret();
    cluster.seedJob(withSecret);
    cluster.seedJob({ name: 'free', spec: { image: 'redis' } });
    const manager = cluster.start(imagePullJobController, {
      before: ({ verb, type }) => {
        if (type?.plural === 'secrets' && (verb === 'list' || verb === 'watch')) throw apiFailures.unreachable('forbidden');
      },
    });
    await cluster.until(() => cluster.isOver('free'), 'the other is over');
    expect([asked(), manager.events]).toEqual([[], []]);
    expect(cluster.job()?.status).toBeUndefined();
    await cluster.pass(40);
    expect([asked(), manager.events[0]?.reason]).toEqual([[], 'PullSecretsUnreadable']);
    expect(cluster.job()?.status).toMatchObject({ desired: 1, message: 'job waits for its pull secrets: the manager cannot read Secrets' });
  });
});
