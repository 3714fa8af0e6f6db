/** Every event of an ImagePullJob, word for word. */
import { expect, it } from '@jest/globals';
import { aJob } from '@kruise/kinds/images/builders.testing';
import { jobEvents, type JobEvents } from './events.ts';

const no = new Error('no');

it.each<[string, (events: JobEvents) => void]>([
  ['Warning PullSecretMissing there is no Secret a; the image is pulled without it', (events) => events.pullSecretMissing('a')],
  [
    'Warning PullSecretRefused Secret a is of type Opaque and is not copied for the nodes; only Secrets of type kubernetes.io/dockerconfigjson and kubernetes.io/dockercfg are; the image is pulled without it',
    (events) => events.pullSecretUnfit({ key: { namespace: '', name: 'a' }, why: { kind: 'OtherType', type: 'Opaque' } }),
  ],
  [
    'Warning PullSecretRefused Secret a has 65537 bytes and is not given to the nodes, which take 65536 at most; the image is pulled without it',
    (events) => events.pullSecretUnfit({ key: { namespace: '', name: 'a' }, why: { kind: 'TooLarge', bytes: 65_537 } }),
  ],
  ['Warning PullSecretRefused a pull secret cannot be copied for the nodes: no', (events) => events.pullSecretRefused(no)],
  ['Warning PullSecretRefused a pull secret cannot be copied for the nodes: 7', (events) => events.pullSecretRefused(7)],
  [
    'Warning PullSecretsUnreadable the manager cannot read Secrets (yet); the job waits. See installation.secretsAccess of the chart',
    (events) => events.pullSecretsUnreadable(),
  ],
  ['Warning NodeImageRefused the task for the image cannot be given to node n1: no', (events) => events.nodeRefused('n1', no)],
  ['Warning InvalidSpec spec must be an object', (events) => events.invalid('spec must be an object')],
  ['Normal JobComplete the job has completed: a change of it has no effect, make a new job', (events) => events.editedAfterEnd()],
])('%s', (text, record) => {
  const reported: unknown[] = [];
  const job = aJob();
  record(jobEvents({ event: (target, ...words) => void reported.push([target, words.join(' ')]) }, job));
  expect(reported).toEqual([[job, text]]);
});
