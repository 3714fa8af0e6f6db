/** Whole moves between controllers that act at once and see late, killed at every write. */
import { describe, expect, it } from '@jest/globals';
import { deathsAtEveryStep, deathTimes, Lifetime } from '@kruise/kube/testing';
import { controllerOf, memberAt } from '@kruise/objects';
import { stepsOf } from '@kruise/testing';
import { AdoptCluster, adoptLine, identities } from './controllers.testing.ts';
import { directionFrom, type AdoptableKind } from './observed/directions.ts';

const kinds: readonly AdoptableKind[] = ['Deployment', 'CloneSet', 'StatefulSet', 'AdvancedStatefulSet', 'DaemonSet', 'AdvancedDaemonSet'];
const to = (from: AdoptableKind): AdoptableKind => directionFrom(from)?.to ?? from;

/** Nothing of the move is left. */
function expectMoved(cluster: AdoptCluster, before: readonly string[]): void {
  const { from, harm } = cluster;
  expect(harm).toEqual([]);
  expect(identities(cluster)).toEqual(before);
  expect(cluster.workload(from)).toBeUndefined();
  const target = cluster.workload(to(from));
  expect(target?.metadata).toMatchObject({ name: 'web', labels: { app: 'web' }, annotations: { team: 'a' } });
  expect(cluster.text()).not.toContain('kubectl-kruise');
  const owners = cluster.pods.map((pod) => controllerOf(pod)?.kind);
  expect(new Set(owners)).toEqual(new Set([to(from) === 'Deployment' ? 'ReplicaSet' : target?.kind]));
  expect(memberAt(target, 'status', 'updatedReplicas') ?? memberAt(target, 'status', 'updatedNumberScheduled')).toBe(3);
}

describe.each(kinds)('adopt of a %s', (from) => {
  it.each([0, 1, 5])('lets no controller act on a Pod that sees %d reads late', async (lag) => {
    const cluster = new AdoptCluster(from, lag);
    const before = identities(cluster);
    const result = await cluster.run(adoptLine(from));
    expect(result).toMatchObject({ code: 0, out: expect.stringContaining('adopted 3 Pods') as unknown });
    expectMoved(cluster, before);
  });

  it('moves the Pods back to an object with the same settings', async () => {
    const cluster = new AdoptCluster(from);
    const [before, spec] = [identities(cluster), memberAt(cluster.workload(from), 'spec')];
    await cluster.run(adoptLine(from));
    expect(await cluster.run(adoptLine(to(from)))).toMatchObject({ code: 0 });
    expect(cluster.harm).toEqual([]);
    expect(identities(cluster)).toEqual(before);
    const { burstReplicas: _burst, ...kept } = spec as Record<string, unknown>;
    expect(memberAt(cluster.workload(from), 'spec')).toMatchObject(kept);
  });

  it.each(deathTimes)('ends the same after a kill at any write (%s), when it is run again', async (when) => {
    const undisturbed = new AdoptCluster(from);
    await undisturbed.run(adoptLine(from));
    const last = await deathsAtEveryStep(
      when,
      async (death) => {
        const cluster = new AdoptCluster(from, 1);
        const before = identities(cluster);
        const lifetime = new Lifetime(death);
        await cluster.run(adoptLine(from), { connection: lifetime.connect(cluster.api, 'plugin') });
        expect(cluster.harm).toEqual([]);
        expect(await cluster.run(adoptLine(from))).toMatchObject({ code: 0 });
        expectMoved(cluster, before);
        expect(cluster.text()).toBe(undisturbed.text());
        return lifetime;
      },
      stepsOf(when, deathTimes),
    );
    expect(last).toBeGreaterThanOrEqual(8);
  });
});
