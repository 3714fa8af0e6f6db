/** Answers of a kind's webhooks that its rules do not decide alone. @see spec/manager.md 4.2 */
import { describe, expect, it } from '@jest/globals';
import type { AdmissionRequest, Decision } from '@kruise/admission';
import { cloneSetDeclaration } from '@kruise/api';
import { fieldRequired } from '@kruise/objects';
import { kindAdmission, type FaultCode, type KindAdmission } from './kind-admission.ts';

const object = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', metadata: { name: 'web' } };

async function refusal(faultCode: KindAdmission['faultCode'], operation: 'CREATE' | 'UPDATE'): Promise<Decision | undefined> {
  const [, validating] = kindAdmission({
    declaration: cloneSetDeclaration,
    faultCode,
    defaulted: (submission) => submission.object,
    findings: () => ({ faults: [fieldRequired('spec')] }),
  });
  const request = { resource: { version: 'v1beta1' }, operation, object, ...(operation === 'UPDATE' ? { oldObject: object } : {}) };
  return validating?.decide(request as unknown as AdmissionRequest, new AbortController().signal);
}

describe('an object with faults', () => {
  it.each<{ faultCode: KindAdmission['faultCode']; CREATE: FaultCode; UPDATE: FaultCode }>([
    { faultCode: 422, CREATE: 422, UPDATE: 422 },
    { faultCode: { CREATE: 500, UPDATE: 422 }, CREATE: 500, UPDATE: 422 },
  ])('is refused with the code of the kind, or of the operation: $faultCode', async ({ faultCode, ...codes }) => {
    for (const operation of ['CREATE', 'UPDATE'] as const)
      expect(await refusal(faultCode, operation)).toEqual({
        kind: 'Failed',
        code: codes[operation],
        message: 'spec: Required value',
        warnings: [],
      });
  });
});
