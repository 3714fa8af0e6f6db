/** What a tenant that works at its usual pace sees while another one submits objects as large as the bounds allow: wall-clock times, and how far they are off a quiet cluster. */
import { sidecarSets } from '@kruise/api';
import { inParallel, type Client } from '@kruise/kube';
import { namespaces } from '@kruise/objects';
import { CloneSetFixture } from '../../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { attacks } from '../../../apps/manager/src/int-tests/hostile/hostile-attacks.testing.ts';
import { isRefusedAttack, resourceOf, type Attack } from '../../../apps/manager/src/int-tests/hostile/hostile-objects.testing.ts';
import { Victim, victimSidecarSet, type VictimTimes } from '../../../apps/manager/src/int-tests/hostile/hostile-victim.testing.ts';
import { onStage } from '../manager/stage.ts';
import { quantile } from '../statistics.ts';
import { rowsAbout, type Row } from '../table.ts';

const hostileNamespace = 'hostile';
const quietRounds = 25;
/** Of objects that are submitted at the same time. */
const parallelWrites = 8;
const flags = ['--feature-gates=ImagePullJobGate=true'];

interface Work {
  readonly attack: string;
  readonly rounds: readonly VictimTimes[];
}

/** Refusals are what most of the bounds come to, and what was refused cannot be deleted. */
async function unlessRefused(call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!isRefusedAttack(error)) throw error;
  });
}

/** Submits the objects of one attack, and deletes them when the other tenant has worked once more. */
async function workBeside(client: Client, victim: Victim, { name, objects, dryRuns }: Attack): Promise<Work> {
  const submitted = objects(hostileNamespace);
  const attack = async (): Promise<void> => {
    await inParallel(submitted, parallelWrites, (object) => unlessRefused(client.create(resourceOf(object), object)));
    if (dryRuns === undefined) return;
    const object = dryRuns.object(hostileNamespace);
    const rehearse = (): Promise<void> => unlessRefused(client.create(resourceOf(object), object, { dryRun: true }));
    await Promise.all(Array.from({ length: dryRuns.times }, rehearse));
  };
  const { rounds } = await victim.workBeside(attack());
  await inParallel(submitted, parallelWrites, (object) =>
    unlessRefused(client.delete(resourceOf(object), { namespace: hostileNamespace, name: object.metadata.name })),
  );
  return { attack: name, rounds };
}

/** @returns the p99 of all attacks together, and the worst of one attack, beside those of a quiet cluster */
function rowsFor(what: string, timesOf: (times: VictimTimes) => readonly number[], quiet: Work, attacked: readonly Work[]): readonly Row[] {
  const quantileOf = (works: readonly Work[], share: number): number =>
    quantile(
      works.flatMap(({ rounds }) => rounds.flatMap(timesOf)),
      share,
    );
  const peer = (share: number): NonNullable<Row['peer']> => ({ name: 'quiet cluster', value: quantileOf([quiet], share) });
  const medians = attacked.map((work) => ({ attack: work.attack, ms: quantileOf([work], 0.5) }));
  const [worst] = medians.toSorted((a, b) => b.ms - a.ms);
  return rowsAbout(`beside a hostile tenant: ${what},`, {
    'p99 (ms)': { ours: quantileOf(attacked, 0.99), peer: peer(0.99), limit: 2 },
    'median of the worst attack (ms)': { ours: worst?.ms, peer: peer(0.5), note: worst?.attack },
  });
}

export const measure = onStage(
  () => ({ pods: 50, simulatedNodes: 3, flags }),
  async ({ client, plane, progress, record }) => {
    const quota = { metadata: { name: 'pods' }, spec: { hard: { pods: '20', persistentvolumeclaims: '20' } } };
    await client.create(namespaces, { metadata: { name: hostileNamespace } });
    await plane.api.request(`/api/v1/namespaces/${hostileNamespace}/resourcequotas`, { method: 'POST', body: quota });
    await client.create(sidecarSets, victimSidecarSet);
    const victim = await Victim.create(await CloneSetFixture.create(plane.kubeconfigPath, 'victim'));
    using _ = { [Symbol.dispose]: () => victim.fixture.client.close() };
    await victim.work();
    progress('a quiet cluster');
    const rounds: VictimTimes[] = [];
    for (let round = 0; round < quietRounds; round++) rounds.push(await victim.work());
    const quiet = { attack: 'none', rounds };
    const attacked: Work[] = [];
    for (const attack of attacks.filter(({ isOfCluster }) => isOfCluster !== true)) {
      progress(attack.name);
      attacked.push(await workBeside(client, victim, attack));
    }
    record({ quiet, attacked });
    const creations = rowsFor('creation of a Pod', ({ creationsMs }) => creationsMs, quiet, attacked);
    const scalings = rowsFor('scaling of a CloneSet by one', ({ scalingMs }) => [scalingMs], quiet, attacked);
    return [...creations, ...scalings];
  },
);
