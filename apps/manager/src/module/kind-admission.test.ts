/** Answers of a kind's webhooks that its rules do not decide alone. @see spec/manager.md 4.2 */
import { describe, expect, it } from '@jest/globals';
import type { AdmissionRequest, Decision } from '@kruise/admission';
import { cloneSetDeclaration } from '@kruise/api';
import { fieldRequired, fieldTooMany } from '@kruise/objects';
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

describe('an object that was stored before a bound', () => {
  const withImages = (...images: readonly string[]): object => ({ ...object, spec: { images } });
  const kindOf = async (object: object, oldObject?: object, field = 'spec.images'): Promise<string | undefined> => {
    const [, validating] = kindAdmission({
      declaration: cloneSetDeclaration,
      faultCode: 422,
      defaulted: (submission) => submission.object,
      findings: () => ({ faults: [fieldTooMany(field, 2, 1)] }),
    });
    const operation = oldObject === undefined ? 'CREATE' : 'UPDATE';
    const request = { resource: { version: 'v1beta1' }, operation, object, oldObject };
    return (await validating?.decide(request as unknown as AdmissionRequest, new AbortController().signal))?.kind;
  };

  it('may change in all but what is beyond it', async () => {
    expect([
      await kindOf(withImages('a', 'b'), withImages('a', 'b')),
      await kindOf(withImages('a', 'c'), withImages('a', 'b')),
      await kindOf(withImages('a', 'b')),
      await kindOf(object, object),
    ]).toEqual(['Allowed', 'Failed', 'Failed', 'Failed']);
  });

  it('may change in all but the entry of a list that is beyond it', async () => {
    const withTerms = (...terms: readonly (readonly string[])[]): object => ({
      ...object,
      spec: { terms: terms.map((keys) => ({ keys })) },
    });
    const field = 'spec.terms[1].keys';
    expect([
      await kindOf(withTerms(['x'], ['a', 'b']), withTerms(['y'], ['a', 'b']), field),
      await kindOf(withTerms(['x'], ['a', 'c']), withTerms(['x'], ['a', 'b']), field),
      await kindOf(withTerms(['x'], ['a', 'b']), withTerms(['a', 'b']), field),
    ]).toEqual(['Allowed', 'Failed', 'Failed']);
  });
});

describe('an object that is being deleted', () => {
  const leaving = { ...object, metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['example.com/f'] } };
  const judging: KindAdmission = {
    declaration: cloneSetDeclaration,
    faultCode: 422,
    defaulted: () => ({ ...object, spec: {} }),
    denial: () => ({ code: 403, message: 'never' }),
    findings: () => ({ faults: [fieldRequired('spec')] }),
  };
  const update = (oldObject: object) => ({ resource: { version: 'v1beta1' }, operation: 'UPDATE', object, oldObject });

  it('may lose its finalizers whatever is wrong with it, and is not changed', async () => {
    for (const handler of kindAdmission(judging))
      expect(await handler.decide(update(leaving) as unknown as AdmissionRequest, new AbortController().signal)).toEqual({
        kind: 'Allowed',
      });
  });

  it('is validated until its deletion', async () => {
    const kinds: string[] = [];
    for (const handler of kindAdmission(judging)) {
      const { kind } = await handler.decide(update(object) as unknown as AdmissionRequest, new AbortController().signal);
      kinds.push(kind);
    }
    expect(kinds).toEqual(['Changed', 'Failed']);
  });
});
