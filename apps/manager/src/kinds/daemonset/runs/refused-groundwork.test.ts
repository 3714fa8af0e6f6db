/** Adoptions and releases that the API server refuses hold back their node only. @see spec/daemonset.md 5.2 */
import { describe, expect, it } from '@jest/globals';
import { ApiError } from '@kruise/kube';
import type { FakeCall } from '@kruise/kube/testing';
import { pods, type Pod } from '@kruise/objects';
import { DaemonSetCluster } from '../cluster.testing.ts';

/** What only the owners of a Pod are changed by. */
const setsOwners = ({ verb, type, body }: FakeCall): boolean =>
  verb === 'patch' && type === pods && 'ownerReferences' in ((body ?? {}) as { readonly metadata?: object }).metadata!;

async function settled(): Promise<{
  readonly cluster: DaemonSetCluster;
  readonly refuse: (refuses: boolean) => void;
  readonly tries: () => number;
}> {
  let isRefusing = false;
  let refused = 0;
  const before = (call: FakeCall): void => {
    if (!isRefusing || !setsOwners(call)) return;
    refused++;
    throw new ApiError('no', { kind: 'Forbidden' }, { code: 403 });
  };
  const cluster = new DaemonSetCluster({ rollingUpdate: { rollingUpdateType: 'InPlaceIfPossible', maxUnavailable: 1 } }, { before });
  await cluster.settle();
  return { cluster, refuse: (refuses) => (isRefusing = refuses), tries: () => refused };
}

const withoutOwner = (pod: Pod): Pod => ({ ...pod, metadata: { ...pod.metadata, ownerReferences: [] } });
const withoutLabel = (pod: Pod): Pod => ({ ...pod, metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, app: 'other' } } });

describe('a write of the owners of one Pod that is refused', () => {
  it('leaves the Pods of the other nodes to be updated and created, and is tried a few times a minute', async () => {
    const { cluster, refuse, tries } = await settled();
    await using _ = cluster;
    refuse(true);
    cluster.setPod(cluster.podOn('n2'), withoutOwner);
    cluster.changeImage('app:2');
    cluster.node('n4');
    await cluster.ticks(60);
    expect(cluster.shown).toEqual(['n1 app:2', 'n2 app:1', 'n3 app:2', 'n4 app:2']);
    expect(cluster.conditions).toEqual(['Blocked ScalingFails: Pods cannot be created or deleted: no']);
    expect(tries()).toBeLessThan(30);
    refuse(false);
    await cluster.settle(300, 65);
    expect([cluster.shown, cluster.conditions]).toEqual([['n1 app:2', 'n2 app:2', 'n3 app:2', 'n4 app:2'], []]);
  });

  it('does not prevent the node of a Pod that must be released from getting another', async () => {
    const { cluster, refuse } = await settled();
    await using _ = cluster;
    refuse(true);
    cluster.setPod(cluster.podOn('n2'), withoutLabel);
    await cluster.ticks(5);
    expect(cluster.shown).toEqual(['n1 app:1', 'n2 app:1', 'n2 app:1', 'n3 app:1']);
  });
});
