import { describe, expect, it } from '@jest/globals';
import { instant, type Node, type Pod } from '@kruise/objects';
import { aPod, epoch } from '@kruise/testing';
import { firstCauseOf } from './blocked-condition.ts';
import { podDelays, podFaults, updatedOnDelete, updatePaused } from './shared-causes.ts';

const lost: Node = {
  metadata: { name: 'n1' },
  status: { conditions: [{ type: 'Ready', status: 'Unknown', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
};
const pod = aPod({ name: 'web-a', node: 'n1', ready: false });
const unschedulable: Pod = {
  ...pod,
  status: { conditions: [{ type: 'PodScheduled', status: 'False', message: 'no room' }] },
};
const held: Pod = { ...pod, metadata: { ...pod.metadata, labels: { 'lifecycle.apps.kruise.io/state': 'PreparingDelete', hold: 'yes' } } };
const lifecycle = { preDelete: { labelsHandler: { hold: 'yes' } } };

const causeOf = (one: Pod, nodes: readonly Node[]): string | undefined =>
  firstCauseOf(
    [one],
    podFaults({ nodes: new Map(nodes.map((node) => [node.metadata.name, node])), lifecycle, held: undefined, now: instant(epoch) }),
  )?.reason;

describe('the fault of a Pod', () => {
  it.each<[string, Pod, readonly Node[], string | undefined]>([
    ['that it has no node comes before its hook', { ...unschedulable, metadata: held.metadata }, [], 'Unschedulable'],
    ['its node', pod, [lost], 'NodeLost'],
    ['its node comes before its hook', held, [lost], 'NodeLost'],
    ['a hook that holds it', held, [], 'WaitingForHook'],
    ['nothing, for one that starts', pod, [], undefined],
  ])('%s', (_name, one, nodes, reason) => {
    expect(causeOf(one, nodes)).toBe(reason);
  });

  it('is only that it takes long, after a minute', () => {
    const since = new Date(epoch - 61_000).toISOString();
    const slow: Pod = { ...pod, status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: since }] } };
    expect(firstCauseOf([slow], podDelays(0, { now: epoch, resources: 'Ignored' }))?.reason).toBe('NotReady');
  });
});

describe('what the user requested', () => {
  it('is reported with the numbers', () => {
    expect(updatePaused(3)).toEqual({ reason: 'Paused', message: 'the update is paused; 3 Pods wait for it' });
    expect(updatedOnDelete(2)).toEqual({
      reason: 'OnDelete',
      message: '2 Pods of older revisions are updated only when a user deletes them (update strategy OnDelete)',
    });
  });
});
