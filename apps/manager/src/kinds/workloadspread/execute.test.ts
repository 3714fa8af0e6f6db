import { beforeEach, describe, expect, it } from '@jest/globals';
import { ApiError, type Failure } from '@kruise/kube';
import { type FakeApi, FakeClock } from '@kruise/kube/testing';
import { pods, type Pod } from '@kruise/objects';
import { asNew, newFakeApi } from '../../module/controller-process.testing.ts';
import { workloadSpreadEvents } from './events.ts';
import { execute } from './execute.ts';
import type { Action } from '@kruise/kinds/workloadspread';
import { aSpread, aSpreadPod } from '@kruise/kinds/workloadspread/testing';

const key = { namespace: 'default', name: 'x' };

describe('an action', () => {
  let api: FakeApi;
  let pod: Pod;
  let reported: string[];
  const run = (action: Action, signal = new AbortController().signal): Promise<void> => {
    const events = workloadSpreadEvents(
      { event: (_about, type, reason, message) => void reported.push(`${type} ${reason}: ${message}`) },
      aSpread([]),
    );
    return execute(action, { client: api, events }, signal);
  };
  const mark = (of = pod): Action => ({
    kind: 'MarkPod',
    pod: of,
    patch: { metadata: { uid: of.metadata.uid ?? '', labels: { place: 'a' } } },
    because: 'it fits',
  });
  const reschedule = (of = pod): Action => ({ kind: 'ReschedulePod', pod: of, because: 'no node took it' });
  const failing = (failure: Failure): void => {
    api.faults = {
      before: () => {
        throw new ApiError('no', failure);
      },
    };
  };

  beforeEach(() => {
    reported = [];
    api = newFakeApi(new FakeClock());
    pod = api.seed(pods, asNew(aSpreadPod({ name: 'x', node: '' })));
  });

  it('marks the Pod, in metadata alone, and may do it twice', async () => {
    await run(mark());
    await run(mark());
    const marked = api.peek(pods, key);
    expect([marked?.metadata.labels?.['place'], marked?.spec, reported]).toEqual(['a', pod.spec, []]);
  });

  it('marks no other Pod of its name', async () => {
    await expect(run(mark({ ...pod, metadata: { ...pod.metadata, uid: 'former' } }))).rejects.toThrow('UID');
    expect(api.peek(pods, key)?.metadata.labels?.['place']).toBeUndefined();
  });

  it('takes the Pod away that found no node, and no other of its name', async () => {
    await run(reschedule({ ...pod, metadata: { ...pod.metadata, uid: 'former' } })).catch(() => undefined);
    expect(api.peek(pods, key)).toBeDefined();
    await run(reschedule());
    expect(api.peek(pods, key)).toBeUndefined();
  });

  it('is done when the Pod is already deleted', async () => {
    await api.delete(pods, key, { gracePeriodSeconds: 0 });
    await run(mark());
    await run(reschedule());
    expect(reported).toEqual([]);
  });

  it.each<[string, () => Action, string]>([
    ['marking', mark, 'Warning PatchPodDeletionCostFailed: Pod x could not be patched: no'],
    ['moving on', reschedule, 'Warning DeletePodFailed: Pod x, which found no node, could not be deleted: no'],
  ])('that fails is reported: %s', async (_name, action, then) => {
    failing({ kind: 'Forbidden' });
    await expect(run(action())).rejects.toThrow('no');
    expect(reported).toEqual([then]);
  });

  it.each<[string, () => Action]>([
    ['marking', mark],
    ['moving on', reschedule],
  ])('that ends with the process is not reported: %s', async (_name, action) => {
    await expect(run(action(), AbortSignal.abort())).rejects.toThrow('aborted');
    expect(reported).toEqual([]);
  });
});
