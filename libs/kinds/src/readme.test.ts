import { expect, it } from '@jest/globals';
import type { ImageListPullJob } from '@kruise/api';
import { instant } from '@kruise/objects';
import { imagesToPull } from './readme.testing.ts';

it('the example of the README plans one job for each image', () => {
  const job: ImageListPullJob = {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'ImageListPullJob',
    metadata: { name: 'base', namespace: 'apps', uid: 'u1', generation: 1 },
    spec: { images: ['nginx:1.27', 'redis:7'], completionPolicy: { type: 'Always' } },
  };
  expect(imagesToPull(job, instant(0))).toEqual(['nginx:1.27', 'redis:7']);
});
