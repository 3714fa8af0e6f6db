import { describe, expect, it } from '@jest/globals';
import { inVersion, isGateOn } from './readme.testing.ts';

describe('the example of the README', () => {
  const job = { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'BroadcastJob', metadata: { name: 'j' }, spec: { template: {} } };

  it('converts an object', () => {
    expect(inVersion(job, 'apps.kruise.io/v1beta1')).toMatchObject({ ...job, apiVersion: 'apps.kruise.io/v1beta1' });
    expect(() => inVersion(job, 'apps.kruise.io/v9')).toThrow('v9');
  });

  it('reads feature gates', () => {
    expect([isGateOn('CloneSetShortHash=true', 'CloneSetShortHash'), isGateOn('CloneSetShortHash=false', 'CloneSetShortHash')]).toEqual([
      true,
      false,
    ]);
    expect(() => isGateOn('NoSuchGate=true', 'PodWebhook')).toThrow('NoSuchGate');
  });
});
