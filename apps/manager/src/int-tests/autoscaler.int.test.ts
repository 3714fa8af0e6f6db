/** The HorizontalPodAutoscaler of Kubernetes scales workloads through their subresource `scale`. @see docs/spec/operations.md 10 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isPodReady, memberAt, type KubeObject, type Pod } from '@kruise/objects';
import { eventually, succeeds, type ControlPlane } from '@kruise/testing';
import { startInstalledPlane } from './processes/installed-plane.testing.ts';
import { ExternalMetrics } from './processes/external-metrics.testing.ts';
import { ManagerProcess } from './processes/manager-process.testing.ts';

const dir = mkdtempSync(join(tmpdir(), 'autoscaler-'));
const core = '/api/v1/namespaces/default';
const autoscalers = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';

/** A workload and the version in which its autoscaler names it. */
interface Scaled {
  readonly app: string;
  readonly kind: string;
  readonly version: string;
  readonly plural: string;
  readonly spec: object;
}

const template = (app: string): object => ({
  metadata: { labels: { app } },
  spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image: 'nginx:1' }] },
});
const ofPods = (app: string): object => ({ selector: { matchLabels: { app } }, template: template(app) });

const united = (app: string): object => ({
  selector: { matchLabels: { app } },
  template: { cloneSetTemplate: { metadata: { labels: { app } }, spec: ofPods(app) } },
  topology: { subsets: [{ name: 'a' }, { name: 'b' }] },
});

const workloads: readonly Scaled[] = [
  { app: 'clone', kind: 'CloneSet', version: 'v1beta1', plural: 'clonesets', spec: ofPods('clone') },
  { app: 'old-clone', kind: 'CloneSet', version: 'v1alpha1', plural: 'clonesets', spec: ofPods('old-clone') },
  {
    app: 'stateful',
    kind: 'StatefulSet',
    version: 'v1beta1',
    plural: 'statefulsets',
    spec: { ...ofPods('stateful'), serviceName: 'stateful', podManagementPolicy: 'Parallel' },
  },
  { app: 'united', kind: 'UnitedDeployment', version: 'v1alpha1', plural: 'uniteddeployments', spec: united('united') },
];

let plane: ControlPlane;
let manager: ManagerProcess;
let metrics: ExternalMetrics;

const apiVersionOf = ({ version }: Scaled): string => `apps.kruise.io/${version}`;
const collectionOf = (one: Scaled): string => `/apis/${apiVersionOf(one)}/namespaces/default/${one.plural}`;
const get = async (path: string): Promise<KubeObject> => (await plane.api.request(path)) as KubeObject;

async function readyPods(app: string): Promise<number> {
  const { items } = (await plane.api.request(`${core}/pods?labelSelector=app%3D${app}`)) as { readonly items: readonly Pod[] };
  return items.filter((pod) => pod.metadata.deletionTimestamp === undefined && isPodReady(pod)).length;
}

/** Requests of the queue that each replica takes. */
const perReplica = 10;

async function create(one: Scaled): Promise<void> {
  const { app, kind, spec } = one;
  metrics.set(app, 2 * perReplica);
  const body = { apiVersion: apiVersionOf(one), kind, metadata: { name: app }, spec: { replicas: 2, ...spec } };
  // The API server reads changed CRDs after a while: until then it looks for the converter in the Service, which does not exist here.
  const canConvert = (): Promise<boolean> => succeeds(plane.api.request(`${collectionOf(one)}?dryRun=All`, { method: 'POST', body }));
  await eventually(canConvert);
  await plane.api.request(collectionOf(one), { method: 'POST', body });
  const external = {
    metric: { name: 'queue', selector: { matchLabels: { app } } },
    target: { type: 'AverageValue', averageValue: `${perReplica}` },
  };
  await plane.api.request(autoscalers, {
    method: 'POST',
    body: {
      metadata: { name: app },
      spec: {
        scaleTargetRef: { apiVersion: apiVersionOf(one), kind, name: app },
        minReplicas: 1,
        maxReplicas: 6,
        metrics: [{ type: 'External', external }],
        // By default, it waits for five minutes.
        behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
      },
    },
  });
}

/** What the autoscaler, the workload and its Pods report. */
async function replicasOf(one: Scaled): Promise<object> {
  const [autoscaler, workload, ready] = await Promise.all([
    get(`${autoscalers}/${one.app}`),
    get(`${collectionOf(one)}/${one.app}`),
    readyPods(one.app),
  ]);
  return {
    current: memberAt(autoscaler, 'status', 'currentReplicas'),
    desired: memberAt(autoscaler, 'status', 'desiredReplicas'),
    spec: memberAt(workload, 'spec', 'replicas'),
    status: memberAt(workload, 'status', 'replicas'),
    ready,
  };
}

const all = (count: number): object => ({ current: count, desired: count, spec: count, status: count, ready: count });

async function expectReplicas(one: Scaled, count: number): Promise<void> {
  const isThere = async (): Promise<boolean> => JSON.stringify(await replicasOf(one)) === JSON.stringify(all(count));
  await eventually(isThere).catch(() => undefined);
  expect(await replicasOf(one)).toEqual(all(count));
}

/** Each write of the spec is one generation. */
const generationOf = async (one: Scaled): Promise<number | undefined> => (await get(`${collectionOf(one)}/${one.app}`)).metadata.generation;

beforeAll(async () => {
  // By default, it looks every 15 s.
  plane = await startInstalledPlane({ controllerManagerFlags: ['--horizontal-pod-autoscaler-sync-period=3s'] });
  manager = await ManagerProcess.create({ kubeconfigPath: plane.kubeconfigPath, dir: mkdtempSync(join(dir, 'manager-')) });
  await Promise.all([manager.start(), ExternalMetrics.start(plane.api).then((started) => (metrics = started))]);
  await Promise.all(workloads.map(create));
});

afterAll(async () => {
  await manager.signal('SIGKILL');
  await plane.stop();
  await metrics.stop();
  rmSync(dir, { recursive: true, force: true });
});

describe('an autoscaler', () => {
  it.each(workloads)('leaves a $kind ($version) with a fitting number of replicas as it is', async (one) => {
    await expectReplicas(one, 2);
    const conditions = memberAt(await get(`${autoscalers}/${one.app}`), 'status', 'conditions');
    expect(conditions).toEqual(expect.arrayContaining([expect.objectContaining({ type: 'ScalingActive', status: 'True' })]));
    expect(await generationOf(one)).toBe(1);
  });

  describe('whose metric grows', () => {
    beforeAll(() => workloads.forEach(({ app }) => metrics.set(app, 5 * perReplica)));

    it.each(workloads)('scales a $kind ($version) out', async (one) => {
      await expectReplicas(one, 5);
    });
  });

  describe('whose metric falls', () => {
    beforeAll(() => workloads.forEach(({ app }) => metrics.set(app, perReplica)));

    it.each(workloads)('scales a $kind ($version) in; only the autoscaler has written its spec, twice', async (one) => {
      await expectReplicas(one, 1);
      expect(await generationOf(one)).toBe(3);
    });
  });
});
