/** A move that is disturbed at each of its writes: by another client that changes the source, or by an API server that refuses the write. */
import { describe, expect, it } from '@jest/globals';
import { ApiError } from '@kruise/kube';
import type { FakeCall } from '@kruise/kube/testing';
import { memberAt } from '@kruise/objects';
import { withMember, type Untyped } from '../objects/untyped.ts';
import type { RunResult } from '../testing.ts';
import { AdoptCluster, adoptableTypes, adoptLine, identities } from './controllers.testing.ts';
import { directionFrom, type AdoptableKind } from './observed/directions.ts';

const kinds: readonly AdoptableKind[] = ['Deployment', 'CloneSet', 'StatefulSet', 'AdvancedStatefulSet', 'DaemonSet', 'AdvancedDaemonSet'];
const scalable = kinds.filter((kind) => !kind.endsWith('DaemonSet'));
const to = (from: AdoptableKind): AdoptableKind => directionFrom(from)?.to ?? from;

/** Dry runs included. */
const isWrite = (call: FakeCall): boolean => call.from === 'plugin' && ['create', 'patch', 'delete'].includes(call.verb);

interface Run {
  readonly cluster: AdoptCluster;
  readonly result: RunResult;
  /** Number of writes of the plugin. */
  readonly writes: number;
}

/** Runs a move. @param after called after each of its writes, counted from 1 */
async function runWith(from: AdoptableKind, after: (cluster: AdoptCluster, write: number) => void): Promise<Run> {
  const cluster = new AdoptCluster(from, 1);
  let writes = 0;
  cluster.api.onWrite(({ call, refused }) => {
    if (refused === undefined && isWrite(call)) after(cluster, ++writes);
  });
  return { cluster, result: await cluster.run(adoptLine(from)), writes };
}

const scale = (cluster: AdoptCluster, from: AdoptableKind, replicas: number): void => {
  const source = cluster.workload(from);
  if (source !== undefined) cluster.api.seed(adoptableTypes[from], withMember(source, ['spec', 'replicas'], replicas) as Untyped);
};

/** What the move has left in the cluster: nothing of it, before or after. */
function expectWhole({ cluster, result }: Run, from: AdoptableKind): void {
  const [source, target] = [cluster.workload(from), cluster.workload(to(from))];
  expect([source === undefined, target === undefined]).toEqual(result.code === 0 ? [true, false] : [false, true]);
  expect(cluster.text()).not.toContain('kubectl-kruise');
  expect(cluster.harm.filter((act) => !act.startsWith('created '))).toEqual([]);
}

describe.each(scalable)('an autoscaler of a %s', (from) => {
  it('that scales after any write ends the move before its begin, or after it with the new number', async () => {
    const { writes } = await runWith(from, () => undefined);
    const outcomes = new Set<unknown>();
    for (let at = 1; at <= writes; at++) {
      let isHeld = false;
      const run = await runWith(from, (cluster, write) => {
        if (write !== at) return;
        scale(cluster, from, 4);
        isHeld = JSON.stringify(cluster.workload(to(from)) ?? '').includes('kubectl-kruise/adopt');
      });
      expectWhole(run, from);
      const replicas = memberAt(run.cluster.workload(to(from)), 'spec', 'replicas');
      if (isHeld) expect([at, replicas]).toEqual([at, 4]);
      outcomes.add(run.result.code === 0 ? replicas : 'refused');
    }
    // A number that arrives after the hold has ended has no effect on the target.
    expect(outcomes).toEqual(new Set(['refused', 4, 3]));
  });
});

describe.each(kinds)('an API server that refuses a write of the move of a %s', (from) => {
  it('once, at any write, leaves a move that ends the same when it is run again', async () => {
    const undisturbed = await runWith(from, () => undefined);
    for (let at = 1; at <= undisturbed.writes; at++) {
      const cluster = new AdoptCluster(from, 1);
      const before = identities(cluster);
      const connection = cluster.api.connect('plugin');
      let seen = 0;
      connection.faults.before = (call) => {
        if (isWrite(call) && ++seen === at) throw new ApiError('denied', { kind: 'Forbidden' });
      };
      const refused = await cluster.run(adoptLine(from), { connection });
      expect([at, refused.code]).toEqual([at, 1]);
      expect([at, cluster.harm]).toEqual([at, []]);
      expect([at, (await cluster.run(adoptLine(from))).code]).toEqual([at, 0]);
      expect([at, cluster.harm]).toEqual([at, []]);
      expect(identities(cluster)).toEqual(before);
      expect(cluster.text()).toBe(undisturbed.cluster.text());
    }
  });
});

describe.each(kinds)('an interrupted move of a %s', (from) => {
  it('ends the same when it is run again, whichever write was the last', async () => {
    const undisturbed = await runWith(from, () => undefined);
    for (let at = 1; at <= undisturbed.writes; at++) {
      const interrupt = new AbortController();
      const cluster = new AdoptCluster(from, 1);
      const connection = cluster.api.connect('plugin');
      let seen = 0;
      connection.faults.before = (call) => {
        if (isWrite(call) && ++seen === at) interrupt.abort();
      };
      await cluster.run(adoptLine(from), { connection, signal: interrupt.signal }).catch(() => undefined);
      expect([at, cluster.harm]).toEqual([at, []]);
      expect([at, (await cluster.run(adoptLine(from))).code]).toEqual([at, 0]);
      expect([at, cluster.harm]).toEqual([at, []]);
      expect(cluster.text()).toBe(undisturbed.cluster.text());
    }
  });
});
