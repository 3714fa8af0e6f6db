/** A list of images and its jobs together, on nodes whose agents answer. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { imageListPullJobs, imagePullJobs, type ImageListPullJob, type ImagePullJob } from '@kruise/api';
import { imageListPullJobController } from '../kinds/imagelistpulljob/controller.ts';
import { imagePullJobController } from '../kinds/imagepulljob/controller.ts';
import { PullCluster } from './pull-cluster.testing.ts';

let cluster: PullCluster;
beforeEach(() => {
  cluster = new PullCluster();
  cluster.seedNodes(2);
});
afterEach(() => cluster.stop());

const list = (): ImageListPullJob | undefined => cluster.api.peek(imageListPullJobs, { namespace: 'default', name: 'all' });
const jobOf = (image: string): ImagePullJob | undefined =>
  cluster.api.peekAll(imagePullJobs, 'default').find(({ spec }) => spec.image === image);
const slow = { hangs: (image: string): boolean => image === 'redis:latest' };

it('a job whose time to live is over stays until the last job of its list has ended, and is not recreated', async () => {
  cluster.api.seed(imageListPullJobs, {
    metadata: { name: 'all', namespace: 'default' },
    spec: {
      images: ['nginx', 'redis'],
      parallelism: 2,
      completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 5 },
      imagePullPolicy: 'Always',
    },
  });
  cluster.start(imageListPullJobController);
  cluster.start(imagePullJobController);
  await cluster.until(() => jobOf('nginx')?.status?.completionTime !== undefined, 'nginx is pulled', slow);
  const { uid } = jobOf('nginx')!.metadata;
  await cluster.pass(60);
  expect(jobOf('nginx')?.metadata.uid).toBe(uid);
  expect(list()?.status).toMatchObject({ desired: 2, completed: 1, succeeded: 1 });
  await cluster.until(() => list()?.status?.completionTime !== undefined, 'the list is over');
  expect(list()?.status).toMatchObject({ desired: 2, completed: 2, succeeded: 2 });
  await cluster.until(() => jobOf('nginx') === undefined, 'the time to live of the first is over');
  await cluster.pass(6);
  expect([jobOf('redis'), list()]).toEqual([undefined, undefined]);
});
