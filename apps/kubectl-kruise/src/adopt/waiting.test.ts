/** How a move waits: by watches, which servers refuse, end and delay. */
import { expect, it } from '@jest/globals';
import { ApiError, type Failure } from '@kruise/kube';
import { AdoptCluster, adoptableTypes, identities } from './controllers.testing.ts';

/** The controllers look every second, so that they see the Pods of 60 seconds ago. */
const slow = (): AdoptCluster => new AdoptCluster('Deployment', 60);
const line = 'adopt deployment/web --yes';

it('lists the Pods for each step, and between the steps every ten seconds', async () => {
  const cluster = slow();
  const connection = cluster.api.connect('plugin');
  const listedAt: number[] = [];
  let looks = 0;
  connection.faults.before = ({ verb, type }) => {
    if (verb === 'list' && type?.kind === 'Pod') listedAt.push(looks++);
  };
  expect(await cluster.run(line, { connection })).toMatchObject({ code: 0 });
  expect(cluster.harm).toEqual([]);
  // Ten steps, and a wait of a minute.
  expect(listedAt.length).toBeGreaterThan(10);
  expect(listedAt.length).toBeLessThan(25);
});

it.each<Failure>([{ kind: 'Forbidden' }, { kind: 'Gone' }, { kind: 'Unreachable', cause: undefined }])(
  'reads repeatedly when the server answers a watch with $kind',
  async (failure) => {
    const cluster = new AdoptCluster('Deployment', 5);
    const before = identities(cluster);
    const connection = cluster.api.connect('plugin');
    connection.faults.before = ({ verb }) => {
      if (verb === 'watch') throw new ApiError('no watch', failure);
    };
    expect(await cluster.run(line, { connection })).toMatchObject({ code: 0 });
    expect(cluster.harm).toEqual([]);
    expect(identities(cluster)).toEqual(before);
  },
);

it('finds by a read what no event announces', async () => {
  const cluster = new AdoptCluster('Deployment', 5);
  cluster.api.holdWatches();
  expect(await cluster.run(line)).toMatchObject({ code: 0 });
  expect(cluster.harm).toEqual([]);
});

it('ends when another client removes the source while it waits', async () => {
  const cluster = slow();
  const type = adoptableTypes.Deployment;
  const connection = cluster.api.connect('plugin');
  let reads = 0;
  connection.faults.before = ({ verb, type: read }) => {
    const held = cluster.workload('Deployment');
    // The second watch of the target on hold: the first wait of ten seconds has ended.
    if (verb !== 'watch' || read?.kind !== 'CloneSet' || held === undefined || ++reads !== 2) return;
    cluster.api.seed(type, { ...held, metadata: { ...held.metadata, finalizers: [] } });
    void cluster.api.delete(type, { namespace: 'default', name: 'web' }).catch(() => undefined);
  };
  expect(await cluster.run(line, { connection })).toMatchObject({
    code: 1,
    err: expect.stringContaining('was removed before the move ended, and cloneset.apps.kruise.io/web is on hold') as unknown,
  });
});
