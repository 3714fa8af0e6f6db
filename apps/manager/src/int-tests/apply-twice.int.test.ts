/**
 * The same manifest, in usual notation, applied twice by kubectl in either way while the manager works with the object: the second time changes
 * nothing, so the manager does not fight with a client that applies it every few minutes.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  advancedCronJobs,
  broadcastJobs,
  cloneSets,
  daemonSets,
  podUnavailableBudgets,
  unitedDeployments,
  workloadSpreads,
  type PodUnavailableBudget,
  type UnitedDeployment,
  type WorkloadSpread,
} from '@kruise/api';
import type { Client } from '@kruise/kube';
import type { KubeObject, ResourceType } from '@kruise/objects';
import { ensureBinaries, silent, type ControlPlane } from '@kruise/testing';
import { stringify } from 'yaml';
import { startInstalledPlane } from './processes/installed-plane.testing.ts';
import { ManagerProcess } from './processes/manager-process.testing.ts';
import { isObserved, openNamespace, WorkloadFixture } from './fixtures/workload-fixture.testing.ts';

type Seen = KubeObject & { readonly spec: object; readonly status?: object };
type Version = (typeof versions)[number];

const namespace = 'twice';
const versions = ['v1alpha1', 'v1beta1'] as const;
const ways = { 'client-side': [], 'server-side': ['--server-side'] } as const;

/** Without defaults, and with quantities in a notation that no API server returns. */
const pod = (over: object = {}) => ({
  metadata: { labels: { app: 'twice' } },
  spec: {
    containers: [
      {
        name: 'main',
        image: 'registry.example/app:1',
        ports: [{ containerPort: 80 }],
        resources: { requests: { cpu: '0.1', memory: '1024Ki' }, limits: { cpu: 1 } },
        env: [{ name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
      },
    ],
    volumes: [{ name: 'config', configMap: { name: 'app', optional: true } }],
    ...over,
  },
});
const once = pod({ restartPolicy: 'Never' });
const setSpec = { replicas: 3, selector: { matchLabels: { app: 'twice' } }, template: pod() };

const named = (spec: object, name: string): object => JSON.parse(JSON.stringify(spec).replaceAll('"twice"', `"${name}"`)) as object;

interface Manifested {
  readonly name: string;
  readonly type: ResourceType<Seen>;
  readonly spec: (version: Version) => object;
  /** A CloneSet of the same name, of three Pods, is created once the manifest has been applied. */
  readonly isOfCloneSet?: boolean;
  /** Whether the manager has done with it what it does; by default, when the object has a status. */
  readonly isDone?: (seen: Seen) => boolean;
}

/** The manager also works with later changes: it counts, or creates, further Pods. */
const counts = <T extends KubeObject>(numberOf: (seen: T) => number | undefined, wanted: number) => ({
  isDone: (seen: Seen): boolean => isObserved(seen) && numberOf(seen as unknown as T) === wanted,
});
const targetRef = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'twice' };
const node = (name: string) => ({ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [name] }] });
const toleration = { key: 'spot', operator: 'Exists' };

/** By the names of either version. */
const spreadSpec = (version: Version): object => {
  const [required, preferred] =
    version === 'v1beta1' ? ['requiredNodeSelector', 'preferredNodeSelector'] : ['requiredNodeSelectorTerm', 'preferredNodeSelectorTerms'];
  return {
    targetRef,
    targetFilter: { selector: { matchLabels: { app: 'twice' } } },
    scheduleStrategy: { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds: 60 } },
    subsets: [
      {
        name: 'a',
        maxReplicas: '30%',
        [required]: node('a'),
        tolerations: [toleration],
        patch: { metadata: { labels: { subset: 'a' } }, spec: { containers: [{ name: 'main', env: [{ name: 'SUBSET', value: 'a' }] }] } },
      },
      { name: 'b', [preferred]: [{ weight: 10, preference: node('b') }] },
    ],
  };
};

