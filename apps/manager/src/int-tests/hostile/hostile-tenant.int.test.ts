/**
 * A tenant with `edit` in a few namespaces submits the largest objects that the API server takes, several kinds at the same time. Meanwhile another
 * tenant works: it scales a CloneSet and creates Pods. Both replicas of the manager run with the memory of the chart's default limit. What the other
 * tenant waits for is measured as CPU of the manager's threads, which does not depend on what else the machine does; `npm run bench -- hostile` measures
 * it as elapsed time. KRUISE_HOSTILE_SIZE=full (in `npm run nightly`) submits each attack alone and in its full size.
 * @see docs/threat-model.md, docs/limits.md
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiError, createClient, loadClusterConfig, type Client } from '@kruise/kube';
import { leases, type KubeObject } from '@kruise/objects';
import { cpuSecondsOf, parseMetrics, peakRssMiB, type ControlPlane } from '@kruise/testing';
import { parseAllDocuments } from 'yaml';
import { CloneSetFixture } from '../fixtures/cloneset-fixture.testing.ts';
import { attackGroups } from './hostile-attacks.testing.ts';
import { type Attack, isRefusedAttack, resourceOf, sized } from './hostile-objects.testing.ts';
import { Victim, victimSidecarSet } from './hostile-victim.testing.ts';
import { startInstalledPlane, type Manifest } from '../processes/installed-plane.testing.ts';
import { ManagerProcess } from '../processes/manager-process.testing.ts';
import { longestOf, quantileOf, readTurns, turnsBetween, turnsEnvironment, type Turns } from '../processes/turns.testing.ts';
import { WebhookBalancer } from '../processes/webhook-balancer.testing.ts';

/** One for each of the attacks that are submitted at the same time. */
const namespaces = Array.from({ length: Math.max(...attackGroups.map(({ attacks }) => attacks.length)) }, (_, index) => `hostile-${index}`);
const tenant = 'mallory';
/** The chart's default memory limit of the manager, and the share of it that the launcher gives to the heap. */
const memoryLimit = { rssMiB: 1024, heapMiB: 768 };
/**
 * CPU of one turn of an event loop, in ms: whatever is asked meanwhile waits for so long. A collection of garbage may fall into a long turn, and on a busy
 * machine the same work needs up to twice the CPU, so that a few turns of an attack may take up to twice as long; what blocks the loop does so each time.
 */
const longestTurnMs = 100;
const longerTurns = 4;
/**
 * CPU that a manager may use for attacks at the same time and the other tenant's work beside them, in seconds: together, and for each of their objects. Without
 * its bound each attack beyond one takes 8 s or more. In full size the manager has ten times as much to write.
 */
const cpuSeconds = { ofAttacks: sized(6, 60), ofObject: 0.02 };
/** Of dry runs at the same time: each review under way has a connection of its own, and new connections come to the replicas in turns. */
const mostRounds = 10;
/** Rounds of the other tenant on a quiet cluster. */
const quietRounds = 5;

const editRole = (): KubeObject => {
  const manifests = readFileSync(join(import.meta.dirname, '../../../../../deploy/manifests/generated/rbac/rbac.yaml'), 'utf8');
  const objects = parseAllDocuments(manifests).map((document) => document.toJS() as KubeObject);
  const found = objects.find(({ metadata }) => metadata.name === 'aggregate-kruise-edit');
  if (found === undefined) throw new Error('no ClusterRole aggregate-kruise-edit among the manifests');
  return found;
};

/** Reviews that a manager has answered at this path. */
const reviewsIn = (metrics: string, path: string): number =>
  parseMetrics(metrics).sum('controller_runtime_webhook_requests_total', { webhook: path });

/** As many at a time as a client of many objects sends. */
const manyAtATime = 16;

async function forEach<T>(items: readonly T[], atATime: number, act: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const worker = async (): Promise<void> => {
    for (const item of left) await act(item);
  };
  await Promise.all(Array.from({ length: atATime }, worker));
}

interface Webhooks {
  readonly webhooks?: readonly { readonly clientConfig: { readonly service?: object } }[];
}

