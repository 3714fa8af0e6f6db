/** A source that a finalizer of another program keeps: its Pods are moved, and the move does not wait for it. */
import { describe, expect, it } from '@jest/globals';
import { isTerminating, type ResourceType } from '@kruise/objects';
import { replicaSets } from '@kruise/workloads';
import { withMember, type Untyped } from '../objects/untyped.ts';
import { AdoptCluster, adoptableTypes, adoptLine, identities } from './controllers.testing.ts';
import { directionFrom, type AdoptableKind } from './observed/directions.ts';

const kinds: readonly AdoptableKind[] = ['Deployment', 'CloneSet', 'StatefulSet', 'AdvancedStatefulSet', 'DaemonSet', 'AdvancedDaemonSet'];
const to = (from: AdoptableKind): AdoptableKind => directionFrom(from)?.to ?? from;
const foreign = 'example.org/keep';
const replicaSetType = replicaSets as unknown as ResourceType<Untyped>;

function setFinalizers(cluster: AdoptCluster, finalizers: readonly string[]): void {
  const source = cluster.workload(cluster.from);
  if (source === undefined) throw new Error('the source does not exist');
  cluster.api.seed(adoptableTypes[cluster.from], withMember(source, ['metadata', 'finalizers'], finalizers) as Untyped);
}

/** What another program does when it has cleaned up. */
async function letGo(cluster: AdoptCluster): Promise<void> {
  const type = adoptableTypes[cluster.from];
  await cluster.api.patch(type, { namespace: 'default', name: 'web' }, { metadata: { finalizers: null } }, { type: 'merge' });
}

function kept(from: AdoptableKind): AdoptCluster {
  const cluster = new AdoptCluster(from, 1);
  setFinalizers(cluster, [foreign]);
  return cluster;
}

describe.each(kinds)('a %s with a finalizer of another program', (from) => {
  it('is moved, and the run ends with a warning that names the finalizer', async () => {
    const cluster = kept(from);
    const before = identities(cluster);
    const result = await cluster.run(adoptLine(from));
    expect(result).toMatchObject({ code: 0, out: expect.stringContaining('adopted 3 Pods') as unknown });
    expect(result.out).toContain(`The source is deleted when other programs have removed their finalizers from it: ${foreign}.`);
    expect(result.err).toMatch(
      /Warning: \S+\/web is being deleted, and exists until another program removes the finalizer example\.org\/keep/,
    );
    expect(cluster.harm).toEqual([]);
    expect(identities(cluster)).toEqual(before);
    const source = cluster.workload(from);
    expect([source !== undefined && isTerminating(source), source?.metadata.finalizers]).toEqual([true, [foreign]]);
    expect(JSON.stringify(cluster.workload(to(from)))).not.toContain('kubectl-kruise');
  });

  it('is moved once: a run that follows changes nothing, also when the finalizer no longer exists', async () => {
    const cluster = kept(from);
    await cluster.run(adoptLine(from));
    const moved = cluster.text();
    const again = await cluster.run(adoptLine(from));
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining('there is nothing left to do') as unknown });
    expect(again.err).toContain(foreign);
    expect(cluster.text()).toBe(moved);
    await letGo(cluster);
    const undisturbed = new AdoptCluster(from, 1);
    await undisturbed.run(adoptLine(from));
    expect(cluster.text()).toBe(undisturbed.text());
    expect(await cluster.run(adoptLine(from))).toMatchObject({ code: 0, err: '' });
    expect(cluster.harm).toEqual([]);
  });
});

it('a move that was killed before the ReplicaSet lost its mark is tidied up by the next run, although the source is kept', async () => {
  const cluster = kept('CloneSet');
  const connection = cluster.api.connect('plugin');
  connection.faults.before = ({ verb, type }) => {
    const target = cluster.workload('Deployment');
    const isReleased = target !== undefined && !JSON.stringify(target).includes('kubectl-kruise');
    if (verb === 'patch' && type?.kind === 'ReplicaSet' && isReleased) throw new Error('killed');
  };
  await cluster.run(adoptLine('CloneSet'), { connection }).catch(() => undefined);
  const marked = (): boolean => JSON.stringify(cluster.all(replicaSetType)).includes('kubectl-kruise');
  expect(marked()).toBe(true);
  expect(await cluster.run(adoptLine('CloneSet'))).toMatchObject({ code: 0 });
  expect(marked()).toBe(false);
});
