/** What the message of a refusal names. */
import { expect, it } from '@jest/globals';
import { refusalOf } from './refusal.ts';

it.each([
  ['ResourceQuota few allows no more', 'pods "x" is forbidden: exceeded quota: few, requested: pods=1, used: pods=2, limited: pods=2'],
  ['Pod Security restricted:latest refuses the Pod', 'pods "x" is forbidden: violates PodSecurity "restricted:latest": privileged'],
  [
    'ValidatingAdmissionPolicy no-latest refuses: images need a tag',
    "pods \"x\" is forbidden: ValidatingAdmissionPolicy 'no-latest' with binding 'all' denied request: images need a tag",
  ],
  [
    'ValidatingAdmissionPolicy no-latest refuses',
    "pods \"x\" is forbidden: ValidatingAdmissionPolicy 'no-latest' with binding 'all' denied request",
  ],
  ['admission webhook w.example.com does not answer', 'Internal error occurred: failed calling webhook "w.example.com": timeout'],
  [
    'admission webhook w.example.com refuses: label $& is required',
    'admission webhook "w.example.com" denied the request: label $& is required',
  ],
  ['admission webhook w.example.com refuses', 'admission webhook "w.example.com" denied the request without explanation'],
  ['ServiceAccount web of the Pods does not exist', 'error looking up service account shop/web: serviceaccount "web" not found'],
  ['ServiceAccount of the Pods does not exist', 'error looking up service account shop/web: timeout'],
  ['PriorityClass high of the Pods does not exist', 'pods "x" is forbidden: no PriorityClass with name high was found'],
])('%s', (what, message) => {
  expect(refusalOf(message)?.what).toBe(what);
});