describe('a hostile tenant', () => {
  const dir = mkdtempSync(join(tmpdir(), 'kruise-hostile-'));
  const turnsFolder = join(dir, 'turns');
  mkdirSync(turnsFolder);
  let balancer: WebhookBalancer;
  let plane: ControlPlane;
  let managers: readonly ManagerProcess[];
  let mallory: Client;
  let victim: Victim;
  /** How long creations of Pods took on the quiet cluster, in ms, and what the event loops did from then on. */
  let quietMs: readonly number[];
  let afterQuiet: Turns;

  const pids = (): readonly number[] => managers.map(({ pid }) => pid ?? 0);
  const cpuOfManagers = (): readonly number[] => pids().map(cpuSecondsOf);
  const leader = async (): Promise<string> => {
    const { items } = await victim.fixture.client.list(leases, { namespace: 'kruise-system' });
    return items.map(({ metadata, spec }) => `${metadata.name} ${spec?.holderIdentity} ${spec?.leaseTransitions}`).join('\n');
  };

  /** The webhooks of all configurations are reached through the balancer, as if that were the Service. */
  const throughBalancer = (manifest: Manifest): Manifest => {
    const { webhooks } = manifest as Manifest & Webhooks;
    if (webhooks === undefined) return manifest;
    const { port } = balancer;
    const balanced = webhooks.map((webhook) => ({ ...webhook, clientConfig: { service: { ...webhook.clientConfig.service, port } } }));
    return { ...manifest, webhooks: balanced } as Manifest;
  };

  /** @returns the refusal, undefined when the object was taken */
  async function submit(object: KubeObject, dryRun = false): Promise<string | undefined> {
    try {
      await mallory.create(resourceOf(object), object, { dryRun });
      return undefined;
    } catch (error) {
      if (isRefusedAttack(error)) return error.message;
      throw error;
    }
  }

  async function clear(objects: readonly KubeObject[]): Promise<void> {
    await forEach(objects, manyAtATime, async (object) => {
      const type = resourceOf(object);
      if (!type.namespaced) return;
      await mallory.delete(type, object.metadata as Required<typeof object.metadata>).catch((error: unknown) => {
        if (!(error instanceof ApiError) || error.code !== 404) throw error;
      });
    });
  }

  /** Sends dry runs at the same time; where a path is given, until both replicas have answered some there. */
  async function rehearse({ times, path, object }: NonNullable<Attack['dryRuns']>, namespace: string): Promise<void> {
    const reviews = async (): Promise<readonly number[]> =>
      path === undefined ? [] : (await Promise.all(managers.map((manager) => manager.metrics()))).map((text) => reviewsIn(text, path));
    const before = await reviews();
    const isUnasked = (count: number, index: number): boolean => count === before[index];
    for (let round = 1; round <= mostRounds; round += 1) {
      await Promise.all(Array.from({ length: times }, () => submit(object(namespace), true)));
      if (!(await reviews()).some(isUnasked)) return;
    }
    throw new Error(`a replica has answered none of ${mostRounds} times ${times} reviews`);
  }

  /** @returns the answers to the objects */
  async function attack(
    { dryRuns }: Attack,
    namespace: string,
    submitted: readonly KubeObject[],
  ): Promise<readonly (string | undefined)[]> {
    const answers: (string | undefined)[] = [];
    // Few objects are sent one after the other, so that each meets what the one before has changed.
    await forEach(submitted, submitted.length > 100 ? manyAtATime : 1, async (object) => void answers.push(await submit(object)));
    if (dryRuns !== undefined) await rehearse(dryRuns, namespace);
    return answers;
  }

  async function startReplica(name: string): Promise<ManagerProcess> {
    const manager = await ManagerProcess.create({
      kubeconfigPath: plane.kubeconfigPath,
      dir: join(dir, name),
      env: {
        ...turnsEnvironment(turnsFolder, `--max-semi-space-size=1 --v8-pool-size=1 --max-old-space-size=${memoryLimit.heapMiB}`),
        WEBHOOK_HOST: '',
      },
      flags: ['--feature-gates=PodUnavailableBudgetUpdateGate=true,PodProbeMarkerGate=true,ImagePullJobGate=true'],
    });
    await manager.start();
    balancer.add(manager);
    return manager;
  }

  async function giveRights(post: (path: string, body: object) => Promise<unknown>): Promise<void> {
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    await post(`${rbac}/clusterroles`, editRole());
    for (const namespace of namespaces) {
      await post('/api/v1/namespaces', { metadata: { name: namespace } });
      await post(`/api/v1/namespaces/${namespace}/resourcequotas`, {
        metadata: { name: 'pods' },
        spec: { hard: { pods: '20', persistentvolumeclaims: '20' } },
      });
      for (const role of ['edit', 'aggregate-kruise-edit'])
        await post(`${rbac}/namespaces/${namespace}/rolebindings`, {
          metadata: { name: role },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
          subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: tenant }],
        });
    }
  }

  beforeAll(async () => {
    balancer = await WebhookBalancer.start();
    plane = await startInstalledPlane({ edit: throughBalancer });
    const fixture = await CloneSetFixture.create(plane.kubeconfigPath, 'victim');
    const post = (path: string, body: object): Promise<unknown> => plane.api.request(path, { method: 'POST', body });
    await post('/api/v1/namespaces/kruise-system/services', {
      metadata: { name: 'kruise-webhook-service' },
      spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port: balancer.port }] },
    });
    await giveRights(post);
    const config = loadClusterConfig({ path: plane.kubeconfigPath });
    mallory = createClient(
      { ...config, impersonate: { user: tenant, groups: ['system:authenticated'], extra: {} } },
      { userAgent: tenant },
    );
    managers = await Promise.all([startReplica('one'), startReplica('two')]);
    await fixture.eventually(() => Promise.resolve(balancer.ready === managers.length), 'both replicas are reached');
    await post('/apis/apps.kruise.io/v1beta1/sidecarsets', victimSidecarSet);
    victim = await Victim.create(fixture);
    const quiet: (readonly number[])[] = [];
    for (let round = 0; round < quietRounds; round += 1) quiet.push((await victim.work()).creationsMs);
    quietMs = quiet.flat();
    afterQuiet = readTurns(turnsFolder);
  });
  // A manager that an attack has ended is started again without the objects of that attack, so that each attack has a verdict of its own.
  afterEach(async () => {
    for (const manager of managers.filter(({ isRunning }) => !isRunning)) {
      manager.exits.length = 0;
      await manager.start();
    }
  });
  afterAll(async () => {
    mallory.close();
    victim.fixture.client.close();
    await Promise.all(managers.map((manager) => manager.signal('SIGKILL')));
    await balancer.close();
    await plane.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  it.each(attackGroups)('neither stops nor delays the others with $name', async ({ attacks }) => {
    const [before, cpuBefore, turnsBefore] = [await leader(), cpuOfManagers(), readTurns(turnsFolder)];
    const submitted = attacks.map(({ objects }, index) => objects(namespaces[index] ?? ''));
    const { result: answers } = await victim.workBeside(
      Promise.all(attacks.map((each, index) => attack(each, namespaces[index] ?? '', submitted[index] ?? []))),
    );
    await clear(submitted.flat());

    for (const [index, { isRefused }] of attacks.entries())
      if (isRefused === true) expect(answers[index]?.filter((answer) => answer === undefined)).toEqual([]);
      else if (isRefused === false) expect(answers[index]?.filter((answer) => answer !== undefined)).toEqual([]);
    expect(await leader()).toBe(before);
    expect(managers.flatMap(({ exits }) => exits)).toEqual([]);
    expect(Math.max(...pids().map(peakRssMiB))).toBeLessThan(memoryLimit.rssMiB);
    const mostCpu = cpuSeconds.ofAttacks + cpuSeconds.ofObject * submitted.flat().length;
    expect(Math.max(...cpuOfManagers().map((cpu, index) => cpu - (cpuBefore[index] ?? 0)))).toBeLessThan(mostCpu);
    const { turns } = turnsBetween(turnsBefore, readTurns(turnsFolder));
    expect(longestOf(turns)).toBeLessThanOrEqual(2 * longestTurnMs);
    expect(turns.slice(longestTurnMs + 1).reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(longerTurns);
  });

  // What a creation waits for in the manager beside its own review, added to what one takes on a quiet cluster, is at most twice that.
  it('lets the other tenant wait for no more than twice as long as on a quiet cluster, in 99 of 100 cases', () => {
    const quiet = quietMs.toSorted((a, b) => a - b)[Math.ceil(quietMs.length * 0.99) - 1] ?? 0;
    const { probes } = turnsBetween(afterQuiet, readTurns(turnsFolder));
    expect(quantileOf(probes, 0.99)).toBeLessThan(quiet);
  });
});
