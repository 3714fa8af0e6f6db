/**
 * What users see while no manager runs at all, and what is made good when managers run again. All managers are removed once, and everything that
 * needs that happens meanwhile.
 *
 * @see docs/spec/broadcastjob.md 9, docs/spec/daemonset.md 9 and docs/spec/deletion-protection.md 9
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { broadcastJobs, daemonSets, labels, sidecarSets } from '@kruise/api';
import { unlessDeleted } from '@kruise/kube';
import {
  isTerminating,
  isPodReady,
  mutatingWebhookConfigurations,
  type KubeObject,
  type Pod,
  pods,
  type ResourceType,
} from '@kruise/objects';
import { BroadcastJobFixture, summaryOf } from '../../apps/manager/src/int-tests/fixtures/broadcastjob-fixture.testing.ts';
import type { CloneSetFixture } from '../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { DaemonSetFixture } from '../../apps/manager/src/int-tests/fixtures/daemonset-fixture.testing.ts';
import { patiently } from '../../apps/manager/src/int-tests/fixtures/patiently.testing.ts';
import { processesOf } from '../support/container-processes.ts';
import { PodHistory } from '../../apps/manager/src/int-tests/fixtures/pod-history.testing.ts';
import { untilWebhooksAnswer } from '../support/webhooks.ts';
import { closeFixture, images, openFixture } from '../support/fixture.ts';

interface Webhook {
  readonly name: string;
}
interface Configuration extends KubeObject {
  readonly webhooks?: readonly Webhook[];
}

const system = 'kruise-system';
const deployments: ResourceType = { group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments', namespaced: true };
const services: ResourceType = { group: '', version: 'v1', kind: 'Service', plural: 'services', namespaced: true };
const configurationKey = { namespace: '', name: 'kruise-mutating-webhook-configuration' };
const meshName = 'no-manager-mesh';

describe('a cluster without a manager', () => {
  let fixture: CloneSetFixture;
  let jobs: BroadcastJobFixture;
  let daemons: DaemonSetFixture;
  let history: PodHistory;
  let jobStarted: string | undefined;

  const podOf = (name: string, podLabels: Readonly<Record<string, string>>): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: fixture.namespace, name, labels: podLabels },
    spec: { containers: [{ name: 'main', image: images.first }], terminationGracePeriodSeconds: 0 },
  });
  const create = (name: string, podLabels: Readonly<Record<string, string>> = {}): Promise<Pod> =>
    fixture.client.create(pods, podOf(name, podLabels));
  const refusalOf = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'none',
      (error: unknown) => String(error),
    );
  const makeService = (name: string, metadata: object = {}): Promise<KubeObject> =>
    fixture.client.create(services, {
      metadata: { name, namespace: fixture.namespace, ...metadata },
      spec: { ports: [{ port: 80 }] },
    } as KubeObject);

  const managers = async (): Promise<readonly Pod[]> =>
    (await fixture.client.list(pods, { namespace: system, labelSelector: 'control-plane=controller-manager' })).items;
  const scale = (replicas: number): Promise<KubeObject> =>
    fixture.client.patch(deployments, { namespace: system, name: 'kruise-controller-manager' }, { spec: { replicas } }, { type: 'merge' });
  /** @returns when nothing is left that could still answer: a kubelet gives them time to end, though the Pods are deleted without */
  async function removeAll(): Promise<void> {
    const all = await managers();
    await scale(0);
    await Promise.all(
      all.map(({ metadata }) =>
        unlessDeleted(fixture.client.delete(pods, { namespace: system, name: metadata.name }, { gracePeriodSeconds: 0 })),
      ),
    );
    await fixture.eventually(async () => (await managers()).length === 0, 'no manager is there');
    await fixture.eventually(() => Promise.resolve(all.every((pod) => processesOf(pod).length === 0)), 'their processes have ended');
  }
  async function startTwo(): Promise<void> {
    await scale(2);
    const areReady = async (): Promise<boolean> => {
      const all = await managers();
      return all.length === 2 && all.every(isPodReady);
    };
    await fixture.eventually(areReady, 'two managers are ready');
    await untilWebhooksAnswer(fixture);
  }
  const configuration = (): Promise<Configuration> => fixture.client.get<Configuration>(mutatingWebhookConfigurations, configurationKey);
  const partsOf = async (reason: string): Promise<readonly string[]> =>
    ((await configuration()).webhooks ?? []).map(({ name }) => name).filter((name) => name.startsWith(reason));

  beforeAll(async () => {
    fixture = await openFixture('no-manager');
    const { client, namespace } = fixture;
    jobs = new BroadcastJobFixture(broadcastJobs, client, namespace);
    daemons = new DaemonSetFixture(daemonSets, client, namespace);
  });
  afterAll(async () => {
    if ((await managers()).length === 0) await startTwo();
    await history?.[Symbol.asyncDispose]();
    await unlessDeleted(fixture.client.delete(sidecarSets, { namespace: '', name: meshName }));
    await closeFixture(fixture);
  });

  it('has just had one: the Pod webhook adds what a new SidecarSet needs immediately', async () => {
    const mesh = {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'SidecarSet',
      metadata: { name: meshName },
      spec: {
        selector: { matchLabels: { mesh: 'yes' } },
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': fixture.namespace } },
        containers: [{ name: 'mesh', image: images.second }],
      },
    };
    await patiently(() => fixture.client.create(sidecarSets, mesh));
    const pod = await create('with-mesh', { mesh: 'yes' });
    expect(pod.spec.containers.map(({ name }) => name).toSorted()).toEqual(['main', 'mesh']);
    expect(await partsOf('sidecarset')).not.toEqual([]);
  });

  it('lets Pods pass that no webhook is for, and reports why it refuses the others', async () => {
    await makeService('labelled', { labels: { [labels.deleteProtection]: 'Always' } });
    await makeService('plain');
    await daemons.apply({ name: 'killed', image: images.first, rollingUpdate: { maxUnavailable: 1 } });
    await daemons.untilRolledOut('killed');
    const spec = { completionPolicy: { type: 'Always' as const, activeDeadlineSeconds: 10 } };
    const made = await jobs.apply({ name: 'late', script: 'sleep 3600', spec });
    const states = await jobs.statesSince(made, (job) => summaryOf(job) === 'running: desired 3, active 3, succeeded 0, failed 0');
    jobStarted = states.at(-1)?.status?.startTime;
    history = await PodHistory.begin(fixture.client, fixture.namespace);
    await daemons.setImage('killed', images.second);
    await daemons.until('killed', ({ status }) => (status?.numberAvailable ?? 0) < 3);
    await removeAll();

    await create('unrelated');
    await create('other-label', { mesh: 'no' });
    expect(await refusalOf(create('refused', { mesh: 'yes' }))).toMatch(/failed calling webhook "sidecarset(-ns\d+)?\.mpod\.kb\.io"/);
  });

  it('lets labelled objects and others be deleted, as the chart has it (deletion protection 9)', async () => {
    const remove = (name: string): Promise<string> => refusalOf(fixture.client.delete(services, { namespace: fixture.namespace, name }));
    expect([await remove('labelled'), await remove('plain')]).toEqual(['none', 'none']);
  });

  it('injects again after a manager has come back, and needs no more Pods once the SidecarSet is deleted', async () => {
    await startTwo();
    const pod = await create('with-mesh-again', { mesh: 'yes' });
    expect(pod.spec.containers.map(({ name }) => name).toSorted()).toEqual(['main', 'mesh']);
    const needed = async (): Promise<string> => JSON.stringify((await configuration()).webhooks ?? []);
    expect(await needed()).toContain('"mesh\\"');
    await fixture.client.delete(sidecarSets, { namespace: '', name: meshName });
    await fixture.eventually(async () => !(await needed()).includes('"mesh\\"'), 'the webhook is narrow again');
    expect((await configuration()).metadata.annotations?.['template']).not.toContain('needed.kruise.io');
  });

  it('a BroadcastJob meets its deadline although no manager runs meanwhile (8)', async () => {
    const job = await jobs.untilSays('late', 'failed: desired 3, active 0, succeeded 0, failed 3');
    expect(job.status?.startTime).toBe(jobStarted);
    expect(Date.parse(job.status?.completionTime ?? '') - Date.parse(jobStarted ?? '')).toBeGreaterThanOrEqual(10_000);
    await jobs.eventually(async () => (await jobs.pods('late')).length === 0, `its Pods are gone: ${summaryOf(job)}`);
  });

  it('a DaemonSet is updated to the end although its manager is removed in the middle of it', async () => {
    await daemons.untilRolledOut('killed');
    const own = (pod: Pod): boolean => pod.metadata.labels?.['app'] === 'killed' && !isTerminating(pod);
    const observed = await history.untilNow();
    expect(observed.range(own).lowest).toBe(2);
    expect(observed.range(own).highest).toBe(3);
  });
});
