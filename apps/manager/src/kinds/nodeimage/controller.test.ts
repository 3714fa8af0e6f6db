import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { imagePullJobs, nodeImages } from '@kruise/api';
import { deathsAtEveryStep, deathTimes, type Death } from '@kruise/kube/testing';
import { nodes, secrets } from '@kruise/objects';
import { aNode, aNodeImage, aTag, at } from '@kruise/kinds/images/builders.testing';
import { PullCluster } from '../../images/pull-cluster.testing.ts';
import type { ControllerProcess } from '../../module/controller-process.testing.ts';
import { nodeImageController } from './controller.ts';

let cluster: PullCluster;
beforeEach(() => {
  cluster = new PullCluster();
});
afterEach(() => cluster.stop());

const names = (): readonly string[] => cluster.nodeImages().map(({ metadata }) => metadata.name);
const tagsOfFirst = (): readonly string[] =>
  Object.values(cluster.nodeImage('n0')?.spec.images ?? {}).flatMap(({ tags }) => tags.map(({ tag }) => tag));

/** A NodeImage with a task of each of these jobs. */
function seedTasks(...uids: readonly (string | undefined)[]): void {
  cluster.seedNodes(1);
  const held = cluster.nodeImage('n0')!;
  const tags = uids.map((uid, i) =>
    aTag({
      tag: String(i),
      ownerReferences: [
        {
          apiVersion: 'apps.kruise.io/v1alpha1',
          kind: 'ImagePullJob',
          namespace: 'default',
          name: `job${i}`,
          ...(uid === undefined ? {} : { uid }),
        },
      ],
    }),
  );
  cluster.api.seed(nodeImages, { ...held, spec: { images: { nginx: { tags } } } });
}

describe('nodes', () => {
  it('get a NodeImage once they have been ready for the delay, follow in their labels and are followed in their end', async () => {
    cluster.api.seed(nodes, aNode('n0', { labels: { zone: 'a' } }));
    cluster.api.seed(nodes, aNode('n1', {}, 'False'));
    cluster.start(nodeImageController);
    await cluster.pass(25);
    expect(names()).toEqual([]);
    await cluster.pass(6);
    expect(names()).toEqual(['n0']);
    await cluster.api.patch(nodes, { namespace: '', name: 'n0' }, { metadata: { labels: { zone: 'b' } } }, { type: 'merge' });
    await cluster.pass();
    expect(cluster.nodeImage('n0')?.metadata.labels).toEqual({ zone: 'b' });
    await cluster.api.delete(nodes, { namespace: '', name: 'n0' });
    await cluster.pass();
    expect(names()).toEqual([]);
    expect(cluster.writes('nodeimages')).toBe(3);
  });

  it('a NodeImage that a user deletes is recreated, a fake one is kept, one without a Node is not', async () => {
    cluster.api.seed(nodes, aNode('n0'));
    const { metadata: _metadata, ...rest } = aNodeImage();
    cluster.api.seed(nodeImages, { ...rest, metadata: { name: 'fake', labels: { 'apps.kruise.io/fake-nodeimage': 'true' } } });
    cluster.api.seed(nodeImages, { ...rest, metadata: { name: 'stray' } });
    cluster.start(nodeImageController);
    await cluster.pass(31);
    expect(names()).toEqual(['fake', 'n0']);
    await cluster.api.delete(nodeImages, { namespace: '', name: 'n0' });
    await cluster.pass();
    expect(names()).toEqual(['fake', 'n0']);
  });
});

