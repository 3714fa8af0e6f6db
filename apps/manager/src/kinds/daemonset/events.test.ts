/** Every event of a DaemonSet, word for word. @see spec/daemonset.md 3 */
import { expect, it } from '@jest/globals';
import { aPod } from '@kruise/testing';
import { daemonSetEvents, type DaemonSetEvents } from './events.ts';
import { aDaemonSet } from '@kruise/kinds/daemonset/testing';

const no = new Error('no');

it.each<[string, (events: DaemonSetEvents) => void]>([
  ['Normal SuccessfulCreate Created pod: agent-x', (events) => events.created('agent-x')],
  ['Warning FailedCreate Error creating: no', (events) => events.failedCreate(no)],
  ['Normal SuccessfulDelete Deleted pod: agent-x', (events) => events.deleted('agent-x')],
  ['Warning FailedDelete Error deleting: no', (events) => events.failedDelete(no)],
  [
    'Warning FailedDaemonPod Found failed daemon pod default/agent-x on node n1, will try to kill it',
    (events) => events.failedPod(aPod({ name: 'agent-x' }), 'n1'),
  ],
  ['Warning SelectingAll This daemon set is selecting all pods. A non-empty selector is required.', (events) => events.selectingAll()],
  ['Normal SuccessfulUpdatePodInPlace successfully update pod agent-x in-place', (events) => events.updatedInPlace('agent-x', 'abc')],
  [
    'Warning FailedUpdatePodInPlace failed to update pod agent-x in-place(revision agent-abc): no',
    (events) => events.failedUpdateInPlace(no, 'agent-x', 'abc'),
  ],
  [
    'Normal CreatedImagePullJob created ImagePullJob agent-job for image: app:2',
    (events) => events.createdImagePullJob('agent-job', 'app:2'),
  ],
  [
    'Normal FailedCreateImagePullJob failed to create ImagePullJob agent-job: no',
    (events) => events.failedCreateImagePullJob(no, 'agent-job'),
  ],
  ['Warning InvalidSpec spec.burstReplicas: Invalid value', (events) => events.invalid('spec.burstReplicas: Invalid value')],
])('%s', (text, record) => {
  const reported: string[] = [];
  const event = (_about: unknown, type: string, reason: string, message: string): void =>
    void reported.push(`${type} ${reason} ${message}`);
  record(daemonSetEvents({ event }, aDaemonSet()));
  expect(reported).toEqual([text]);
});
