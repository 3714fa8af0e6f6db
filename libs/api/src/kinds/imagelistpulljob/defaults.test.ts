import { expect, it } from '@jest/globals';
import { defaultImageListPullJob } from './defaults.ts';

it('an ImageListPullJob gets the defaults of its jobs but for the pull policy of the image', () => {
  const once = defaultImageListPullJob({
    metadata: { name: 'j' },
    spec: { images: ['a'], completionPolicy: { ttlSecondsAfterFinished: 5 } },
  });
  expect(once).toEqual({
    metadata: { name: 'j' },
    spec: {
      images: ['a'],
      completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 5 },
      pullPolicy: { timeoutSeconds: 600, backoffLimit: 3 },
    },
  });
  expect(defaultImageListPullJob(once)).toBe(once);
});
