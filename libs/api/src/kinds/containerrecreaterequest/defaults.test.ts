import { describe, expect, it } from '@jest/globals';
import { defaultContainerRecreateRequest } from './defaults.ts';

describe('defaults of ContainerRecreateRequests', () => {
  it('a new request is active and stops at the first failure', () => {
    const once = defaultContainerRecreateRequest({ metadata: { name: 'r', labels: { a: 'b' } }, spec: { podName: 'p' } });
    expect(once).toEqual({
      metadata: { name: 'r', labels: { a: 'b', 'crr.apps.kruise.io/active': 'true' } },
      spec: { podName: 'p', strategy: { failurePolicy: 'Fail' } },
    });
    expect(defaultContainerRecreateRequest(once)).toBe(once);
  });

  it('the policy that is given stays', () => {
    const { spec } = defaultContainerRecreateRequest({
      metadata: { name: 'r' },
      spec: { strategy: { failurePolicy: 'Ignore', forceRecreate: true } },
    });
    expect(spec).toEqual({ strategy: { failurePolicy: 'Ignore', forceRecreate: true } });
  });
});
