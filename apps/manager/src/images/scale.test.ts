/** What a job over many nodes writes: bounded for each node, whatever the number of nodes. */
import { expect, it } from '@jest/globals';
import { imagePullJobController } from '../kinds/imagepulljob/controller.ts';
import { PullCluster } from './pull-cluster.testing.ts';

it('a job over 200 nodes writes each NodeImage once and its own status a bounded number of times', async () => {
  const cluster = new PullCluster();
  cluster.seedNodes(200);
  cluster.seedJob({ spec: { parallelism: 20 } });
  cluster.start(imagePullJobController);
  await cluster.until(() => cluster.isOver(), 'over');
  expect(cluster.job()?.status).toMatchObject({ desired: 200, succeeded: 200 });
  expect(cluster.writes('nodeimages')).toBe(200);
  expect(cluster.writes('imagepulljobs')).toBeLessThan(60);
  await cluster.stop();
});
