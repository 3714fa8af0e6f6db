import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { imagePullJobFinalizer, imagePullJobs, nodeImages } from '@kruise/api';
import { ApiError } from '@kruise/kube';
import { apiFailures, isWrite } from '@kruise/kube/testing';
import { hasFinalizer, imageLimits, milliseconds, pods, secrets, type Secret } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { tagAt } from '@kruise/kinds/images';
import { PullCluster } from '../../images/pull-cluster.testing.ts';
import { imagePullJobController } from './controller.ts';

let world: PullCluster;
beforeEach(() => {
  world = new PullCluster();
});
afterEach(() => world.stop());

const task = { name: 'nginx', tag: '1' };
const asked = (): readonly string[] =>
  world
    .nodeImages()
    .filter((nodeImage) => tagAt(nodeImage, task) !== undefined)
    .map(({ metadata }) => metadata.name);
const configSpace = 'kruise-daemon-config';
const copies = (): readonly Secret[] => world.api.peekAll(secrets, configSpace);

function seedSecret(name = 's', value = 'e30=', type = 'kubernetes.io/dockerconfigjson'): void {
  const held = world.api.peek(secrets, { namespace: 'default', name });
  world.api.seed(secrets, {
    ...held,
    metadata: { ...held?.metadata, name, namespace: 'default', labels: { team: 'shop' } },
    type,
    data: { '.dockerconfigjson': value },
  });
}

