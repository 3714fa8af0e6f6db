/** What a job over many nodes writes: bounded for each node, whatever the number of nodes. */
import { expect, it } from '@jest/globals';
import { imagePullJobController } from '../kinds/imagepulljob/controller.ts';
import { PullCluster } from './pull-cluster.testing.ts';

it('a job over 200 nodes writes each NodeImage once and its own status a bounded number of times', async () => {
  const world = new PullCluster();
  world.seedNodes(200);
  world.seedJob({ spec: { parallelism: 20 } });
  world.start(imagePullJobController);
  await world.until(() => world.isOver(), 'over');
  expect(world.job()?.status).toMatchObject({ desired: 200, succeeded: 200 });
  expect(world.writes('nodeimages')).toBe(200);
  expect(world.writes('imagepulljobs')).toBeLessThan(60);
  await world.stop();
});