describe('tasks', () => {
  it('leave with their job, at once and without a question to the server', async () => {
    const job = cluster.seedJob({ name: 'job0', metadata: { finalizers: [] } });
    seedTasks(job.metadata.uid);
    cluster.api.seed(nodes, aNode('n0', { labels: { name: 'n0' } }));
    cluster.start(nodeImageController);
    await cluster.pass();
    expect(tagsOfFirst()).toEqual(['0']);
    const before = cluster.api.calls.length;
    await cluster.api.delete(imagePullJobs, { namespace: 'default', name: 'job0' });
    await cluster.pass();
    expect(tagsOfFirst()).toEqual([]);
    expect(cluster.api.calls.slice(before).filter(({ verb }) => verb === 'get')).toEqual([]);
  });

  it('of jobs that went while no manager ran leave as well, with one question for each', async () => {
    const { metadata } = cluster.seedJob({ name: 'job1' });
    seedTasks('gone', metadata.uid, undefined, 'replaced');
    cluster.seedJob({ name: 'job3' });
    cluster.api.seed(nodes, aNode('n0', { labels: { name: 'n0' } }));
    cluster.start(nodeImageController);
    await cluster.pass();
    expect(tagsOfFirst()).toEqual(['1', '2']);
    expect(cluster.api.calls.filter(({ verb, type }) => verb === 'get' && type?.plural === 'imagepulljobs')).toHaveLength(2);
  });

  it('stay while it is not known whether their job does', async () => {
    seedTasks('unknown');
    cluster.api.seed(nodes, aNode('n0', { labels: { name: 'n0' } }));
    cluster.start(nodeImageController, {
      before: ({ verb, type }) => {
        if (verb === 'get' && type?.plural === 'imagepulljobs') throw new Error('away');
      },
    });
    await cluster.pass();
    expect(tagsOfFirst()).toEqual(['0']);
  });

  it('count as failed when the node does not answer, and their jobs get an event', async () => {
    const { metadata } = cluster.seedJob({ name: 'job0' });
    seedTasks(metadata.uid);
    cluster.api.seed(nodes, aNode('n0', { labels: { name: 'n0' } }));
    const manager = cluster.start(nodeImageController);
    await cluster.pass(595);
    expect(cluster.nodeImage('n0')?.status).toBeUndefined();
    await cluster.pass(10);
    expect(cluster.nodeImage('n0')?.status).toMatchObject({ desired: 1, failed: 1 });
    const message = 'Failed to pull image nginx:0 on node n0 for node has not responded for a long time';
    expect(manager.events).toEqual([
      { about: 'job0', type: 'Warning', reason: 'PullImageFailed', message },
      { about: 'n0', type: 'Warning', reason: 'PullImageFailed', message },
    ]);
  });

  it('that have ended stay while their job runs, and expire once it is over', async () => {
    const job = cluster.seedJob({ name: 'job0' });
    seedTasks(job.metadata.uid);
    const held = cluster.nodeImage('n0')!;
    const ended = { tag: '0', phase: 'Succeeded', completionTime: at(1) } as const;
    cluster.api.seed(nodeImages, { ...held, status: { desired: 1, succeeded: 1, imageStatuses: { nginx: { tags: [ended] } } } });
    cluster.api.seed(nodes, aNode('n0', { labels: { name: 'n0' } }));
    cluster.start(nodeImageController);
    await cluster.pass(5000);
    expect(tagsOfFirst()).toEqual(['0']);
    cluster.api.seed(imagePullJobs, { ...job, status: { desired: 1, succeeded: 1, completionTime: at(5000) } });
    await cluster.pass();
    expect(tagsOfFirst()).toEqual([]);
  });

  it('lose deleted pull secrets', async () => {
    cluster.seedNodes(1);
    for (const name of ['here', 'copied']) cluster.api.seed(secrets, { metadata: { namespace: 'kruise-daemon-config', name } });
    const reference = (name: string) => ({ namespace: 'kruise-daemon-config', name });
    const image = {
      pullSecrets: [reference('here'), reference('gone'), ...['copied', 'deleted'].map((name) => ({ ...reference(name), mode: 'batch' }))],
      tags: [aTag({ ownerReferences: [] })],
    };
    cluster.api.seed(nodeImages, { ...cluster.nodeImage('n0')!, spec: { images: { nginx: image } } });
    cluster.api.seed(nodes, aNode('n0', { labels: { name: 'n0' } }));
    cluster.start(nodeImageController, { gates: { ImagePullJobGate: true } });
    await cluster.pass();
    expect(cluster.nodeImage('n0')?.spec.images?.['nginx']?.pullSecrets?.map(({ name }) => name)).toEqual(['here', 'copied']);
  });

  it('do not request their pull secrets in every pass over every node', async () => {
    cluster.seedNodes(3);
    cluster.api.seed(secrets, { metadata: { namespace: 'kruise-daemon-config', name: 'here' } });
    const image = { pullSecrets: [{ namespace: 'kruise-daemon-config', name: 'here' }], tags: [aTag({ ownerReferences: [] })] };
    for (const held of cluster.nodeImages()) {
      cluster.api.seed(nodeImages, { ...held, spec: { images: { nginx: image } } });
      cluster.api.seed(nodes, aNode(held.metadata.name, { labels: held.metadata.labels ?? {} }));
    }
    cluster.start(nodeImageController);
    await cluster.pass();
    for (let round = 0; round < 3; round += 1) {
      cluster.runAgents();
      await cluster.pass();
    }
    expect(cluster.nodeImages().every(({ status }) => status?.succeeded === 1)).toBe(true);
    expect(cluster.api.calls.filter(({ verb, type }) => verb === 'get' && type === secrets)).toHaveLength(1);
  });

  it('read no Secret that a watch shows, and drop one that is deleted', async () => {
    const read = (): readonly string[] =>
      cluster.api.calls.filter(({ verb, type }) => verb === 'get' && type === secrets).map(({ key }) => key.name);
    cluster.seedNodes(1);
    cluster.api.seed(secrets, { metadata: { namespace: 'kruise-daemon-config', name: 'here' } });
    cluster.api.seed(secrets, { metadata: { namespace: 'shop', name: 'docker' }, type: 'kubernetes.io/dockercfg' });
    cluster.api.seed(secrets, { metadata: { namespace: 'shop', name: 'odd' }, type: 'Opaque' });
    const pullSecrets = [
      { namespace: 'kruise-daemon-config', name: 'here' },
      { namespace: 'shop', name: 'docker' },
      { namespace: 'shop', name: 'odd' },
    ];
    const tags = [aTag({ ownerReferences: [] })];
    cluster.api.seed(nodeImages, { ...cluster.nodeImage('n0')!, spec: { images: { nginx: { pullSecrets, tags } } } });
    cluster.start(nodeImageController, { gates: { ImagePullJobGate: true } });
    for (let zone = 0; zone < 4; zone += 1) {
      cluster.api.seed(nodes, aNode('n0', { labels: { zone: String(zone) } }));
      await cluster.pass(601);
    }
    expect(new Set(read())).toEqual(new Set(['odd']));
    for (const { namespace, name } of pullSecrets) await cluster.api.delete(secrets, { namespace, name });
    cluster.api.seed(nodes, aNode('n0', { labels: { zone: 'last' } }));
    await cluster.pass(601);
    cluster.api.seed(nodes, aNode('n0', { labels: { zone: 'very last' } }));
    await cluster.pass(601);
    expect(cluster.nodeImage('n0')?.spec.images?.['nginx']?.pullSecrets).toBeUndefined();
  });
});

