/** A move that is disturbed at each of its writes: by another client that changes the source, or by an API server that refuses the write. */
import { describe, expect, it } from '@jest/globals';
import { ApiError } from '@kruise/kube';
import type { FakeCall } from '@kruise/kube/testing';
import { controllerOf, memberAt } from '@kruise/objects';
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

/** Sets a member of a workload as another client does. @returns whether the workload exists: otherwise the client gets an error */
function set(cluster: AdoptCluster, kind: AdoptableKind, path: readonly string[], value: unknown): boolean {
  const object = cluster.workload(kind);
  if (object === undefined) return false;
  cluster.api.seed(adoptableTypes[kind], withMember(object, path, value) as Untyped);
  return true;
}

/** What the move has left in the cluster: nothing of it, before or after. */
function expectWhole({ cluster, result }: Run, from: AdoptableKind): void {
  const [source, target] = [cluster.workload(from), cluster.workload(to(from))];
  expect([source === undefined, target === undefined]).toEqual(result.code === 0 ? [true, false] : [false, true]);
  expect(cluster.text()).not.toContain('kubectl-kruise');
}

describe.each(scalable)('an autoscaler of a %s', (from) => {
  it('whose write succeeds scales the target, whenever it writes, and one Pod more is created', async () => {
    const { writes } = await runWith(from, () => undefined);
    const ends = new Set<string>();
    for (let at = 1; at <= writes; at++) {
      let isAccepted = false;
      const run = await runWith(from, (cluster, write) => {
        if (write === at) isAccepted = set(cluster, from, ['spec', 'replicas'], 4);
      });
      expectWhole(run, from);
      const end = run.result.code === 0 ? to(from) : from;
      expect([at, memberAt(run.cluster.workload(end), 'spec', 'replicas')]).toEqual([at, isAccepted ? 4 : 3]);
      expect([at, run.cluster.harm]).toEqual([at, isAccepted ? [expect.stringMatching(/^created web-/)] : []]);
      ends.add(`${isAccepted ? 'scaled' : 'refused'} as ${end}`);
    }
    expect(ends).toEqual(new Set([`scaled as ${from}`, `scaled as ${to(from)}`, `refused as ${to(from)}`]));
  });
});

/** Where a kind has its `minReadySeconds`. */
const readyPath = (kind: AdoptableKind): readonly string[] =>
  kind === 'AdvancedStatefulSet' ? ['spec', 'updateStrategy', 'rollingUpdate', 'minReadySeconds'] : ['spec', 'minReadySeconds'];

describe.each(kinds)('a client of a %s', (from) => {
  it('that changes labels, settings and the image after any write changes the target, or gets an error', async () => {
    const { writes } = await runWith(from, () => undefined);
    const image = ['spec', 'template', 'spec', 'containers'];
    const label = ['metadata', 'labels', 'tier'];
    for (let at = 1; at <= writes; at++) {
      let isAccepted = false;
      const run = await runWith(from, (cluster, write) => {
        if (write !== at) return;
        isAccepted = set(cluster, from, label, 'gold');
        set(cluster, from, ['spec', 'revisionHistoryLimit'], 7);
        set(cluster, from, readyPath(from), 7);
        set(cluster, from, image, [{ name: 'main', image: 'nginx:2' }]);
      });
      expectWhole(run, from);
      const kind = run.result.code === 0 ? to(from) : from;
      const end = run.cluster.workload(kind);
      const wanted = isAccepted ? ['gold', 7, 'nginx:2'] : [undefined, undefined, 'nginx'];
      const containers = memberAt(end, ...image) as readonly { readonly image: string }[];
      expect([at, memberAt(end, ...label), memberAt(end, 'spec', 'revisionHistoryLimit'), containers[0]?.image]).toEqual([at, ...wanted]);
      expect([at, memberAt(end, ...readyPath(kind))]).toEqual([at, wanted[1]]);
    }
  });
});

describe('two clients', () => {
  const scaleBoth = (values: { readonly source: number; readonly target: number }): Promise<Run> => {
    let isDone = false;
    return runWith('Deployment', (cluster) => {
      const isHandedOver = cluster.pods.every((pod) => controllerOf(pod)?.kind === 'CloneSet');
      if (isDone || !isHandedOver) return;
      isDone = set(cluster, 'CloneSet', ['spec', 'replicas'], values.target);
      set(cluster, 'Deployment', ['spec', 'replicas'], values.source);
    });
  };

  it('of which one scales the source and one the target: the target keeps its value, and the command for the other one is printed', async () => {
    const { cluster, result } = await scaleBoth({ source: 4, target: 5 });
    expect(result.code).toBe(0);
    expect(memberAt(cluster.workload('CloneSet'), 'spec', 'replicas')).toBe(5);
    expect(result.err).toContain(
      'Warning: during the move, other clients changed spec.replicas to 4 on the source and to 5 on the target, which keeps 5; for the value of ' +
        'the source, run\n  kubectl patch clonesets.apps.kruise.io web -n default --type=merge -p \'{"spec":{"replicas":4}}\'\n',
    );
  });

  it('that give both the same value need no warning', async () => {
    const { cluster, result } = await scaleBoth({ source: 4, target: 4 });
    expect(memberAt(cluster.workload('CloneSet'), 'spec', 'replicas')).toBe(4);
    expect(result.err).not.toContain('Warning');
  });
});

describe.each(scalable)('a %s that is scaled between two runs', (from) => {
  it('is moved with the new number, whichever write of the first run was the last', async () => {
    const { writes } = await runWith(from, () => undefined);
    for (let at = 1; at <= writes; at++) {
      const cluster = new AdoptCluster(from, 1);
      const connection = cluster.api.connect('plugin');
      let seen = 0;
      connection.faults.before = (call) => {
        if (isWrite(call) && ++seen >= at) throw new Error('killed');
      };
      await cluster.run(adoptLine(from), { connection }).catch(() => undefined);
      const isAccepted = set(cluster, from, ['spec', 'replicas'], 4);
      const result = await cluster.run(adoptLine(from));
      // Before its deletion, the source scales first.
      if (result.code !== 0) expect(await cluster.run(adoptLine(from))).toMatchObject({ code: 0 });
      expect([at, memberAt(cluster.workload(to(from)), 'spec', 'replicas')]).toEqual([at, isAccepted ? 4 : 3]);
      expect([at, cluster.harm]).toEqual([at, isAccepted ? [expect.stringMatching(/^created web-/)] : []]);
      expect(cluster.text()).not.toContain('kubectl-kruise');
    }
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