describe('a job', () => {
  it('pulls on all nodes, never on more at a time than it may, and completes', async () => {
    world.seedNodes(7);
    world.seedJob({ spec: { parallelism: 2 } });
    world.start(imagePullJobController);
    let most = 0;
    await world.until(() => {
      most = Math.max(most, world.job()?.status?.active ?? 0);
      return world.isOver();
    }, 'the job is over');
    expect(most).toBe(2);
    expect(world.job()?.status).toMatchObject({ desired: 7, succeeded: 7, active: 0, failed: 0, message: 'job has completed' });
    // One write a node; the job's own are bounded by what changes in it.
    expect(world.writes('nodeimages')).toBe(7);
    expect(world.writes('imagepulljobs')).toBeLessThanOrEqual(3 * 7 + 3);
  });

  it('says which nodes failed', async () => {
    world.seedNodes(3);
    world.seedJob({ spec: { parallelism: 3 } });
    world.start(imagePullJobController);
    await world.until(() => world.isOver(), 'over', { fails: (_image, node) => node !== 'n1' });
    expect(world.job()?.status).toMatchObject({ desired: 3, succeeded: 1, failed: 2, failedNodes: ['n0', 'n2'] });
  });

  it('has a finalizer while it runs and none when it is over', async () => {
    world.seedNodes(1);
    world.seedJob({ metadata: { finalizers: ['a/b'] } });
    world.start(imagePullJobController);
    await world.pass();
    expect(hasFinalizer(world.job()!, imagePullJobFinalizer)).toBe(true);
    await world.until(() => world.isOver(), 'over');
    await world.pass();
    expect(world.job()?.metadata.finalizers).toEqual(['a/b']);
  });

  it('is deleted after its time to live, and not before', async () => {
    world.seedNodes(1);
    world.seedJob({ spec: { completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 20 } } });
    world.start(imagePullJobController);
    await world.until(() => world.isOver(), 'over');
    await world.pass(18);
    expect(world.job()).toBeDefined();
    await world.pass(3);
    expect(world.job()).toBeUndefined();
  });

  it('stays when it is given more time right before', async () => {
    world.seedNodes(1);
    world.seedJob({ spec: { completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 20 } } });
    const longer = (): void => {
      const { spec, ...job } = world.job()!;
      world.api.seed(imagePullJobs, { ...job, spec: { ...spec, completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 60 } } });
    };
    world.start(imagePullJobController, { before: ({ verb, type }) => void (verb === 'delete' && type === imagePullJobs && longer()) });
    await world.until(() => world.isOver(), 'over');
    await world.pass(25);
    expect(world.isOver()).toBe(true);
  });

  it('stays without one', async () => {
    world.seedNodes(1);
    world.seedJob();
    world.start(imagePullJobController);
    await world.until(() => world.isOver(), 'over');
    await world.pass(5_000);
    expect(world.isOver()).toBe(true);
  });

  it('gives up at its deadline when a node does not answer', async () => {
    world.seedNodes(2);
    world.seedJob({
      spec: { parallelism: 2, pullPolicy: { timeoutSeconds: 50 }, completionPolicy: { type: 'Always', activeDeadlineSeconds: 50 } },
    });
    world.start(imagePullJobController);
    await world.pass();
    expect(world.job()?.status).toMatchObject({ desired: 2, active: 2 });
    await world.pass(48);
    expect(world.isOver()).toBe(false);
    await world.pass(3);
    expect(world.job()?.status).toMatchObject({
      failed: 2,
      active: 0,
      failedNodes: ['n0', 'n1'],
      message: 'job exceeds activeDeadlineSeconds',
    });
  });

  it('that is deleted while it runs leaves nothing that holds it', async () => {
    world.seedNodes(1);
    world.seedJob();
    world.start(imagePullJobController);
    await world.pass();
    await world.api.delete(imagePullJobs, { namespace: 'default', name: 'pull' });
    await world.pass();
    expect(world.job()).toBeUndefined();
  });

  it('grows and shrinks with the nodes', async () => {
    world.seedNodes(2);
    world.seedJob({ spec: { completionPolicy: { type: 'Never' }, parallelism: 5 } });
    world.start(imagePullJobController);
    await world.until(() => world.job()?.status?.succeeded === 2, 'two nodes have it');
    world.seedNodes(4);
    await world.until(() => world.job()?.status?.succeeded === 4, 'four nodes have it');
    await world.api.delete(nodeImages, { namespace: '', name: 'n0' });
    await world.until(() => world.job()?.status?.desired === 3, 'three nodes');
    expect(world.job()?.status).toMatchObject({ succeeded: 3, message: 'job is running, progress 100.0%' });
  });

  it('completes when the only node that has not pulled is deleted', async () => {
    world.seedNodes(2);
    world.seedJob({ spec: { parallelism: 2 } });
    world.start(imagePullJobController);
    await world.pass();
    await world.api.delete(nodeImages, { namespace: '', name: 'n1' });
    await world.until(() => world.isOver(), 'over');
    expect(world.job()?.status).toMatchObject({ desired: 1, succeeded: 1 });
  });

  it('shares a task with an earlier job: the node checks again, and both have it', async () => {
    world.seedNodes(1);
    world.seedJob();
    world.start(imagePullJobController);
    await world.until(() => world.isOver(), 'the first is over');
    world.seedJob({ name: 'second' });
    await world.until(() => world.isOver('second'), 'the second is over');
    const tag = tagAt(world.nodeImage('n0')!, task);
    expect(tag?.version).toBe(1);
    expect(tag?.ownerReferences?.map(({ name }) => name)).toEqual(['pull', 'second']);
    expect([world.job()?.status?.succeeded, world.job('second')?.status?.succeeded]).toEqual([1, 1]);
  });

  it('takes up an edit while it runs and answers one that comes too late', async () => {
    world.seedNodes(2);
    world.seedJob({ spec: { parallelism: 0 } });
    const manager = world.start(imagePullJobController);
    await world.pass();
    expect(world.job()?.status).toMatchObject({ desired: 2, active: 0, message: 'job is running, progress 0.0%' });
    const change = (spec: object): Promise<unknown> =>
      world.api.patch(imagePullJobs, { namespace: 'default', name: 'pull' }, { spec }, { type: 'merge' });
    await change({ parallelism: 2, selector: { names: ['n1'] } });
    await world.pass();
    expect(asked()).toEqual(['n1']);
    await change({ image: 'nginx:2' });
    await world.pass();
    expect(world.nodeImage('n1')?.spec.images?.['nginx']?.tags.map(({ tag }) => tag)).toEqual(['2']);
    await world.until(() => world.isOver(), 'over');
    expect(manager.events).toEqual([]);
    await change({ image: 'nginx:3' });
    await world.pass();
    expect(manager.events).toMatchObject([{ about: 'pull', reason: 'JobComplete' }]);
  });

  it('that admission did not check gets the error reported, and others continue', async () => {
    world.seedNodes(1);
    world.seedJob({ name: 'odd', spec: { parallelism: '50%' } });
    world.seedJob();
    const manager = world.start(imagePullJobController);
    await world.until(() => world.isOver(), 'over');
    expect(world.job('odd')?.status?.message).toMatch(/percentage/);
    expect(manager.events).toMatchObject([{ about: 'odd', reason: 'InvalidSpec' }]);
  });

  it.each([1, 3])('continues with other nodes when one refuses the write, %i at a time', async (parallelism) => {
    world.seedNodes(3);
    world.seedJob({ spec: { parallelism } });
    const manager = world.start(imagePullJobController, {
      before: ({ verb, key, type }) => {
        if (verb === 'patch' && type?.plural === 'nodeimages' && key.name === 'n0') throw apiFailures.badRequest('no');
      },
    });
    await world.until(() => world.job()?.status?.succeeded === 2, 'two have it');
    expect(asked()).toEqual(['n1', 'n2']);
    expect(manager.events[0]).toMatchObject({ reason: 'NodeImageRefused', message: 'node n0 cannot be asked for the image: no' });
    expect(world.isOver()).toBe(false);
  });

  it.each([500, 413, 429])('continues with other nodes when the write to one is answered with %i', async (status) => {
    const busy = { kind: 'TooManyRequests', retryAfter: milliseconds(1000) } as const;
    world.seedNodes(3);
    world.seedJob();
    const manager = world.start(imagePullJobController, {
      before: ({ verb, key, type }) => {
        if (verb === 'patch' && type?.plural === 'nodeimages' && key.name === 'n0')
          throw new ApiError('too large', status === 429 ? busy : { kind: 'ServerError', status }, { code: status });
      },
    });
    for (let round = 0; asked().length < 2 && round < 20; round += 1) {
      await world.pass(1);
      world.runAgents();
    }
    expect(asked()).toEqual(['n1', 'n2']);
    expect(manager.events[0]).toMatchObject({ reason: 'NodeImageRefused', message: 'node n0 cannot be asked for the image: too large' });
    expect(world.isOver()).toBe(false);
  });

  it('changes each node once when its image is edited', async () => {
    world.seedNodes(3);
    world.seedJob({ spec: { parallelism: 3, completionPolicy: { type: 'Never' } } });
    world.start(imagePullJobController);
    await world.until(() => world.job()?.status?.succeeded === 3, 'the nodes have it');
    const before = world.writes('nodeimages');
    const { spec, ...job } = world.job()!;
    world.api.seed(imagePullJobs, { ...job, spec: { ...spec, image: 'redis:7' } });
    await world.pass();
    await world.until(() => world.job()?.status?.succeeded === 3, 'the nodes have the other image');
    expect([asked(), world.writes('nodeimages') - before]).toEqual([[], 3]);
  });

  it('takes a former task back within a minute from a node that refused it once', async () => {
    world.seedNodes(1);
    world.seedJob({ spec: { completionPolicy: { type: 'Never' } } });
    let isRefused = false;
    world.start(imagePullJobController, {
      before: ({ verb, type }) => {
        if (!isRefused || verb !== 'patch' || type?.plural !== 'nodeimages' || asked().length === 0) return;
        isRefused = false;
        throw apiFailures.badRequest('no');
      },
    });
    await world.until(() => world.job()?.status?.succeeded === 1, 'the node has it');
    isRefused = true;
    const { spec, ...job } = world.job()!;
    world.api.seed(imagePullJobs, { ...job, spec: { ...spec, image: 'redis:7' } });
    await world.pass();
    expect(asked()).toEqual(['n0']);
    await world.pass(60);
    await world.until(() => world.job()?.status?.succeeded === 1, 'the node has the other image');
    expect(asked()).toEqual([]);
  });

  it.each(['imagepulljobs', 'secrets', 'nodeimages'])('writes %s within a minute of an outage, however long that was', async (plural) => {
    world.seedNodes(1);
    seedSecret();
    world.seedJob({ spec: { pullSecrets: ['s'] } });
    let isAway = true;
    world.start(imagePullJobController, {
      before: (call) => {
        if (isAway && isWrite(call) && call.type?.plural === plural) throw apiFailures.unreachable('away');
      },
    });
    for (let minute = 0; minute < 30; minute += 1) await world.pass(60);
    expect(asked()).toEqual([]);
    isAway = false;
    await world.pass(60);
    expect(asked()).toEqual(['n0']);
  });
});

