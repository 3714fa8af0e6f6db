import { describe, expect, it } from '@jest/globals';
import type { AdmissionRequest } from '@kruise/admission';
import { defaultGates } from '@kruise/api';
import type { HandlerDependencies } from '../../module/handler-dependencies.ts';
import { broadcastJobAdmission } from './admission.ts';
import { aJob } from './cluster.testing.ts';

const { signal } = new AbortController();
const [mutating, validating] = broadcastJobAdmission({
  gates: defaultGates,
  allowPrivileged: true,
  kubernetes: 34,
} as unknown as HandlerDependencies);
const requestOf = (object: object, version = 'v1beta1', oldObject?: object): AdmissionRequest =>
  ({
    uid: 'request',
    resource: { group: 'apps.kruise.io', version, resource: 'broadcastjobs' },
    operation: oldObject === undefined ? 'CREATE' : 'UPDATE',
    namespace: 'default',
    userInfo: {},
    object,
    ...(oldObject === undefined ? {} : { oldObject }),
  }) as unknown as AdmissionRequest;

describe('admission of BroadcastJobs', () => {
  it('is on the paths that installations know', () => {
    expect([mutating?.path, validating?.path]).toEqual(['/mutate-apps-kruise-io-broadcastjob', '/validate-apps-kruise-io-broadcastjob']);
  });

  it.each(['v1alpha1', 'v1beta1'])('fills in what a %s does not say (13)', async (version) => {
    const decision = await mutating?.decide(requestOf({ ...aJob(), apiVersion: `apps.kruise.io/${version}` }, version), signal);
    expect(decision).toMatchObject({ kind: 'Changed' });
    expect(JSON.stringify(decision)).toEqual(expect.stringContaining('2147483647'));
  });

  it('refuses what cannot work, with every fault (12)', async () => {
    const job = aJob({ completionPolicy: { type: 'Never', ttlSecondsAfterFinished: 5 } });
    const faulty = { ...job, metadata: { ...job.metadata, name: 'a.b' } };
    const decision = await validating?.decide(requestOf(faulty), signal);
    expect(decision).toMatchObject({ kind: 'Failed', code: 500 });
    for (const path of ['metadata.name', 'spec.completionPolicy.ttlSecondsAfterFinished']) expect(JSON.stringify(decision)).toContain(path);
  });

  it('lets a good one through, and warns of what has no effect', async () => {
    expect(await validating?.decide(requestOf(aJob()), signal)).toMatchObject({ kind: 'Allowed' });
    const over = {
      ...aJob(),
      status: { completionTime: '2026-01-01T00:00:00Z', phase: 'completed', conditions: [{ type: 'Complete', status: 'True' }] },
    };
    const { template } = over.spec;
    const changed = { ...over, spec: { template: { ...template, metadata: { labels: { app: 'other' } } } } };
    expect(await validating?.decide(requestOf(changed, 'v1beta1', over), signal)).toMatchObject({
      kind: 'Allowed',
      warnings: [expect.any(String)],
    });
  });
});
