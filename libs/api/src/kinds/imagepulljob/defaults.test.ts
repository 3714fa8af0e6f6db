import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@kruise/objects';
import { deepFreeze } from '../../conversion/round-trip.testing.ts';
import { defaultImagePullJob, protectImagePullJob } from './defaults.ts';

const complete = {
  completionPolicy: { type: 'Always' },
  pullPolicy: { timeoutSeconds: 600, backoffLimit: 3 },
  imagePullPolicy: 'IfNotPresent',
};

describe('defaults of ImagePullJobs', () => {
  it.each<{ name: string; given: JsonObject; then: JsonObject }>([
    { name: 'a job without policies gets all of them', given: { image: 'a' }, then: { image: 'a', ...complete } },
    { name: 'empty texts are as good as none', given: { completionPolicy: { type: '' }, imagePullPolicy: '' }, then: complete },
    {
      name: 'a policy given in part is completed while the rest is complete',
      given: { ...complete, pullPolicy: { timeoutSeconds: 0 } },
      then: { ...complete, pullPolicy: { timeoutSeconds: 0, backoffLimit: 3 } },
    },
    {
      name: 'what is given stays',
      given: { completionPolicy: { type: 'Never' }, pullPolicy: { timeoutSeconds: 1, backoffLimit: 0 }, imagePullPolicy: 'Always' },
      then: { completionPolicy: { type: 'Never' }, pullPolicy: { timeoutSeconds: 1, backoffLimit: 0 }, imagePullPolicy: 'Always' },
    },
    {
      name: 'members of another type are left to the API server',
      given: { ...complete, pullPolicy: 'x' },
      then: { ...complete, pullPolicy: 'x' },
    },
  ])('$name', ({ given, then }) => {
    const once = defaultImagePullJob(deepFreeze({ metadata: { name: 'j' }, spec: given }));
    expect(once).toEqual({ metadata: { name: 'j' }, spec: then });
    expect(defaultImagePullJob(once)).toBe(once);
  });

  it('a new job gets the finalizer once, behind those it has', () => {
    const once = protectImagePullJob(deepFreeze({ metadata: { name: 'j', finalizers: ['a/b'] } }));
    expect(once).toEqual({ metadata: { name: 'j', finalizers: ['a/b', 'apps.kruise.io/deletion-protection'] } });
    expect(protectImagePullJob(once)).toBe(once);
    expect(protectImagePullJob({ metadata: { name: 'j' } })).toEqual({
      metadata: { name: 'j', finalizers: ['apps.kruise.io/deletion-protection'] },
    });
  });
});