describe('a manager that is killed', () => {
  it.each(deathTimes)('at any write (%s) leaves the same NodeImages', async (when) => {
    const scenario = async (death?: Death): Promise<ControllerProcess> => {
      const killed = new PullCluster();
      killed.api.seed(nodes, aNode('n0', { labels: { zone: 'a' } }));
      killed.api.seed(nodes, aNode('n1'));
      const { metadata: _metadata, ...rest } = aNodeImage();
      killed.api.seed(nodeImages, { ...rest, metadata: { name: 'stray' } });
      killed.api.seed(nodeImages, { ...rest, metadata: { name: 'n1' }, spec: { images: { nginx: { tags: [aTag()] } } } });
      const first = killed.start(nodeImageController, { death });
      await killed.pass(31);
      if (first.dead) killed.start(nodeImageController);
      await killed.pass(31);
      expect(
        killed.nodeImages().map(({ metadata, spec }) => [metadata.name, metadata.labels ?? {}, Object.keys(spec.images ?? {})]),
      ).toEqual([
        ['n0', { zone: 'a' }, []],
        ['n1', {}, []],
      ]);
      await killed.stop();
      return first;
    };
    const { writes } = await scenario();
    expect(writes).toBeGreaterThanOrEqual(3);
    expect(await deathsAtEveryStep(when, scenario)).toBe(writes);
  });
});
