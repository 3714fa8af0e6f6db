/** Every event of a budget and of its Pods, word for word. @see spec/podunavailablebudget.md 3 */
import { expect, it } from '@jest/globals';
import type { EventRecorder } from '@kruise/kube';
import { aPod } from '@kruise/testing';
import { recordBudgetEvent, recordRefusal } from './events.ts';

const { apiVersion: _version, kind: _kind, ...pod } = aPod({ name: 'web' });
const named = { ...pod, apiVersion: 'v1', kind: 'Pod' };
const budget = { metadata: { name: 'b', namespace: 'shop' }, spec: {} };

it.each<[string, object, (recorder: EventRecorder) => void]>([
  ['Normal NoPods No matching pods found', budget, (recorder) => recordBudgetEvent(recorder, budget, { kind: 'NoPods' })],
  [
    'Warning CalculateExpectedPodCountFailed Failed to calculate the number of expected pods: no',
    budget,
    (recorder) => recordBudgetEvent(recorder, budget, { kind: 'CalculationFailed', why: 'no' }),
  ],
  [
    "Warning NotDeleted Pod was expected by PUB shop/b to be deleted but it wasn't",
    named,
    (recorder) => recordBudgetEvent(recorder, budget, { kind: 'NotDeleted', pod }),
  ],
  ['Warning PubPreventPodDeletion openkruise pub prevents pod deletion', named, (recorder) => recordRefusal(recorder, pod)],
])('%s', (text, target, say) => {
  const recorded: unknown[] = [];
  say({ event: (object, ...words) => void recorded.push([object, words.join(' ')]) });
  expect(recorded).toEqual([[target, text]]);
});
