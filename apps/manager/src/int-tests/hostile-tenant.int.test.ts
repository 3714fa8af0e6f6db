/**
 * A tenant with `edit` in one namespace submits the largest objects that the API server takes. Meanwhile another tenant works: it scales a CloneSet and
 * creates Pods. The manager runs with the memory of the chart's default limit.
 * @see docs/threat-model.md, docs/limits.md
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { allKinds } from '@kruise/api';
import { ApiError, createClient, loadClusterConfig, type Client } from '@kruise/kube';
import { leases, pods, type KubeObject, type ResourceType } from '@kruise/objects';
import type { ControlPlane } from '@kruise/testing';
import { parseAllDocuments } from 'yaml';
import { CloneSetWorld } from './cloneset-world.testing.ts';
import { attacks, type Attack } from './hostile-objects.testing.ts';
import { startInstalledPlane } from './installed-plane.testing.ts';
import { ManagerProcess } from './manager-process.testing.ts';

const namespace = 'hostile';
const tenant = 'mallory';
/** The chart's default memory limit of the manager, and the share of it that the launcher gives to the heap. */
const memoryLimit = { bytes: 1024 * 1024 * 1024, heapMiB: 768 };
/**
 * CPU that the manager may use for one attack and the other tenant's work beside it, in seconds. Without bounds each attack takes 8 s or more. CPU time does not depend
 * on what else the machine does.
 */
const cpuSeconds = 5;

const editRole = (): KubeObject => {
  const manifests = readFileSync(join(import.meta.dirname, '../../../../deploy/manifests/generated/rbac/rbac.yaml'), 'utf8');
  const objects = parseAllDocuments(manifests).map((document) => document.toJS() as KubeObject);
  const found = objects.find(({ metadata }) => metadata.name === 'aggregate-kruise-edit');
  if (found === undefined) throw new Error('no ClusterRole aggregate-kruise-edit among the manifests');
  return found;
};

function resourceOf({ apiVersion = '', kind = '' }: KubeObject): ResourceType<KubeObject> {
  const [group = '', version = ''] = apiVersion.split('/');
  const declared = allKinds.find((each) => each.group === group && each.kind === kind);
  if (declared === undefined) throw new Error(`${apiVersion} ${kind} is no kind of Kruise`);
  return { group, version, kind, plural: declared.plural, namespaced: true };
}

/** User and system time of a process so far, in seconds (`/proc/PID/stat`, 100 ticks a second). */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

const peakMemoryOf = (pid: number): number => Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

describe('a hostile tenant', () => {
  const dir = mkdtempSync(join(tmpdir(), 'kruise-hostile-'));
  let plane: ControlPlane;
  let manager: ManagerProcess;
  let mallory: Client;
  let victim: CloneSetWorld;
  let replicas = 1;

  const pid = (): number => manager.pid ?? 0;
  const leader = async (): Promise<string> => {
    const { items } = await victim.client.list(leases, { namespace: 'kruise-system' });
    return items.map(({ metadata, spec }) => `${metadata.name} ${spec?.holderIdentity} ${spec?.leaseTransitions}`).join('\n');
  };

  /** @returns the refusal, undefined when the object was taken */
  async function submit(object: KubeObject, dryRun = false): Promise<string | undefined> {
    try {
      await mallory.create(resourceOf(object), object, { dryRun });
      return undefined;
    } catch (error) {
      if (error instanceof ApiError && error.code !== undefined && error.code < 500) return error.message;
      throw error;
    }
  }

  /** The other tenant adds a Pod to its CloneSet and creates one of its own; both must be done as on any day. */
  async function work(): Promise<void> {
    replicas += 1;
    await victim.patch('web', { spec: { replicas } });
    const metadata = { namespace: 'victim', name: `bare-${replicas}` };
    await victim.client.create(pods, { metadata, spec: { containers: [{ name: 'main', image: 'registry.example/app:1' }] } });
    await victim.untilRolledOut('web');
  }

  async function clear(objects: readonly KubeObject[]): Promise<void> {
    for (const object of objects) {
      const key = { namespace, name: object.metadata.name };
      await mallory.delete(resourceOf(object), key).catch((error: unknown) => {
        if (!(error instanceof ApiError) || error.code !== 404) throw error;
      });
    }
  }

  async function attack({ objects, dryRuns }: Attack): Promise<readonly (string | undefined)[]> {
    const submitted = objects(namespace);
    const answers: (string | undefined)[] = [];
    for (const object of submitted) answers.push(await submit(object));
    const rehearsals = dryRuns === undefined ? [] : Array.from({ length: dryRuns.times }, () => submit(dryRuns.object(namespace), true));
    await Promise.all([work(), ...rehearsals]);
    await work();
    await clear(submitted);
    return answers;
  }

  beforeAll(async () => {
    plane = await startInstalledPlane();
    victim = await CloneSetWorld.create(plane.kubeconfigPath, 'victim');
    const post = (path: string, body: object): Promise<unknown> => plane.api.request(path, { method: 'POST', body });
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    await post('/api/v1/namespaces', { metadata: { name: namespace } });
    await post(`/api/v1/namespaces/${namespace}/resourcequotas`, {
      metadata: { name: 'pods' },
      spec: { hard: { pods: '20', persistentvolumeclaims: '20' } },
    });
    await post(`${rbac}/clusterroles`, editRole());
    for (const role of ['edit', 'aggregate-kruise-edit'])
      await post(`${rbac}/namespaces/${namespace}/rolebindings`, {
        metadata: { name: role },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: tenant }],
      });
    const config = loadClusterConfig({ path: plane.kubeconfigPath });
    mallory = createClient(
      { ...config, impersonate: { user: tenant, groups: ['system:authenticated'], extra: {} } },
      { userAgent: tenant },
    );
    manager = await ManagerProcess.create({
      kubeconfigPath: plane.kubeconfigPath,
      dir,
      env: { NODE_OPTIONS: `--max-semi-space-size=1 --max-old-space-size=${memoryLimit.heapMiB}` },
      flags: ['--feature-gates=PodUnavailableBudgetUpdateGate=true,PodProbeMarkerGate=true'],
    });
    await manager.start();
    await victim.apply({ name: 'web', replicas, image: 'registry.example/app:1' });
    await victim.untilRolledOut('web');
  });
  // A manager that an attack has ended is started again without the objects of that attack, so that each attack has a verdict of its own.
  afterEach(async () => {
    await clear(attacks.flatMap(({ objects }) => objects(namespace)));
    if (manager.isRunning) return;
    manager.exits.length = 0;
    await manager.start();
  });
  afterAll(async () => {
    mallory.close();
    victim.client.close();
    await manager.signal('SIGKILL');
    await plane.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  it.each(attacks)('neither stops nor holds up the others with $name', async (each) => {
    const [before, cpuBefore] = [await leader(), cpuOf(pid())];
    const answers = await attack(each);

    if (each.isRefused === true) expect(answers.filter((answer) => answer === undefined)).toEqual([]);
    expect(cpuOf(pid()) - cpuBefore).toBeLessThan(cpuSeconds);
    expect(await leader()).toBe(before);
    expect(manager.exits).toEqual([]);
    expect(peakMemoryOf(pid())).toBeLessThan(memoryLimit.bytes);
  });
});