const manifests: readonly Manifested[] = [
  {
    name: 'daemons',
    type: daemonSets,
    spec: () => ({
      selector: { matchLabels: { app: 'twice' } },
      template: pod(),
      updateStrategy: { rollingUpdate: { rollingUpdateType: 'InPlaceIfPossible', maxUnavailable: '20%' } },
    }),
  },
  {
    name: 'everywhere',
    type: broadcastJobs,
    spec: () => ({ template: once, completionPolicy: { ttlSecondsAfterFinished: 3600 }, parallelism: '50%' }),
  },
  {
    name: 'jobs',
    type: advancedCronJobs,
    spec: () => ({ schedule: '0 0 29 2 *', template: { jobTemplate: { spec: { template: once } } } }),
  },
  {
    name: 'broadcasts',
    type: advancedCronJobs,
    spec: () => ({
      schedule: '0 0 29 2 *',
      template: { broadcastJobTemplate: { metadata: { labels: { a: 'b' } }, spec: { template: once } } },
    }),
  },
  {
    name: 'spread',
    type: workloadSpreads,
    spec: spreadSpec,
    isOfCloneSet: true,
    ...counts<WorkloadSpread>(({ status }) => status?.subsetStatuses?.reduce((sum, { replicas }) => sum + replicas, 0), 3),
  },
  {
    name: 'united',
    type: unitedDeployments,
    spec: () => ({
      replicas: 3,
      selector: { matchLabels: { app: 'twice' } },
      template: {
        cloneSetTemplate: {
          metadata: { labels: { app: 'twice' } },
          spec: { selector: { matchLabels: { app: 'twice' } }, template: pod() },
        },
      },
      topology: {
        subsets: [
          { name: 'a', replicas: '30%', tolerations: [toleration], patch: { metadata: { labels: { subset: 'a' } } } },
          { name: 'b', nodeSelectorTerm: node('b') },
        ],
      },
      updateStrategy: { manualUpdate: { partitions: { a: 1 } } },
    }),
    ...counts<UnitedDeployment>(({ status }) => status?.replicas, 3),
  },
  {
    name: 'budget',
    type: podUnavailableBudgets,
    spec: (version) => ({
      targetRef,
      maxUnavailable: '25%',
      ...(version === 'v1beta1' ? { protectOperations: ['DELETE', 'EVICT'], ignoredPodSelector: { matchLabels: { spare: 'wheel' } } } : {}),
    }),
    isOfCloneSet: true,
    ...counts<PodUnavailableBudget>(({ status }) => status?.totalReplicas, 3),
  },
];
type Way = keyof typeof ways;
const cases = manifests.flatMap((manifest) =>
  versions.flatMap((version) => (Object.keys(ways) as readonly Way[]).map((way) => ({ ...manifest, version, way }))),
);
const nameOf = ({ name }: Manifested, version: Version, way: Way): string => `${name}-${version}-${way}`;

/** What became of all manifests of one version that were applied twice in one way. */
interface AppliedTwice {
  readonly before: ReadonlyMap<string, Seen>;
  /** What kubectl printed the second time, a line for each object. */
  readonly again: readonly string[];
  readonly difference: string;
  readonly after: ReadonlyMap<string, Seen>;
}

