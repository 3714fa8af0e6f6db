import { describe, expect, it } from '@jest/globals';
import { ApiError } from '@kruise/kube';
import type { PassFailure } from '@kruise/workloads';
import { refusalOf } from './refusal.ts';

const forbidden = (message: string): ApiError => new ApiError(message, { kind: 'Forbidden' }, { code: 403, reason: 'Forbidden' });
const internal = (message: string): ApiError => new ApiError(message, { kind: 'ServerError', status: 500 }, { code: 500 });

describe('what the API server refuses', () => {
  it.each<{ name: string; error: Error; reason: PassFailure['reason'] }>([
    {
      name: 'a quota',
      error: forbidden('pods "web-x" is forbidden: exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2'),
      reason: 'QuotaExceeded',
    },
    {
      name: 'a budget',
      error: forbidden(
        'admission webhook "vpod.kb.io" denied the request: podunavailablebudget.policy.kruise.io "web" is forbidden: pub unavailable allowed is negative',
      ),
      reason: 'BudgetRefuses',
    },
    {
      name: 'a webhook that says no',
      error: forbidden('admission webhook "no.example.com" denied the request: not on Fridays'),
      reason: 'AdmissionRefuses',
    },
    {
      name: 'an admission policy',
      error: forbidden("pods \"x\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no"),
      reason: 'AdmissionRefuses',
    },
    {
      name: 'Pod Security',
      error: forbidden('pods "x" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true'),
      reason: 'AdmissionRefuses',
    },
    {
      name: 'a webhook that does not answer',
      error: internal(
        'Internal error occurred: failed calling webhook "no.example.com": failed to call webhook: Post "https://…": timeout',
      ),
      reason: 'WebhookFails',
    },
    { name: 'missing permissions', error: forbidden('pods is forbidden: User "x" cannot create resource "pods"'), reason: undefined },
    { name: 'an error of our own that quotes one', error: new Error('exceeded quota: small'), reason: undefined },
  ])('$name', ({ error, reason }) => {
    expect(refusalOf(error)).toEqual({ message: error.message, ...(reason === undefined ? {} : { reason }) });
  });
});
