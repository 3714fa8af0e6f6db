/** What a tenant that works at its usual pace sees while another one submits objects as large as the bounds allow: wall-clock times, and how far they are off a quiet cluster. */
import { allKinds, cloneSets, sidecarSets } from '@kruise/api';
import { inParallel, isFailure, type Client } from '@kruise/kube';
import { namespaces, pods as podType, type KubeObject, type ResourceType } from '@kruise/objects';
import { attacks } from '../../../apps/manager/src/int-tests/hostile/hostile-attacks.testing.ts';
import type { Attack } from '../../../apps/manager/src/int-tests/hostile/hostile-objects.testing.ts';
import { victimSidecarSet } from '../../../apps/manager/src/int-tests/hostile/hostile-victim.testing.ts';
import { onStage } from '../manager/stage.ts';
import { cloneSet, name, namespace } from '../objects/workloads.ts';
import type { Measure } from '../scenario.ts';
import { quantile } from '../statistics.ts';
import type { Row } from '../table.ts';
import { until } from '../until.ts';

const hostileNamespace = 'hostile';
const quietRounds = 25;
/** Pods between two times that the CloneSet is scaled. */
const podsPerRound = 4;
/** Of objects that are submitted at the same time. */
const parallelWrites = 8;

/** Milliseconds of each call or change, as the tenant sees it. */
interface Work {
  readonly attack: string;
  readonly creations: number[];
  readonly scalings: number[];
}

const workDuring = (attack: string): Work => ({ attack, creations: [], scalings: [] });

const timed = async (into: number[], act: () => Promise<unknown>): Promise<void> => {
  const began = performance.now();
  await act();
  into.push(performance.now() - began);
};

/** A tenant that scales a CloneSet and creates Pods, one after the other. */
class Tenant {
  readonly #client: Client;
  #steps = 0;

  constructor(client: Client) {
    this.#client = client;
  }

  async work({ creations, scalings }: Work): Promise<void> {
    const { spec = { containers: [] } } = cloneSet(1).spec.template;
    for (let index = 0; index < podsPerRound; index++) {
      const metadata = { namespace, name: `bare-${++this.#steps}`, labels: { app: 'bare' } };
      await timed(creations, () => this.#client.create(podType, { metadata, spec }));
      await this.#client.delete(podType, metadata, { gracePeriodSeconds: 0 });
    }
    await timed(scalings, () => this.#scale(1 + (++this.#steps % 2)));
  }

  async #scale(replicas: number): Promise<void> {
    const key = { namespace, name };
    await this.#client.patch(cloneSets, key, { spec: { replicas } }, { type: 'merge' });
    const isScaled = async (): Promise<boolean> => {
      const { status } = await this.#client.get(cloneSets, key);
      return status?.replicas === replicas && status.readyReplicas === replicas;
    };
    await until('the CloneSet is scaled', isScaled, { timeoutMs: 120_000, everyMs: 10 });
  }
}

function resourceOf({ apiVersion = '', kind = '' }: KubeObject): ResourceType {
  if (kind === podType.kind) return podType;
  const [group = '', version = ''] = apiVersion.split('/');
  const declared = allKinds.find((each) => each.group === group && each.kind === kind);
  if (declared === undefined) throw new Error(`${apiVersion} ${kind} is no kind of Kruise`);
  return { group, version, kind, plural: declared.plural, namespaced: true };
}

/** Refusals are what most of the bounds come to, and what was refused cannot be deleted. */
async function unlessRefused(call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!isFailure(error, 'Forbidden', 'Invalid', 'BadRequest', 'NotFound')) throw error;
  });
}

async function attack(client: Client, { objects, dryRuns }: Attack, meanwhile: () => Promise<void>): Promise<void> {
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
  const working = async (): Promise<void> => {
    do await meanwhile();
    while (!isOver);
  };
  await Promise.all([attacking().finally(() => (isOver = true)), working()]);
  await meanwhile();
  await inParallel(submitted, parallelWrites, (object) =>
    unlessRefused(client.delete(resourceOf(object), { namespace: hostileNamespace, name: object.metadata.name })),
  );
}

/** @returns the p99 of all attacks together, and the worst of one attack, beside those of a quiet cluster */
function rowsFor(member: 'creations' | 'scalings', what: string, quiet: Work, attacked: readonly Work[]): readonly Row[] {
  const peer = (share: number): NonNullable<Row['peer']> => ({ name: 'quiet cluster', value: quantile(quiet[member], share) });
  const all = attacked.flatMap((each) => each[member]);
  const worst = attacked.toSorted((a, b) => quantile(b[member], 0.5) - quantile(a[member], 0.5))[0] ?? quiet;
  return [
    { what: `beside a hostile tenant: ${what}, p99 (ms)`, ours: quantile(all, 0.99), peer: peer(0.99), limit: 2 },
    {
      what: `beside a hostile tenant: ${what}, median of the worst attack (ms)`,
      ours: quantile(worst[member], 0.5),
      peer: peer(0.5),
      note: worst.attack,
    },
  ];
}

export const measure: Measure = (run) =>
  onStage(
    run,
    { pods: 50, simulatedNodes: 3, flags: ['--feature-gates=ImagePullJobGate=true'] },
    async ({ client, instruments: { plane } }) => {
      const quota = { metadata: { name: 'pods' }, spec: { hard: { pods: '20', persistentvolumeclaims: '20' } } };
      await client.create(namespaces, { metadata: { name: hostileNamespace } });
      await plane.api.request(`/api/v1/namespaces/${hostileNamespace}/resourcequotas`, { method: 'POST', body: quota });
      await client.create(sidecarSets, victimSidecarSet);
      await client.create(cloneSets, cloneSet(1));
      const tenant = new Tenant(client);
      const quiet = workDuring('none');
      await tenant.work(workDuring('none'));
      run.progress('a quiet cluster');
      for (let round = 0; round < quietRounds; round++) await tenant.work(quiet);
      const attacked: Work[] = [];
      for (const each of attacks.filter(({ isOfCluster }) => isOfCluster !== true)) {
        run.progress(each.name);
        const work = workDuring(each.name);
        await attack(client, each, () => tenant.work(work));
        attacked.push(work);
      }
      const rows = [
        ...rowsFor('creations', 'creation of a Pod', quiet, attacked),
        ...rowsFor('scalings', 'scaling of a CloneSet by one', quiet, attacked),
      ];
      return { rows, details: { quiet, attacked } };
    },
  );
