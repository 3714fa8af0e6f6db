import { expect, it } from '@jest/globals';
import { refusalReason } from './refusal-reason.ts';

it.each([
  ['QuotaExceeded', 'pods "web-x" is forbidden: exceeded quota: few, requested: pods=1, used: pods=2, limited: pods=2'],
  [
    'BudgetRefuses',
    'admission webhook "vpod.kb.io" denied the request: podunavailablebudget.policy.kruise.io "web" is forbidden: none left',
  ],
  ['AdmissionRefuses', 'admission webhook "no.example.com" denied the request: not on Fridays'],
  // As in the client's errors, with the request in front.
  [
    'AdmissionRefuses',
    'PATCH /apis/apps.kruise.io/v1beta1/namespaces/a/clonesets/b: admission webhook "no.example.com" denied the request: no',
  ],
  ['AdmissionRefuses', "pods \"web\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no"],
  ['AdmissionRefuses', 'pods "web" is forbidden: violates PodSecurity "restricted:latest": privileged'],
  ['WebhookFails', 'Internal error occurred: failed calling webhook "no.example.com": failed to call webhook: timeout'],
  [undefined, 'pods "web" is forbidden: User "u" cannot create resource "pods"'],
  [undefined, 'the annotation says admission webhook "x" denied the request'],
])('%s: %s', (reason, message) => {
  expect(refusalReason(message)).toBe(reason);
});