describe('the nodes of a job', () => {
  const place = (name: string, node: string, labels = { app: 'web' }): void =>
    void world.api.seed(pods, { ...aPod({ name, node }), metadata: { name, namespace: 'default', labels } });

  it.each<{ name: string; selector: object; then: readonly string[] }>([
    { name: 'by name', selector: { names: ['n2', 'n9'] }, then: ['n2'] },
    { name: 'by label', selector: { matchLabels: { name: 'n1' } }, then: ['n1'] },
    { name: 'by a condition', selector: { matchExpressions: [{ key: 'name', operator: 'NotIn', values: ['n0'] }] }, then: ['n1', 'n2'] },
    { name: 'all with an empty selector', selector: {}, then: ['n0', 'n1', 'n2'] },
    { name: 'none with an empty list of names', selector: { names: [] }, then: [] },
  ])('$name', async ({ selector, then }) => {
    world.seedNodes(3);
    world.seedJob({ spec: { selector, parallelism: 9, completionPolicy: { type: 'Never' } } });
    world.start(imagePullJobController);
    await world.pass();
    expect(asked()).toEqual(then);
  });

  it('a change of labels wakes just the jobs that gain or lose the node', async () => {
    world.seedNodes(2);
    world.seedJob({ spec: { selector: { matchLabels: { name: 'chosen' } }, completionPolicy: { type: 'Never' } } });
    world.start(imagePullJobController);
    await world.pass();
    expect(world.job()?.status?.desired).toBe(0);
    await world.api.patch(nodeImages, { namespace: '', name: 'n1' }, { metadata: { labels: { name: 'chosen' } } }, { type: 'merge' });
    await world.pass();
    expect([world.job()?.status?.desired, asked()]).toEqual([1, ['n1']]);
  });

  it('those of the active Pods, also of Pods that come later', async () => {
    world.seedNodes(4);
    place('a', 'n1');
    place('b', 'n1');
    place('c', 'n3', { app: 'other' });
    world.seedJob({ spec: { podSelector: { matchLabels: { app: 'web' } }, completionPolicy: { type: 'Never' } } });
    world.start(imagePullJobController);
    await world.until(() => world.job()?.status?.succeeded === 1, 'n1 has it');
    expect(asked()).toEqual(['n1']);
    place('d', 'n2');
    await world.until(() => world.job()?.status?.succeeded === 2, 'n2 has it, too');
    await world.api.delete(pods, { namespace: 'default', name: 'd' }, { gracePeriodSeconds: 0 });
    await world.pass();
    expect(world.job()?.status?.desired).toBe(1);
  });
});