describe('a manifest that is applied twice', () => {
  const dir = mkdtempSync(join(tmpdir(), 'kruise-apply-'));
  let plane: ControlPlane;
  let manager: ManagerProcess;
  let client: Client;
  let kubectlPath: string;

  beforeAll(async () => {
    kubectlPath = (await ensureBinaries(['kubectl'], silent)).kubectl;
    plane = await startInstalledPlane();
    manager = await ManagerProcess.create({ kubeconfigPath: plane.kubeconfigPath, dir });
    await manager.start();
    client = await openNamespace(plane.kubeconfigPath, namespace);
    // Once this is created the API server has learned where the manager answers.
    const probe = { metadata: { namespace, name: 'probe' }, spec: { ...setSpec, replicas: 0 } };
    await new WorkloadFixture<Seen>(cloneSets as ResourceType as ResourceType<Seen>, client, namespace).create(probe);
  });
  afterAll(async () => {
    client.close();
    await manager.signal('SIGKILL');
    await plane.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const kubectl = async (...args: readonly string[]): Promise<string> =>
    (
      await promisify(execFile)(kubectlPath, ['--kubeconfig', plane.kubeconfigPath, ...args], { env: { ...process.env, GOGC: 'off' } })
    ).stdout.trim();

  const readAll = async (version: Version, way: Way): Promise<ReadonlyMap<string, Seen>> => {
    const reads = manifests.map(async (one): Promise<[string, Seen]> => {
      const name = nameOf(one, version, way);
      return [name, await client.get(one.type, { namespace, name })];
    });
    return new Map(await Promise.all(reads));
  };

  /** kubectl reads each object twice: only a comparison during which the manager wrote no status counts. */
  async function differenceOf(version: Version, way: Way, file: string): Promise<string> {
    for (;;) {
      const versionsOf = async (): Promise<readonly unknown[]> =>
        [...(await readAll(version, way)).values()].map(({ metadata }) => metadata.resourceVersion);
      const before = await versionsOf();
      const difference = await kubectl('diff', ...ways[way], '-f', file).catch((error: unknown) =>
        String((error as { stdout?: string }).stdout ?? error),
      );
      if (isDeepStrictEqual(await versionsOf(), before)) return difference;
    }
  }

  async function applyTwice(version: Version, way: Way): Promise<AppliedTwice> {
    const documents = manifests.map((one) => {
      const name = nameOf(one, version, way);
      const { group, kind } = one.type;
      return stringify({ apiVersion: `${group}/${version}`, kind, metadata: { namespace, name }, spec: named(one.spec(version), name) });
    });
    const file = join(dir, `${version}-${way}.yaml`);
    writeFileSync(file, documents.join('---\n'));
    await kubectl('apply', ...ways[way], '-f', file);
    for (const one of manifests.filter(({ isOfCloneSet }) => isOfCloneSet === true)) {
      const name = nameOf(one, version, way);
      await client.create<Seen>(cloneSets, { metadata: { namespace, name }, spec: named(setSpec, name) });
    }
    for (const one of manifests) {
      const { isDone = ({ status }) => status !== undefined } = one;
      await new WorkloadFixture<Seen>(one.type, client, namespace).until(nameOf(one, version, way), isDone);
    }
    const before = await readAll(version, way);
    const again = (await kubectl('apply', ...ways[way], '-f', file)).split('\n');
    const difference = await differenceOf(version, way, file);
    return { before, again, difference, after: await readAll(version, way) };
  }

  /** All kinds at once, as kubectl takes about as long for one. */
  const applied = new Map<string, Promise<AppliedTwice>>();
  function appliedTwice(version: Version, way: Way): Promise<AppliedTwice> {
    const key = `${version} ${way}`;
    const made = applied.get(key) ?? applyTwice(version, way);
    applied.set(key, made);
    return made;
  }

  it.each(cases)('changes nothing the second time: $name in $version, $way', async (one) => {
    const { type, version, way } = one;
    const name = nameOf(one, version, way);
    const { before, again, difference, after } = await appliedTwice(version, way);
    expect(before.get(name)?.metadata.generation).toBe(1);
    const line = again.find((text) => text.includes(`/${name} `));
    // Of a custom resource kubectl itself compares lists as a whole, so that it sends those in which something was filled in once more.
    if (way === 'server-side') expect(line).toMatch(/ serverside-applied$/);
    else if (type === daemonSets) expect(line).toMatch(/ unchanged$/);
    expect(difference).toBe('');
    expect([after.get(name)?.metadata.generation, after.get(name)?.spec]).toEqual([1, before.get(name)?.spec]);
  });
});
