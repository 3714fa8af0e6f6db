/** Every event of a StatefulSet, word for word. @see spec/statefulset.md 3 */
import { expect, it } from '@jest/globals';
import { statefulSetEvents, type StatefulSetEvents } from './events.ts';
import { aStatefulSet } from '@kruise/kinds/statefulset/testing';

const no = new Error('no');

it.each<[string, (events: StatefulSetEvents) => void]>([
  ['Normal SuccessfulCreate create Pod web-0 in StatefulSet web successful', (events) => events.createdPod('web-0')],
  ['Warning FailedCreate create Pod web-0 in StatefulSet web failed error: no', (events) => events.failedCreatePod(no, 'web-0')],
  [
    'Normal SuccessfulCreate create Claim data-web-0 Pod web-0 in StatefulSet web success',
    (events) => events.createdClaim('data-web-0', 'web-0'),
  ],
  [
    'Warning FailedCreate create Claim data-web-0 for Pod web-0 in StatefulSet web failed error: no',
    (events) => events.failedCreateClaim(no, 'data-web-0', 'web-0'),
  ],
  ['Normal SuccessfulUpdate update Pod web-0 in StatefulSet web successful', (events) => events.updatedPod('web-0')],
  ['Warning FailedUpdate update Pod web-0 in StatefulSet web failed error: no', (events) => events.failedUpdatePod(no, 'web-0')],
  ['Normal SuccessfulDelete delete Pod web-0 in StatefulSet web successful', (events) => events.deletedPod('web-0')],
  ['Warning FailedDelete delete Pod web-0 in StatefulSet web failed error: no', (events) => events.failedDeletePod(no, 'web-0')],
  [
    'Normal SuccessfulUpdatePodInPlace successfully update pod web-0 in-place(revision web-abc)',
    (events) => events.updatedInPlace('web-0', 'web-abc'),
  ],
  [
    'Warning FailedUpdatePodInPlace failed to update pod web-0 in-place(revision web-abc): no',
    (events) => events.failedUpdateInPlace(no, 'web-0', 'web-abc'),
  ],
  ['Normal SuccessfulResize resize Claim data-web-0 in StatefulSet web successful', (events) => events.resizedClaim('data-web-0')],
  [
    'Warning FailedResize resize Claim data-web-0 in StatefulSet web failed error: no',
    (events) => events.failedResizeClaim(no, 'data-web-0'),
  ],
  [
    'Warning FailedUpdatePVC update Claim data-web-0 in StatefulSet web failed error: no',
    (events) => events.cannotUpdateClaim('data-web-0', 'no'),
  ],
  ['Normal CreatedImagePullJob created ImagePullJob web-job for image: app:2', (events) => events.createdImagePullJob('web-job', 'app:2')],
  ['Normal FailedCreateImagePullJob failed to create ImagePullJob web-job: no', (events) => events.failedCreateImagePullJob(no, 'web-job')],
  ['Warning InvalidSpec spec.replicas: Invalid value', (events) => events.invalid('spec.replicas: Invalid value')],
])('%s', (text, record) => {
  const reported: string[] = [];
  const event = (_about: unknown, type: string, reason: string, message: string): void =>
    void reported.push(`${type} ${reason} ${message}`);
  record(statefulSetEvents({ event }, aStatefulSet()));
  expect(reported).toEqual([text]);
});
