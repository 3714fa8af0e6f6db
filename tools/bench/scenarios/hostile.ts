/** What a tenant that works at its usual pace sees while another one submits objects as large as the bounds allow: wall-clock times, and how far they are off a quiet cluster. */
import { sidecarSets } from '@kruise/api';
import { inParallel, type Client } from '@kruise/kube';
import { namespaces, type KubeObject } from '@kruise/objects';
import { CloneSetFixture } from '../../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { attacks } from '../../../apps/manager/src/int-tests/hostile/hostile-attacks.testing.ts';
import { isRefusedAttack, resourceOf, type Attack } from '../../../apps/manager/src/int-tests/hostile/hostile-objects.testing.ts';
import { Victim, victimSidecarSet, type VictimTimes } from '../../../apps/manager/src/int-tests/hostile/hostile-victim.testing.ts';
import { onStage } from '../manager/stage.ts';
import type { Measure } from '../scenario.ts';
import { quantile } from '../statistics.ts';
import { rowsAbout, type Row } from '../table.ts';

const hostileNamespace = 'hostile';
const quietRounds = 25;
/** Of objects that are submitted at the same time. */
const parallelWrites = 8;

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
  const submit = (object: KubeObject, dryRun: boolean): Promise<void> =>
    unlessRefused(client.create(resourceOf(object), object, { dryRun }));
  let isOver = false;
  const attacking = async (): Promise<void> => {
    await inParallel(submitted, parallelWrites, (object) => submit(object, false));
    if (dryRuns === undefined) return;
    const object = dryRuns.object(hostileNamespace);
    await Promise.all(Array.from({ length: dryRuns.times }, () => submit(object, true)));
  };
  const rounds: VictimTimes[] = [];
  const working = async (): Promise<void> => {
    do rounds.push(await victim.work());
    while (!isOver);
  };
  await Promise.all([attacking().finally(() => (isOver = true)), working()]);
  rounds.push(await victim.work());
  await inParallel(submitted, parallelWrites, (object) =>
    unlessRefused(client.delete(resourceOf(object), { namespace: hostileNamespace, name: object.metadata.name })),
  );
  return { attack: name, rounds };
}

/** @returns the p99 of all attacks together, and the worst of one attack, beside those of a quiet cluster */
function rowsFor(what: string, timesOf: (work: Work) => readonly number[], quiet: Work, attacked: readonly Work[]): readonly Row[] {
  const peer = (share: number): NonNullable<Row['peer']> => ({ name: 'quiet cluster', value: quantile(timesOf(quiet), share) });
  const medianOf = (work: Work): number => quantile(timesOf(work), 0.5);
  const worst = attacked.toSorted((a, b) => medianOf(b) - medianOf(a))[0] ?? quiet;
  return rowsAbout(`beside a hostile tenant: ${what},`, {
    'p99 (ms)': { ours: quantile(attacked.flatMap(timesOf), 0.99), peer: peer(0.99), limit: 2 },
    'median of the worst attack (ms)': { ours: medianOf(worst), peer: peer(0.5), note: worst.attack },
  });
}

export const measure: Measure = (run) =>
  onStage(run, { pods: 50, simulatedNodes: 3, flags: ['--feature-gates=ImagePullJobGate=true'] }, async ({ client, plane }) => {
    const quota = { metadata: { name: 'pods' }, spec: { hard: { pods: '20', persistentvolumeclaims: '20' } } };
    await client.create(namespaces, { metadata: { name: hostileNamespace } });
    await plane.api.request(`/api/v1/namespaces/${hostileNamespace}/resourcequotas`, { method: 'POST', body: quota });
    await client.create(sidecarSets, victimSidecarSet);
    const victim = await Victim.create(await CloneSetFixture.create(plane.kubeconfigPath, 'victim'));
    try {
      await victim.work();
      run.progress('a quiet cluster');
      const rounds: VictimTimes[] = [];
      for (let round = 0; round < quietRounds; round++) rounds.push(await victim.work());
      const quiet = { attack: 'none', rounds };
      const attacked: Work[] = [];
      for (const attack of attacks.filter(({ isOfCluster }) => isOfCluster !== true)) {
        run.progress(attack.name);
        attacked.push(await workBeside(client, victim, attack));
      }
      const creations = rowsFor('creation of a Pod', (work) => work.rounds.flatMap(({ creationsMs }) => creationsMs), quiet, attacked);
      const scalings = rowsFor('scaling of a CloneSet by one', (work) => work.rounds.map(({ scalingMs }) => scalingMs), quiet, attacked);
      return { rows: [...creations, ...scalings], details: { quiet, attacked } };
    } finally {
      victim.fixture.client.close();
    }
  });
