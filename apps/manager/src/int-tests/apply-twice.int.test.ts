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
import { advancedCronJobs, broadcastJobs, daemonSets } from '@kruise/api';
import type { Client } from '@kruise/kube';
import type { KubeObject, ResourceType } from '@kruise/objects';
import { ensureBinaries, silent, type ControlPlane } from '@kruise/testing';
import { stringify } from 'yaml';
import { startInstalledPlane } from './installed-plane.testing.ts';
import { ManagerProcess } from './manager-process.testing.ts';
import { openNamespace, WorkloadWorld } from './workload-world.testing.ts';

type Seen = KubeObject & { readonly spec: object; readonly status?: object };

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

const manifests: readonly { readonly name: string; readonly type: ResourceType<Seen>; readonly spec: object }[] = [
  {
    name: 'daemons',
    type: daemonSets,
    spec: {
      selector: { matchLabels: { app: 'twice' } },
      template: pod(),
      updateStrategy: { rollingUpdate: { rollingUpdateType: 'InPlaceIfPossible', maxUnavailable: '20%' } },
    },
  },
  {
    name: 'everywhere',
    type: broadcastJobs,
    spec: { template: once, completionPolicy: { ttlSecondsAfterFinished: 3600 }, parallelism: '50%' },
  },
  { name: 'jobs', type: advancedCronJobs, spec: { schedule: '0 0 29 2 *', template: { jobTemplate: { spec: { template: once } } } } },
  {
    name: 'broadcasts',
    type: advancedCronJobs,
    spec: { schedule: '0 0 29 2 *', template: { broadcastJobTemplate: { metadata: { labels: { a: 'b' } }, spec: { template: once } } } },
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
  }, 600_000);
  afterAll(async () => {
    client.close();
    await manager.signal('SIGKILL');
    await plane.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const kubectl = async (...args: readonly string[]): Promise<string> =>
    (await promisify(execFile)(kubectlPath, ['--kubeconfig', plane.kubeconfigPath, ...args])).stdout.trim();

  it.each(cases)('changes nothing the second time: $name in $version, $way', async (one) => {
    const { type, version, way, flags } = one;
    const name = `${one.name}-${version}-${way}`;
    const file = join(dir, `${name}.yaml`);
    const spec = JSON.parse(JSON.stringify(one.spec).replaceAll('"twice"', `"${name}"`)) as object;
    writeFileSync(file, stringify({ apiVersion: `${type.group}/${version}`, kind: type.kind, metadata: { namespace, name }, spec }));
    const world = new WorkloadWorld<Seen>(type, client, namespace);
    await kubectl('apply', ...flags, '-f', file);
    await world.until(name, ({ status }) => status !== undefined);
    const before = await world.get(name);
    expect(before.metadata.generation).toBe(1);

    const again = await kubectl('apply', ...flags, '-f', file);
    // Of a custom resource kubectl itself compares lists as a whole, so that it sends those in which something was filled in once more.
    if (way === 'server-side') expect(again).toMatch(/ serverside-applied$/);
    else if (type === daemonSets) expect(again).toMatch(/ unchanged$/);
    expect(await kubectl('diff', ...flags, '-f', file)).toBe('');
    const after = await world.get(name);
    expect([after.metadata.generation, after.spec]).toEqual([1, before.spec]);
  });
});
