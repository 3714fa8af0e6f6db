/** A move that Ctrl-C interrupts at each of its writes: what the run says of it, and the run after it. */
import { describe, expect, it } from '@jest/globals';
import { controllerOf, isTerminating } from '@kruise/objects';
import type { FakeWrite } from '@kruise/kube/testing';
import type { RunResult } from '../testing.ts';
import { AdoptCluster, adoptLine, identities } from './controllers.testing.ts';
import { directionFrom, wordOf, type AdoptableKind } from './observed/directions.ts';
import { isMarked } from './observed/observed.ts';

const kinds: readonly AdoptableKind[] = ['Deployment', 'CloneSet', 'StatefulSet', 'AdvancedStatefulSet', 'DaemonSet', 'AdvancedDaemonSet'];
const to = (from: AdoptableKind): AdoptableKind => directionFrom(from)?.to ?? from;
const nameOf = (kind: AdoptableKind): string => `${wordOf[kind].replace('s.', '.')}/web`;

const adoptsItself = (kind: AdoptableKind): boolean => kind !== 'CloneSet';

const ownersOf = ({ pods }: AdoptCluster): readonly string[] => pods.flatMap((pod) => controllerOf(pod)?.uid ?? []);
const lastLine = ({ err }: RunResult): string => err.trimEnd().split('\n').at(-1) ?? '';

/** How far the move is, in the words of the run. @param former UIDs of the controllers that the Pods had before */
function progressIn(cluster: AdoptCluster, from: AdoptableKind, former: ReadonlySet<string>): string {
  const [source, target] = [cluster.workload(from), cluster.workload(to(from))];
  if (source !== undefined && !isTerminating(source)) return `${nameOf(from)} has its Pods`;
  const moved = ownersOf(cluster).filter((uid) => !former.has(uid)).length;
  if (moved < 3) return `${moved} of 3 Pods are handed over to ${nameOf(to(from))}`;
  return `${nameOf(to(from))} has the Pods${target !== undefined && isMarked(target) ? ', and is on hold' : ''}`;
}

/** Whether the plugin wrote; dry runs change nothing. */
const isDone = ({ call, before, after, refused }: FakeWrite): boolean =>
  call.from === 'plugin' && refused === undefined && before?.metadata.resourceVersion !== after?.metadata.resourceVersion;

const again = 'Run the same command again to continue.';

interface Interruption {
  readonly result: RunResult;
  /** Of the plugin, as the server counts them. */
  readonly writes: number;
  /** How far the move was at the interruption. */
  readonly progress: string;
}

/** Interrupts a move at a write, counted from 1. @param when before its answer arrives, or at the first read after it */
async function interrupt(cluster: AdoptCluster, at: number, when: 'unanswered' | 'answered'): Promise<Interruption> {
  const former = new Set(ownersOf(cluster));
  const stop = new AbortController();
  let [writes, progress] = [0, ''];
  const abort = (): void => {
    progress = progressIn(cluster, cluster.from, former);
    stop.abort();
  };
  const connection = cluster.api.connect('plugin');
  connection.faults.before = ({ verb }) => {
    if (when === 'answered' && writes >= at && verb === 'get' && !stop.signal.aborted) abort();
  };
  cluster.api.onWrite((write) => {
    if (isDone(write) && ++writes === at && when === 'unanswered') abort();
  });
  const result = await cluster.run(adoptLine(cluster.from), { signal: stop.signal, connection });
  return { result, writes, progress };
}

describe.each(kinds)('a move of a %s', (from) => {
  it('says after Ctrl-C at any write how far it is, and continues', async () => {
    const texts = new Set<string>();
    for (let at = 1; ; at++) {
      const cluster = new AdoptCluster(from);
      const before = identities(cluster);
      const { result, writes, progress } = await interrupt(cluster, at, 'answered');
      if (result.code === 0) break;
      expect(result.code).toBe(130);
      const said = /^Interrupted after (\d+) writes?: (.*)\. Run the same command again to continue\.$/.exec(lastLine(result));
      expect(said?.[1]).toBe(String(writes));
      // The controller of such a target adopts Pods that the run has not seen since.
      expect(adoptsItself(to(from)) ? [progress, `0 of 3 Pods are handed over to ${nameOf(to(from))}`] : [progress]).toContain(said?.[2]);
      texts.add(said?.[2] ?? '');
      expect(await cluster.run(adoptLine(from))).toMatchObject({ code: 0 });
      expect([cluster.harm, identities(cluster)]).toEqual([[], before]);
    }
    expect([...texts]).toEqual([
      `${nameOf(from)} has its Pods`,
      `0 of 3 Pods are handed over to ${nameOf(to(from))}`,
      `${nameOf(to(from))} has the Pods, and is on hold`,
      `${nameOf(to(from))} has the Pods`,
    ]);
  });

  it('says after Ctrl-C in any write that it may have succeeded, and continues', async () => {
    let interruptions = 0;
    for (let at = 1; ; at++, interruptions++) {
      const cluster = new AdoptCluster(from);
      const before = identities(cluster);
      const { result } = await interrupt(cluster, at, 'unanswered');
      if (result.code === 0) break;
      expect(result.code).toBe(130);
      expect(lastLine(result)).toMatch(
        /^Interrupted(?: after \d+ writes?)?: .*Pods.*; [123] more writes? may have succeeded\. Run the same command again to continue\.$/,
      );
      expect(await cluster.run(adoptLine(from))).toMatchObject({ code: 0 });
      expect([cluster.harm, identities(cluster)]).toEqual([[], before]);
    }
    expect(interruptions).toBeGreaterThanOrEqual(8);
  });
});

describe('a move that is interrupted', () => {
  it('counts the Pods that it has handed over', async () => {
    const cluster = new AdoptCluster('Deployment', 0, { replicas: 20 });
    const { result } = await interrupt(cluster, 5 + 8 + 1, 'unanswered');
    expect(lastLine(result)).toBe(
      `Interrupted after 13 writes: 8 of 20 Pods are handed over to cloneset.apps.kruise.io/web; 8 more writes may have succeeded. ${again}`,
    );
  });

  it('says nothing before it begins', async () => {
    const cluster = new AdoptCluster('Deployment');
    const stop = new AbortController();
    const connection = cluster.api.connect('plugin');
    connection.faults.before = () => stop.abort();
    expect(await cluster.run('adopt deployment/web --yes', { signal: stop.signal, connection })).toMatchObject({ code: 130, err: '' });
  });
});
