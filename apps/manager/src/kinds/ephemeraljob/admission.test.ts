import { describe, expect, it } from '@jest/globals';
import type { AdmissionRequest } from '@kruise/admission';
import { ephemeralJobAdmission } from './admission.ts';
import { aJob, debug } from '@kruise/kinds/ephemeraljob/testing';

const { signal } = new AbortController();
const request = (object: object, oldObject?: object): AdmissionRequest =>
  ({
    uid: 'request',
    resource: { group: 'apps.kruise.io', version: 'v1alpha1', resource: 'ephemeraljobs' },
    operation: oldObject === undefined ? 'CREATE' : 'UPDATE',
    namespace: 'default',
    userInfo: {},
    object,
    ...(oldObject === undefined ? {} : { oldObject }),
  }) as unknown as AdmissionRequest;

describe('admission of EphemeralJobs', () => {
  const [handler] = ephemeralJobAdmission({ allowPrivileged: true });
  const decide = async (object: object, oldObject?: object) => handler?.decide(request(object, oldObject), signal);
  const faulty = aJob({ containers: [{ ...debug, resources: { limits: { cpu: '1' } } }] });

  it('validates only, on the path that installations know', () => {
    expect(ephemeralJobAdmission({ allowPrivileged: true }).map(({ path, aliases }) => [path, aliases])).toEqual([
      ['/validate-apps-kruise-io-v1alpha1-ephemeraljob', ['/validate-apps-kruise-io-ephemeraljob']],
    ]);
  });

  it('lets a good job through and refuses a faulty one with code 400', async () => {
    expect(await decide(aJob())).toMatchObject({ kind: 'Allowed' });
    expect(await decide(faulty)).toMatchObject({
      kind: 'Failed',
      code: 400,
      message: expect.stringContaining('ephemeralContainers[0].resources: Forbidden: cannot be set for an Ephemeral Container'),
    });
  });

  it('lets a faulty job from before lose its finalizer, but not change', async () => {
    expect(await decide({ ...faulty, metadata: { ...faulty.metadata, finalizers: [] } }, faulty)).toMatchObject({ kind: 'Allowed' });
    expect(await decide({ ...faulty, spec: { ...faulty.spec, paused: true } }, faulty)).toMatchObject({ kind: 'Failed' });
  });
});
