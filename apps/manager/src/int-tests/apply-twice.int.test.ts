/**
 * The same manifest, written as people write them, applied twice by kubectl in either way while the manager works with the object: the second time changes
 * nothing, so that nobody fights with whoever applies it every few minutes.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
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
import { startInstalledPlane } from './installed-plane.testing.ts';
import { ManagerProcess } from './manager-process.testing.ts';
import { isObserved, openNamespace, WorkloadWorld } from './workload-world.testing.ts';

type Seen = KubeObject & { readonly spec: object; readonly status?: object };
type Version = (typeof versions)[number];

const namespace = 'twice';
const versions = ['v1alpha1', 'v1beta1'] as const;
const ways = { 'client-side': [], 'server-side': ['--server-side'] } as const;

/** Without what is filled in, and with quantities as nobody writes them back. */
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
  /** Whether the manager has done with it what it does; once there is a status unless told. */
  readonly isDone?: (seen: Seen) => boolean;
}

/** The manager goes on working with what others do: the Pods that come are counted, or made. */
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
const cases = manifests.flatMap((manifest) =>
  versions.flatMap((version) => Object.entries(ways).map(([way, flags]) => ({ ...manifest, version, way, flags }))),
);

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

  it.each(cases)('changes nothing the second time: $name in $version, $way', async (one) => {
    const { type, version, way, flags, isOfCloneSet = false, isDone = ({ status }) => status !== undefined } = one;
    const name = `${one.name}-${version}-${way}`;
    const file = join(dir, `${name}.yaml`);
    const spec = named(one.spec(version), name);
    writeFileSync(file, stringify({ apiVersion: `${type.group}/${version}`, kind: type.kind, metadata: { namespace, name }, spec }));
    const world = new WorkloadWorld<Seen>(type, client, namespace);
    await kubectl('apply', ...flags, '-f', file);
    if (isOfCloneSet) await client.create<Seen>(cloneSets, { metadata: { namespace, name }, spec: named(setSpec, name) });
    await world.until(name, isDone);
    const before = await world.get(name);
    expect(before.metadata.generation).toBe(1);

    const again = await kubectl('apply', ...flags, '-f', file);
    // Of a custom resource kubectl itself compares lists as a whole, so that it sends those in which something was filled in once more.
    if (way === 'server-side') expect(again).toMatch(/ serverside-applied$/);
    else if (type === daemonSets) expect(again).toMatch(/ unchanged$/);
    // kubectl reads the object twice: only a comparison during which the manager wrote no status counts.
    let [difference, isCompared] = ['', false];
    while (!isCompared) {
      const { resourceVersion } = (await world.get(name)).metadata;
      difference = await kubectl('diff', ...flags, '-f', file).catch((error: unknown) =>
        String((error as { stdout?: string }).stdout ?? error),
      );
      isCompared = (await world.get(name)).metadata.resourceVersion === resourceVersion;
    }
    expect(difference).toBe('');
    const after = await world.get(name);
    expect([after.metadata.generation, after.spec]).toEqual([1, before.spec]);
  });
});
