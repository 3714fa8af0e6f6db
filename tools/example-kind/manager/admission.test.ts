import { expect, it } from '@jest/globals';
import type { AdmissionRequest } from '@kruise/admission';
import { maintenanceNoticeAdmission } from './admission.ts';

const [mutating, validating] = maintenanceNoticeAdmission();
const { signal } = new AbortController();
const sent = { operation: 'CREATE', resource: { version: 'v1beta1' } };
const request = (spec: object) => ({ ...sent, object: { metadata: { name: 'db' }, spec } }) as unknown as AdmissionRequest;

it('a notice lasts an hour by default', async () => {
  expect(await mutating?.decide(request({}), signal)).toMatchObject({ kind: 'Changed', object: { spec: { durationSeconds: 3600 } } });
  expect(await mutating?.decide(request({ durationSeconds: 60 }), signal)).toEqual({ kind: 'Allowed' });
});

it('a duration that is not positive is refused', async () => {
  const message = 'spec.durationSeconds: Invalid value: 0: must be greater than 0';
  expect(await validating?.decide(request({ durationSeconds: 0 }), signal)).toMatchObject({ kind: 'Failed', code: 422, message });
  expect(await validating?.decide(request({ durationSeconds: 60 }), signal)).toMatchObject({ kind: 'Allowed' });
});