describe('pull secrets', () => {
  const withSecret = { spec: { pullSecrets: ['s'] } };

  it('are copied for the agents, named in the NodeImages, and gone 5 s after the job is over', async () => {
    world.seedNodes(1);
    seedSecret();
    world.seedJob(withSecret);
    world.start(imagePullJobController);
    await world.pass();
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
    expect(world.nodeImage('n0')?.spec.images?.['nginx']?.pullSecrets).toEqual([
      { namespace: configSpace, name: copy?.metadata.name, mode: 'batch' },
    ]);
    await world.until(() => world.isOver(), 'over');
    await world.pass(3.5);
    expect([copies().length, hasFinalizer(world.job()!, imagePullJobFinalizer)]).toEqual([1, true]);
    await world.pass(2);
    expect([copies(), hasFinalizer(world.job()!, imagePullJobFinalizer)]).toEqual([[], false]);
  });

  it('are all given up when the job is over, but for one whose deletion is refused', async () => {
    world.seedNodes(1);
    for (const name of ['a', 'b', 'c']) seedSecret(name);
    world.seedJob({ spec: { pullSecrets: ['a', 'b', 'c'] } });
    world.start(imagePullJobController, {
      before: ({ verb, type, key }) => {
        if (verb === 'delete' && type === secrets && key.name.startsWith('a-')) throw apiFailures.serverError();
      },
    });
    await world.until(() => world.isOver(), 'over');
    await world.pass(6);
    expect(copies().map(({ metadata }) => metadata.annotations?.['imagepulljobs.kruise.io/source-key'])).toEqual(['default/a']);
  });

  it('are taken over by the next job of a series, not created again', async () => {
    world.seedNodes(1);
    seedSecret();
    world.seedJob({ name: 'a', spec: { pullSecrets: ['s'] } });
    world.start(imagePullJobController);
    await world.until(() => world.isOver('a'), 'a is over');
    const [first] = copies();
    for (const name of ['b', 'c', 'd']) {
      await world.pass(3.5);
      world.seedJob({ name, spec: { pullSecrets: ['s'], image: `${name}:1` } });
      await world.until(() => world.isOver(name), `${name} is over`);
    }
    expect(copies().map(({ metadata }) => metadata.uid)).toEqual([first?.metadata.uid]);
    await world.pass(10);
    expect(copies()).toEqual([]);
  });

  it('go at once with a job that is deleted, whether it has ended or not', async () => {
    world.seedNodes(1);
    seedSecret();
    world.seedJob({ name: 'a', spec: { pullSecrets: ['s'] } });
    world.start(imagePullJobController);
    await world.until(() => world.isOver('a'), 'a is over');
    expect(copies()).toHaveLength(1);
    await world.api.delete(imagePullJobs, { namespace: 'default', name: 'a' });
    await world.pass();
    expect([copies(), world.job('a')]).toEqual([[], undefined]);
  });

  it('go with the next manager when the last one stopped before it was time', async () => {
    world.seedNodes(1);
    seedSecret();
    world.seedJob(withSecret);
    const first = world.start(imagePullJobController);
    await world.until(() => world.isOver(), 'over');
    await first.stop();
    expect(copies()).toHaveLength(1);
    world.start(imagePullJobController);
    await world.pass();
    expect([copies(), hasFinalizer(world.job()!, imagePullJobFinalizer)]).toEqual([[], false]);
  });

  it('go with a job that is deleted before it is time', async () => {
    world.seedNodes(1);
    seedSecret();
    world.start(imagePullJobController);
    world.seedJob({ name: 'short', spec: { pullSecrets: ['s'], completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 1 } } });
    await world.until(() => world.isOver('short'), 'short is over');
    await world.pass(2);
    expect([copies(), world.job('short')]).toEqual([[], undefined]);
  });

  it('are shared by jobs, and stay until the last of them is over', async () => {
    world.seedNodes(1);
    seedSecret();
    world.seedJob({ ...withSecret, name: 'a' });
    world.seedJob({ name: 'b', spec: { pullSecrets: ['s'], completionPolicy: { type: 'Never' }, image: 'redis' } });
    world.start(imagePullJobController);
    await world.pass();
    expect(copies().map(({ metadata }) => metadata.annotations?.['imagepulljobs.kruise.io/references'])).toEqual(['default/a,default/b']);
    await world.until(() => world.isOver('a'), 'a is over');
    await world.pass(5);
    expect(copies().map(({ metadata }) => metadata.annotations?.['imagepulljobs.kruise.io/references'])).toEqual(['default/b']);
    await world.api.delete(imagePullJobs, { namespace: 'default', name: 'b' });
    await world.pass();
    expect([copies(), world.job('b')]).toEqual([[], undefined]);
  });

  it('follow their source while a job uses them', async () => {
    world.seedNodes(1);
    seedSecret();
    world.seedJob(withSecret);
    world.start(imagePullJobController);
    await world.pass();
    seedSecret('s', 'eyJhIjoxfQ==');
    await world.pass();
    expect(copies().map(({ data }) => data?.['.dockerconfigjson'])).toEqual(['eyJhIjoxfQ==']);
  });

  it('are read once for each change of theirs, however many nodes and passes there are', async () => {
    const reads = (): number =>
      world.api.calls.filter(({ verb, type, key }) => verb === 'get' && type === secrets && key.name === 's').length;
    world.seedNodes(4);
    seedSecret();
    seedSecret('unrelated');
    world.seedJob(withSecret);
    world.start(imagePullJobController);
    await world.until(() => world.job()?.status?.succeeded === 2, 'two nodes have it');
    expect(reads()).toBe(1);
    seedSecret('s', 'eyJhIjoxfQ==');
    await world.until(() => world.isOver(), 'over');
    expect(reads()).toBe(2);
    expect(world.api.calls.filter(({ verb, key }) => verb === 'get' && key.name === 'unrelated')).toEqual([]);
  });

  it('follow their source also when that is recreated with another type', async () => {
    seedSecret();
    world.seedNodes(1);
    world.seedJob({ ...withSecret, spec: { ...withSecret.spec, completionPolicy: { type: 'Never' } } });
    world.start(imagePullJobController);
    await world.pass();
    expect(copies().map(({ type }) => type)).toEqual(['kubernetes.io/dockerconfigjson']);
    await world.api.delete(secrets, { namespace: 'default', name: 's' });
    await world.api.create(secrets, {
      metadata: { name: 's', namespace: 'default' },
      type: 'kubernetes.io/dockercfg',
      data: { '.dockercfg': 'e30=' },
    });
    for (let i = 0; i < 5; i += 1) await world.pass(1);
    expect(copies().map(({ type, data }) => [type, data])).toEqual([['kubernetes.io/dockercfg', { '.dockercfg': 'e30=' }]]);
  });

  it('that are missing are left out, with an event, and used once they are there', async () => {
    world.seedNodes(1);
    world.seedJob(withSecret);
    const manager = world.start(imagePullJobController);
    await world.pass();
    expect([asked(), copies()]).toEqual([['n0'], []]);
    expect(manager.events).toMatchObject([{ reason: 'PullSecretMissing' }]);
    seedSecret();
    await world.pass();
    expect(world.nodeImage('n0')?.spec.images?.['nginx']?.pullSecrets).toHaveLength(1);
    expect(tagAt(world.nodeImage('n0')!, task)?.version).toBeUndefined();
  });

  it('of other types are never copied, which is said; the others of the job are', async () => {
    world.seedNodes(1);
    seedSecret('odd', 'e30=', 'Opaque');
    seedSecret();
    world.seedJob({ spec: { pullSecrets: ['odd', 's'] } });
    const manager = world.start(imagePullJobController);
    await world.pass();
    expect(copies().map(({ type, metadata }) => [type, metadata.annotations?.['imagepulljobs.kruise.io/source-key']])).toEqual([
      ['kubernetes.io/dockerconfigjson', 'default/s'],
    ]);
    expect(world.nodeImage('n0')?.spec.images?.['nginx']?.pullSecrets).toHaveLength(1);
    expect(manager.events).toEqual([
      {
        about: 'pull',
        type: 'Warning',
        reason: 'PullSecretRefused',
        message: expect.stringContaining('Secret default/odd is of type Opaque and is not given to the nodes'),
      },
    ]);
    await world.until(() => world.isOver(), 'over');
    expect(world.job()?.status).toMatchObject({ succeeded: 1, failed: 0 });
  });

  it('that are too large for the nodes are neither held nor copied, which is said once; the others of the job are', async () => {
    world.seedNodes(1);
    const bytes = imageLimits.pullSecretBytes.value;
    seedSecret('large', Buffer.alloc(bytes + 1).toString('base64'));
    seedSecret('s', Buffer.alloc(bytes).toString('base64'));
    world.seedJob({ spec: { pullSecrets: ['large', 's'] } });
    const manager = world.start(imagePullJobController);
    await world.pass();
    expect(copies().map(({ metadata }) => metadata.annotations?.['imagepulljobs.kruise.io/source-key'])).toEqual(['default/s']);
    await world.until(() => world.isOver(), 'over');
    expect(world.job()?.status).toMatchObject({ succeeded: 1, failed: 0 });
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
    world.seedNodes(1);
    world.seedJob({ ...withSecret, metadata: { namespace: configSpace } });
    world.start(imagePullJobController);
    await world.pass();
    expect(world.nodeImage('n0')?.spec.images?.['nginx']?.pullSecrets).toEqual([{ namespace: configSpace, name: 's' }]);
    expect(copies()).toEqual([]);
  });

  it('left behind by a deleted job are removed by the next manager', async () => {
    const annotations = { 'imagepulljobs.kruise.io/source-key': 'default/s', 'imagepulljobs.kruise.io/references': 'default/gone' };
    world.api.seed(secrets, { metadata: { name: 's-0', namespace: configSpace, annotations } });
    world.api.seed(secrets, { metadata: { name: 'unrelated', namespace: configSpace } });
    world.start(imagePullJobController);
    await world.pass();
    expect(copies().map(({ metadata }) => metadata.name)).toEqual(['unrelated']);
  });

  it('wait for a namespace that is not there, and jobs without them do not', async () => {
    world.seedNodes(1);
    seedSecret();
    world.seedJob(withSecret);
    world.seedJob({ name: 'free', spec: { image: 'redis' } });
    world.start(imagePullJobController, {
      before: ({ verb, type }) => {
        if (verb === 'create' && type?.plural === 'secrets') throw apiFailures.notFound(secrets, configSpace);
      },
    });
    await world.until(() => world.isOver('free'), 'the other is over');
    expect(asked()).toEqual([]);
    expect(world.job()?.status?.message).toMatch(/^job waits for its pull secrets: .*not found/);
  });

  it('whose copies are refused leave their job with a status, an event and its deadline, and no other job', async () => {
    world.seedNodes(2);
    seedSecret();
    world.seedJob({ spec: { ...withSecret.spec, completionPolicy: { type: 'Always', activeDeadlineSeconds: 600 } } });
    world.seedJob({ name: 'free', spec: { image: 'redis' } });
    const manager = world.start(imagePullJobController, {
      before: ({ verb, type }) => {
        if (verb === 'create' && type?.plural === 'secrets') throw new ApiError('exceeded quota', { kind: 'Forbidden' }, { code: 403 });
      },
    });
    await world.until(() => world.isOver('free'), 'the other is over');
    expect(world.job()?.status).toMatchObject({ desired: 2, active: 0, message: 'job waits for its pull secrets: exceeded quota' });
    expect(manager.events[0]).toMatchObject({ about: 'pull', reason: 'PullSecretRefused' });
    await world.pass(600);
    expect([asked(), world.job()?.status]).toMatchObject([[], { failedNodes: ['n0', 'n1'], message: 'job exceeds activeDeadlineSeconds' }]);
    expect(world.isOver()).toBe(true);
  });

  it.each<{ answer: string; refusal: ApiError; isWaiting: boolean }>([
    { answer: 'an invalid one', refusal: new ApiError('denied', { kind: 'Invalid', causes: [] }, { code: 422 }), isWaiting: false },
    { answer: 'a forbidden one', refusal: new ApiError('denied', { kind: 'Forbidden' }, { code: 403 }), isWaiting: true },
  ])('whose copies are refused are written 6 times in the first minute, and again afterwards: $answer', async ({ refusal, isWaiting }) => {
    world.seedNodes(30);
    seedSecret();
    world.seedJob({ spec: { ...withSecret.spec, parallelism: 1 } });
    let calls = 0;
    let isRefused = false;
    const manager = world.start(imagePullJobController, {
      before: ({ verb, type }) => {
        if (verb !== 'update' || type?.plural !== 'secrets' || !isRefused) return;
        calls++;
        throw refusal;
      },
    });
    await world.pass();
    isRefused = true;
    seedSecret('s', 'W10=');
    await world.pass(59);
    expect([calls, manager.events.filter(({ reason }) => reason === 'PullSecretRefused').length]).toEqual([6, 6]);
    expect(world.job()?.status?.message?.includes('waits for its pull secrets: denied')).toBe(isWaiting);
    isRefused = false;
    await world.pass(60);
    expect(copies().map(({ data }) => data)).toEqual([{ '.dockerconfigjson': 'W10=' }]);
  });

  it('that the manager may not read hold up only the jobs that name them', async () => {
    world.seedNodes(1);
    seedSecret();
    world.seedJob(withSecret);
    world.seedJob({ name: 'free', spec: { image: 'redis' } });
    const manager = world.start(imagePullJobController, {
      before: ({ verb, type }) => {
        if (type?.plural === 'secrets' && (verb === 'list' || verb === 'watch')) throw apiFailures.unreachable('forbidden');
      },
    });
    await world.until(() => world.isOver('free'), 'the other is over');
    expect([asked(), manager.events]).toEqual([[], []]);
    expect(world.job()?.status).toBeUndefined();
    await world.pass(40);
    expect([asked(), manager.events[0]?.reason]).toEqual([[], 'PullSecretsUnreadable']);
    expect(world.job()?.status).toMatchObject({ desired: 1, message: 'job waits for its pull secrets: the manager cannot read Secrets' });
  });
});
