/** @see spec/resourcedistribution.md 8 */
import { describe, expect, it } from '@jest/globals';
import { distributionReasons } from '@kruise/api';
import { FakeClock } from '@kruise/kube/testing';
import { configMaps, type ConfigMap } from '@kruise/objects';
import { plan } from '@kruise/kinds/resourcedistribution';
import { CopyConflicts } from './copy-conflicts.ts';
import { aDistribution, aNamespace, foreignCopy, heldCopy, list, wantedOf } from '@kruise/kinds/resourcedistribution/testing';
import { DistributionCluster } from './cluster.testing.ts';

const side = { uid: 'dist', generation: 1 };
const minute = 60_000;

function conflictsAfter(writes: number, namespace = 'a') {
  const clock = new FakeClock();
  const held = new CopyConflicts(clock);
  for (let i = 0; i < writes; i++) held.wrote(side, namespace);
  return { clock, held, pauses: () => Object.fromEntries(held.pauses(side)) };
}

describe('writes of one copy', () => {
  it.each([
    { writes: 0, wait: undefined },
    { writes: 10, wait: undefined },
    { writes: 11, wait: 1_000 },
    { writes: 12, wait: 2_000 },
    { writes: 14, wait: 8_000 },
    { writes: 19, wait: 256_000 },
    { writes: 20, wait: 300_000 },
    { writes: 5_000, wait: 300_000 },
  ])('$writes one after the other: the next one waits $wait ms', ({ writes, wait }) => {
    expect(conflictsAfter(writes).pauses()).toEqual(wait === undefined ? {} : { a: wait });
  });

  it('are waited for no longer than that', async () => {
    const { clock, pauses } = conflictsAfter(12);
    await clock.step(1_500);
    expect(pauses()).toEqual({ a: 500 });
    await clock.step(500);
    expect(pauses()).toEqual({});
  });

  it('are forgotten after a minute, or twice their wait', async () => {
    const few = conflictsAfter(10);
    await few.clock.step(minute);
    expect(few.pauses()).toEqual({});
    few.held.wrote(side, 'a');
    expect(few.pauses()).toEqual({});
    const many = conflictsAfter(20);
    await many.clock.step(9 * minute);
    expect(many.pauses()).toEqual({});
    many.held.wrote(side, 'a');
    expect(many.pauses()).toEqual({ a: 300_000 });
    await many.clock.step(10 * minute);
    expect(many.pauses()).toEqual({});
    many.held.wrote(side, 'a');
    expect(many.pauses()).toEqual({});
  });

  it('are remembered a little less than a minute', async () => {
    const few = conflictsAfter(10);
    await few.clock.step(minute - 1);
    expect(few.pauses()).toEqual({});
    few.held.wrote(side, 'a');
    expect(few.pauses()).toEqual({ a: 1_000 });
  });

  it('count by namespace and distribution, and restart with its generation and its end', () => {
    const { held } = conflictsAfter(11);
    held.wrote(side, 'b');
    held.wrote({ uid: 'other', generation: 1 }, 'a');
    expect([...held.pauses(side).keys()]).toEqual(['a']);
    expect([...held.pauses({ uid: 'other', generation: 1 }).keys()]).toEqual([]);
    held.forget('other');
    expect(held.pauses(side).size).toBe(1);
    held.forget('dist');
    expect(held.pauses(side).size).toBe(0);
    const again = conflictsAfter(11).held;
    expect(again.pauses({ ...side, generation: 2 }).size).toBe(0);
    expect(again.pauses(side).size).toBe(0);
  });
});

