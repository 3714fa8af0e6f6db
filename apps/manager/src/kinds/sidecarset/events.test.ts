/** Every event of a SidecarSet and of its Pods, word for word. @see spec/sidecarset.md 3 */
import { expect, it } from '@jest/globals';
import { aPod } from '@kruise/testing';
import { sidecarSetEvents, type SidecarSetEvents } from './events.ts';
import { aSidecarSet } from './testing.ts';

const pod = aPod({ name: 'web' });
const sidecarSet = aSidecarSet();

it.each<[string, object, (events: SidecarSetEvents) => void]>([
  [
    'Normal NotUpgradablePods SidecarSet in-place update detected 2 not upgradable pod(s) in this round, will skip them.',
    sidecarSet,
    (events) => events.notUpgradable(sidecarSet, 2),
  ],
  [
    'Warning BudgetRefuses Pod web may not be updated now: nothing is left',
    sidecarSet,
    (events) => events.refused(sidecarSet, 'Pod web may not be updated now: nothing is left'),
  ],
  [
    'Warning FailedUpdatePodInPlace Pod default/web was not updated: no',
    sidecarSet,
    (events) => events.failedToUpdate(sidecarSet, 'Pod default/web was not updated: no'),
  ],
  ['Normal ResetContainerSucceed reset sidecar container image empty successfully', pod, (events) => events.emptied(pod)],
  [
    'Warning ResetContainerFailed reset sidecar container image empty failed: no',
    pod,
    (events) => events.failedToEmpty(pod, new Error('no')),
  ],
  ['Warning ResetContainerFailed reset sidecar container image empty failed: 7', pod, (events) => events.failedToEmpty(pod, 7)],
])('%s', (text, target, tell) => {
  const told: unknown[] = [];
  tell(sidecarSetEvents({ event: (object, ...words) => void told.push([object, words.join(' ')]) }));
  expect(told).toEqual([[target, text]]);
});
