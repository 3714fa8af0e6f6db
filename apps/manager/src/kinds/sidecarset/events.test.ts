/** Every event of a Pod of a SidecarSet, word for word. @see spec/sidecarset.md 3 */
import { expect, it } from '@jest/globals';
import { aPod } from '@kruise/testing';
import { podEvents, type PodEvents } from './events.ts';

const pod = aPod({ name: 'web' });

it.each<[string, object, (events: PodEvents) => void]>([
  ['Normal ResetContainerSucceed reset sidecar container image empty successfully', pod, (events) => events.emptied(pod)],
  [
    'Warning ResetContainerFailed reset sidecar container image empty failed: no',
    pod,
    (events) => events.failedToEmpty(pod, new Error('no')),
  ],
  ['Warning ResetContainerFailed reset sidecar container image empty failed: 7', pod, (events) => events.failedToEmpty(pod, 7)],
])('%s', (text, target, record) => {
  const reported: unknown[] = [];
  record(podEvents({ event: (object, ...words) => void reported.push([object, words.join(' ')]) }));
  expect(reported).toEqual([[target, text]]);
});
