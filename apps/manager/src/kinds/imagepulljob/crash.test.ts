/**
 * The test kills the controller at every single write of two jobs that share a pull secret, in each way to die, and starts another process:
 * the result must equal that of an undisturbed run.
 */
import { describe, expect, it } from '@jest/globals';
import { nodeImages } from '@kruise/api';
import { deathsAtEveryStep, deathTimes, type Death } from '@kruise/kube/testing';
import { secrets } from '@kruise/objects';
import { stepsOf } from '@kruise/testing';
import { imagesOf, tagsOf } from '@kruise/kinds/images';
import { PullCluster } from '../../images/pull-cluster.testing.ts';
import type { ControllerProcess } from '../../module/controller-process.testing.ts';
import { imagePullJobController } from './controller.ts';

/** What must come out the same, whatever happened on the way. */
interface End {
  readonly jobs: readonly unknown[];
  readonly tags: readonly unknown[];
  readonly copies: readonly string[];
}

function endOf(cluster: PullCluster): End {
  const names = ['a', 'b'];
  return {
    jobs: names.map((name) => {
      const { desired, succeeded, failed, active, message } = cluster.job(name)?.status ?? { desired: -1 };
      return { desired, succeeded, failed, active, message, finalizers: cluster.job(name)?.metadata.finalizers ?? [] };
    }),
    tags: cluster
      .nodeImages()
      .map((nodeImage) =>
        Object.entries(imagesOf(nodeImage)).map(([name, image]) => [
          name,
          tagsOf(image).map(({ tag, ownerReferences = [] }) => [tag, ownerReferences.map((owner) => owner.name).sort()]),
        ]),
      ),
    copies: cluster.api.peekAll(secrets, 'kruise-daemon-config').map(({ metadata }) => metadata.name),
  };
}

async function run(death?: Death): Promise<{ readonly end: End; readonly first: ControllerProcess; readonly mostActive: number }> {
  const cluster = new PullCluster();
  cluster.seedNodes(4);
  cluster.api.seed(secrets, { metadata: { name: 's', namespace: 'default' }, type: 'kubernetes.io/dockerconfigjson', data: {} });
  cluster.seedJob({ name: 'a', spec: { pullSecrets: ['s'], parallelism: 2 }, metadata: { finalizers: [] } });
  cluster.seedJob({ name: 'b', spec: { pullSecrets: ['s'], image: 'redis', parallelism: 1 }, metadata: { finalizers: [] } });
  const first = cluster.start(imagePullJobController, { death });
  let mostActive = 0;
  let isReplaced = false;
  const isOver = (): boolean => {
    mostActive = Math.max(mostActive, cluster.job('a')?.status?.active ?? 0);
    if (first.dead && !isReplaced) {
      isReplaced = true;
      cluster.start(imagePullJobController);
    }
    const left = [...(cluster.job('a')?.metadata.finalizers ?? []), ...(cluster.job('b')?.metadata.finalizers ?? [])];
    return cluster.isOver('a') && cluster.isOver('b') && left.length === 0;
  };
  await cluster.until(isOver, 'both are over');
  await cluster.pass();
  const result = { end: endOf(cluster), first, mostActive };
  await cluster.stop();
  return result;
}

describe('a manager that is killed', () => {
  it.each(deathTimes)(
    'at any write (%s) leaves no job undone, no task doubled and no secret behind',
    async (when) => {
      const undisturbed = await run();
      expect(undisturbed.end).toMatchObject({
        copies: [],
        jobs: [
          { succeeded: 4, finalizers: [] },
          { succeeded: 4, finalizers: [] },
        ],
      });
      const { writes } = undisturbed.first;
      expect(writes).toBeGreaterThan(15);
      const dies = async (death: Death): Promise<ControllerProcess> => {
        const { end, first, mostActive } = await run(death);
        expect({ death, end }).toEqual({ death, end: undisturbed.end });
        expect(mostActive).toBeLessThanOrEqual(2);
        return first;
      };
      const deaths = await deathsAtEveryStep(when, dies, stepsOf(when, deathTimes));
      expect(deaths).toBe(writes);
    },
    120_000,
  );

  it('never has two copies of one secret when the answer to a creation is lost and the process continues', async () => {
    const cluster = new PullCluster();
    cluster.seedNodes(1);
    cluster.api.seed(secrets, { metadata: { name: 's', namespace: 'default' }, type: 'kubernetes.io/dockerconfigjson', data: {} });
    cluster.seedJob({ spec: { pullSecrets: ['s'], completionPolicy: { type: 'Never' } } });
    const manager = cluster.start(imagePullJobController);
    cluster.api.holdWatches();
    await cluster.pass();
    cluster.api.releaseWatches();
    await cluster.until(() => cluster.job()?.status?.succeeded === 1, 'pulled');
    expect(cluster.api.peekAll(secrets, 'kruise-daemon-config')).toHaveLength(1);
    expect(manager.dead).toBe(false);
    await cluster.stop();
  });

  it('and meanwhile a node is deleted: its task is not waited for', async () => {
    const cluster = new PullCluster();
    cluster.seedNodes(3);
    cluster.seedJob({ spec: { parallelism: 3 } });
    const first = cluster.start(imagePullJobController, { death: { at: 5, when: 'after' } });
    await cluster.pass();
    expect(first.dead).toBe(true);
    await cluster.api.delete(nodeImages, { namespace: '', name: 'n1' });
    cluster.start(imagePullJobController);
    await cluster.until(() => cluster.isOver(), 'over');
    expect(cluster.job()?.status).toMatchObject({ desired: 2, succeeded: 2 });
    await cluster.stop();
  });
});
