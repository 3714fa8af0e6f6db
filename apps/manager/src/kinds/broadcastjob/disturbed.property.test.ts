/** Runs in which users, nodes and kills interfere at any moment: no node ever gets a second Pod, and the job completes. */
import { describe, expect, it } from '@jest/globals';
import { nodes, pods, type Pod } from '@kruise/objects';
import { nodeOf } from '@kruise/pods';
import { casesOf } from '@kruise/testing';
import fc from 'fast-check';
import { isOfManager, managerDisturbances, type ManagerDisturbance } from '../../module/controller-cluster.testing.ts';
import { BroadcastJobCluster } from './cluster.testing.ts';

/** More with FC_RUNS=10000; each run simulates about a minute. */
const numRuns = casesOf(25);

type Disturbance =
  | { readonly kind: 'Parallelism'; readonly parallelism: number | string }
  | { readonly kind: 'Pause'; readonly paused: boolean }
  /** `node` counts round the nodes. */
  | { readonly kind: 'Delete' | 'Close' | 'Open' | 'Leave' | 'Slow' | 'Fast'; readonly node: number }
  | ManagerDisturbance;

const names = ['n1', 'n2', 'n3', 'n4'];
const disturbance: fc.Arbitrary<Disturbance> = fc.oneof(
  fc.record({ kind: fc.constant('Parallelism' as const), parallelism: fc.constantFrom<number | string>(0, 1, 2, '50%') }),
  fc.record({ kind: fc.constant('Pause' as const), paused: fc.boolean() }),
  fc.record({
    kind: fc.constantFrom('Delete' as const, 'Close' as const, 'Open' as const, 'Leave' as const, 'Slow' as const, 'Fast' as const),
    node: fc.nat({ max: names.length - 1 }),
  }),
  fc.record({ kind: fc.constantFrom(...managerDisturbances) }),
);
const run = fc.array(fc.record({ disturbance, ticks: fc.nat({ max: 3 }) }), { minLength: 1, maxLength: 10 });

async function disturbNode(cluster: BroadcastJobCluster, kind: Disturbance['kind'], name: string): Promise<void> {
  const pod = cluster.pods.find((held) => nodeOf(held) === name);
  switch (kind) {
    case 'Delete':
      return void (pod === undefined || (await cluster.api.delete(pods, { namespace: 'default', name: pod.metadata.name })));
    case 'Leave':
      return void (cluster.api.peek(nodes, { namespace: '', name }) && (await cluster.api.delete(nodes, { namespace: '', name })));
    case 'Slow':
      return void cluster.slow.add(name);
    case 'Fast':
      return void cluster.slow.delete(name);
    default:
      return cluster.node(name, { spec: { unschedulable: kind === 'Close' } });
  }
}

async function disturb(cluster: BroadcastJobCluster, next: Disturbance): Promise<void> {
  if (isOfManager(next)) return cluster.disturbManager(next);
  if ('node' in next) return disturbNode(cluster, next.kind, names[next.node] ?? '');
  switch (next.kind) {
    case 'Parallelism':
      return cluster.change({ parallelism: next.parallelism });
    default:
      return cluster.change({ paused: next.paused });
  }
}

/** Pods that were made while another one of their node was there, whatever had become of it. */
function doubled(cluster: BroadcastJobCluster): readonly string[] {
  const found: string[] = [];
  cluster.api.onWrite(({ call, after, refused }) => {
    if (call.verb !== 'create' || call.type !== pods || refused !== undefined || after === undefined) return;
    const others = cluster.pods.filter((pod) => nodeOf(pod) === nodeOf(after as Pod) && pod.metadata.uid !== after.metadata.uid);
    if (others.length > 0)
      found.push(`${nodeOf(after as Pod)} has ${others.map(({ metadata }) => metadata.name).join()} and ${after.metadata.name}`);
  });
  return found;
}

describe('a BroadcastJob that is disturbed', () => {
  it('never runs twice on a node, and gets done', async () => {
    await fc.assert(
      fc.asyncProperty(run, async (steps) => {
        await using cluster = new BroadcastJobCluster({ completionPolicy: { type: 'Never' } }, { nodes: names });
        const twice = doubled(cluster);
        for (const { disturbance: next, ticks } of steps) {
          await disturb(cluster, next);
          await cluster.ticks(ticks);
        }
        await cluster.clear();
        cluster.slow.clear();
        for (const name of names) cluster.node(name);
        cluster.change({ paused: false, parallelism: 2 });
        await cluster.until(() => cluster.job.status?.succeeded === names.length, 'all have succeeded');
        await cluster.ticks(3);
        expect(twice).toEqual([]);
        expect(cluster.summary).toBe('running: desired 4, active 0, succeeded 4, failed 0');
      }),
      { numRuns },
    );
  }, 600_000);
});