it('a plan leaves such a copy alone and reports it, in line or not, and nothing else', () => {
  const wanted = wantedOf(aDistribution({ includedNamespaces: list('a', 'b', 'c', 'd', 'gone') }));
  const copies = new Map([
    ['b', heldCopy(wanted, 'b')],
    ['c', foreignCopy(wanted, 'c')],
  ]);
  const pauses = new Map(['a', 'b', 'c', 'gone', 'elsewhere'].map((name) => [name, 1 as never]));
  const planned = plan({ wanted, namespaces: ['a', 'b', 'c', 'd'].map((name) => aNamespace(name)), copies, pauses });
  expect(planned.distribute.map(({ kind, namespace }) => `${kind} ${namespace}`)).toEqual(['Create d']);
  expect(planned.problems).toEqual([
    { namespace: 'a', condition: 'UpdateResourceFailed', reason: distributionReasons.overwritten },
    { namespace: 'b', condition: 'UpdateResourceFailed', reason: distributionReasons.overwritten },
    { namespace: 'c', condition: 'ConflictOccurred', reason: distributionReasons.conflict },
    { namespace: 'gone', condition: 'NamespaceNotExists', reason: distributionReasons.missing },
  ]);
});

describe('a copy that another client changes after every repair', () => {
  const key = { namespace: 'a', name: 'settings' };
  const undoings = {
    changes: (cluster: DistributionCluster) => cluster.api.patch(configMaps, key, { data: { color: 'red' } }, { type: 'merge' }),
    deletes: (cluster: DistributionCluster) => cluster.api.delete(configMaps, key),
  };

  it.each(Object.keys(undoings) as (keyof typeof undoings)[])(
    'who %s it: writes become few, the status says so, and it ends well',
    async (how) => {
      const cluster = new DistributionCluster(['a', 'b']);
      cluster.distribute({ includedNamespaces: list('a', 'b') });
      let [isOn, writes, statuses] = [true, 0, 0];
      cluster.api.onWrite(({ call, after }) => {
        if (call.type?.kind === 'ResourceDistribution') statuses += 1;
        if (call.type?.kind !== 'ConfigMap' || call.key.namespace !== 'a' || (after as ConfigMap | undefined)?.data?.['color'] !== 'blue')
          return;
        writes += 1;
        if (isOn) queueMicrotask(() => void undoings[how](cluster));
      });
      const manager = cluster.begin();
      await manager.settle();
      expect(writes).toBe(11);
      expect([cluster.counts(), cluster.wrong()]).toEqual([[2, 1, 1], ['UpdateResourceFailed: a']]);
      expect(cluster.status()?.conditions?.[2]?.reason).toBe(distributionReasons.overwritten);
      const before = statuses;
      for (let second = 0; second < 3_600; second += 5) await cluster.clock.step(5_000);
      // 1, 2, 4, … 256 s apart, then 300: nine in the first 512 s, and ten in the 51 minutes that are left.
      expect(writes).toBeLessThanOrEqual(11 + 20);
      expect(writes).toBeGreaterThan(11 + 15);
      expect(statuses).toBe(before);
      expect(manager.events.map(({ reason }) => reason)).toEqual(['DistributeFailed']);
      isOn = false;
      for (let second = 0; second < 1_200; second += 5) await cluster.clock.step(5_000);
      expect([cluster.counts(), cluster.wrong(), cluster.copy('a')?.data]).toEqual([[2, 2, 0], [], { color: 'blue' }]);
      await manager.stop();
    },
  );

  it('gets a new state of the distribution immediately', async () => {
    const cluster = new DistributionCluster(['a']);
    cluster.distribute({ includedNamespaces: list('a') });
    cluster.api.onWrite(({ after }) => {
      if ((after as ConfigMap | undefined)?.data?.['color'] === 'blue') queueMicrotask(() => void undoings.changes(cluster));
    });
    const manager = cluster.begin();
    await manager.settle();
    expect(cluster.wrong()).toEqual(['UpdateResourceFailed: a']);
    await cluster.change({ resource: { data: { color: 'green' } } });
    await manager.settle();
    expect([cluster.copy('a')?.data, cluster.counts(), cluster.wrong()]).toEqual([{ color: 'green' }, [1, 1, 0], []]);
    await manager.stop();
  });
});
