/**
 * What the manager must not notice, and must not die of: its own death at any write, an API server and an etcd that stop, and
 * objects that admission did not check.
 *
 * KRUISE_KILL_PODS (8; 20 in `npm run nightly`), KRUISE_KILL_FIRST (4) and KRUISE_KILL_EVERY make the first test longer: 200 Pods, the first kill at the
 * first write, and with KRUISE_KILL_EVERY=1 a kill at every single write of the update: no process sees the answer to its first write.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { annotations, type CloneSet, labels } from '@kruise/api';
import type { Pod } from '@kruise/objects';
import { type ControlPlane, type FaultProxy, sampleOf, startFaultProxy } from '@kruise/testing';
import { CloneSetFixture, isObserved, isRolledOut } from './fixtures/cloneset-fixture.testing.ts';
import { type Manifest, startInstalledPlane } from './processes/installed-plane.testing.ts';
import { killAtWrite, type KillAtWrite } from './processes/kill-at-write.testing.ts';
import { ManagerProcess } from './processes/manager-process.testing.ts';

const image = (tag: string): string => `registry.example/app:${tag}`;
const replicas = Number(process.env['KRUISE_KILL_PODS'] ?? 8);
const isAtEveryWrite = process.env['KRUISE_KILL_EVERY'] === '1';
/**
 * Each process does one write more than the one before, so that all kinds of writes are hit and the rollout still progresses; or each dies at its
 * first write, which is carried out, because the rollout would not progress otherwise.
 */
const firstKill = Number(process.env['KRUISE_KILL_FIRST'] ?? (isAtEveryWrite ? 1 : 4));
const growth = isAtEveryWrite ? 0 : 1;
const name = 'web';

/** For one rollout, disturbed or not. */
const patience = 300_000 + replicas * 5_000;

let dir: string;
let plane: ControlPlane;
let manager: ManagerProcess;
/** What a test has opened besides; closed after it. */
let opened: AsyncDisposableStack;

async function openFixture(namespace: string): Promise<CloneSetFixture> {
  const fixture = await CloneSetFixture.create(plane.kubeconfigPath, namespace);
  opened.defer(() => fixture.client.close());
  return fixture;
}

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kruise-faults-'));
  opened = new AsyncDisposableStack();
});
afterEach(async () => {
  await manager.signal('SIGKILL');
  await opened.disposeAsync();
  rmSync(dir, { recursive: true, force: true });
});

/** What must come out the same: everything but names, times and versions. */
async function endState(fixture: CloneSetFixture): Promise<unknown> {
  const status: Partial<NonNullable<CloneSet['status']>> = (await fixture.get(name)).status ?? {};
  const { updateRevision, currentRevision, conditions = [], ...counters } = status;
  const facts = (pod: Pod): unknown => ({
    image: pod.spec.containers[0]?.image,
    restarts: pod.status?.containerStatuses?.[0]?.restartCount,
    revision: pod.metadata.labels?.[labels.controllerRevisionHash] === updateRevision,
    state: pod.metadata.labels?.[labels.lifecycleState],
    gracePending: pod.metadata.annotations?.[annotations.inPlaceUpdateGrace] !== undefined,
    specifiedDelete: pod.metadata.labels?.[labels.specifiedDelete] !== undefined,
  });
  return {
    status: {
      ...counters,
      conditions: conditions.map((condition) => `${condition.type}=${condition.status}`),
      isCurrent: updateRevision === currentRevision,
    },
    pods: (await fixture.pods(name)).map(facts).toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))),
    revisions: await fixture.revisions(name),
  };
}

/** Which writes a kill has hit, and how often. */
function hitKinds(proxy: FaultProxy): string {
  const hit = proxy.requests.filter(({ fault }) => fault !== undefined);
  const kindOf = ({ method, path }: { readonly method: string; readonly path: string }): string =>
    `${method} ${path.replace(/^.*\/namespaces\/[^/]+\//, '').replace(/^(\w+)\/[^/]+/, '$1/NAME')}`;
  const counts = Map.groupBy(hit, kindOf);
  return [...counts].map(([kind, all]) => `${kind} x${all.length}`).join(', ');
}

async function rollOut(fixture: CloneSetFixture, podUpdatePolicy: string): Promise<void> {
  await fixture.apply({
    name,
    replicas,
    image: image('1'),
    rollingUpdate: { podUpdatePolicy, maxUnavailable: '25%', maxSurge: podUpdatePolicy === 'ReCreate' ? 2 : 0 },
  });
  await fixture.untilRolledOut(name, patience);
  await fixture.setImage(name, image('2'));
}

describe('on a control plane', () => {
  beforeAll(async () => void (plane = await startInstalledPlane()));
  afterAll(() => plane.stop());

  describe('the manager is killed', () => {
    it.each(sampleOf(['InPlaceIfPossible', 'ReCreate']))(
      'at many writes of a rollout with %s, and it ends as an undisturbed one',
      async (policy) => {
        const proxy = opened.use(await startFaultProxy({ kubeconfigPath: plane.kubeconfigPath }));
        manager = await ManagerProcess.create({ kubeconfigPath: proxy.kubeconfigPath, dir, flags: ['--enable-leader-election=false'] });
        await manager.start();
        const calm = await openFixture(`calm-${policy.toLowerCase()}`);
        await rollOut(calm, policy);
        await calm.untilRolledOut(name, patience);
        // Those to come start quicker from what this one leaves in its cache.
        await manager.signal('SIGTERM');
        await manager.start();

        const disturbed = await openFixture(`disturbed-${policy.toLowerCase()}`);
        await disturbed.apply({
          name,
          replicas,
          image: image('1'),
          rollingUpdate: { podUpdatePolicy: policy, maxUnavailable: '25%', maxSurge: policy === 'ReCreate' ? 2 : 0 },
        });
        let kills = 0;
        const began = performance.now();
        if (isAtEveryWrite) await disturbed.untilRolledOut(name, patience);
        for (const step of isAtEveryWrite ? (['update'] as const) : (['create', 'update'] as const)) {
          if (step === 'update') await disturbed.setImage(name, image('2'));
          // A request that never arrives, and one that takes effect without the manager learning of it, in turn.
          const isLost = (): boolean => !isAtEveryWrite && kills % 2 === 0;
          const next = (): KillAtWrite => ({
            proxy,
            manager,
            path: new RegExp(`/namespaces/${disturbed.namespace}/(pods|clonesets|controllerrevisions)`),
            after: firstKill - 1 + kills * growth,
            fault: { kind: isLost() ? 'Hang' : 'ResetAfterCommit' },
            isDone: async () => isRolledOut(await disturbed.get(name)),
          });
          while (await killAtWrite(next())) {
            kills += 1;
            manager.startOnly();
          }
        }
        expect(kills).toBeGreaterThan(3);
        await disturbed.untilRolledOut(name, patience);
        expect(await endState(disturbed)).toEqual(await endState(calm));
        if (isAtEveryWrite) {
          const seconds = Math.round((performance.now() - began) / 1000);
          process.stderr.write(`${policy}, ${replicas} Pods: ${kills} kills in ${seconds} s, at ${hitKinds(proxy)}\n`);
        }
      },
      patience * 2,
    );
  });

  describe('the control plane stops in the middle of a rollout', () => {
    it(
      'and the manager continues after its return, without a restart',
      async () => {
        // An API server may need longer to come back on a slow machine than the usual lease lasts.
        const lease = ['--leader-election-lease-duration=300s', '--leader-election-renew-deadline=240s'];
        manager = await ManagerProcess.create({ kubeconfigPath: plane.kubeconfigPath, dir, flags: lease });
        await manager.start();
        const { pid } = manager;
        const fixture = await openFixture('outage');
        // A second for each Pod, so that the outage comes before the last one.
        const inPlaceUpdateStrategy = { gracePeriodSeconds: 1 };
        const rollingUpdate = { maxUnavailable: 1, partition: replicas, inPlaceUpdateStrategy };
        await fixture.apply({ name, replicas, image: image('1'), rollingUpdate });
        await fixture.untilRolledOut(name, patience);
        await fixture.setImage(name, image('2'));
        const pidOf = (component: string): number | undefined => plane.components.record(component)?.pid;

        // One Pod at a time, half of them for each outage, so that none finds the rollout over.
        const half = Math.floor(replicas / 2);
        for (const { component, outage, from, to } of [
          { component: 'kube-apiserver', outage: () => plane.restartApiServer(), from: 0, to: half },
          { component: 'etcd', outage: () => plane.restartEtcd(), from: half, to: replicas },
        ]) {
          const before = pidOf(component);
          await fixture.patch(name, { spec: { updateStrategy: { rollingUpdate: { partition: replicas - to } } } });
          await fixture.untilUpdated(name, from + 1);
          await outage();
          expect(pidOf(component)).not.toEqual(before);
          const { status } = await fixture.until(name, isObserved);
          const atReturn = status?.updatedReplicas ?? 0;
          expect(atReturn).toBeLessThan(to);
          await fixture.untilUpdated(name, atReturn + 1);
          await fixture.until(name, (seen) => seen.status?.updatedReadyReplicas === to, patience);
        }
        await fixture.untilRolledOut(name, patience);
        expect((await fixture.pods(name)).map((pod) => pod.status?.containerStatuses?.[0]?.restartCount)).toEqual(
          Array.from({ length: replicas }, () => 1),
        );
        expect(manager.pid).toBe(pid);
        expect(manager.exits).toEqual([]);
      },
      patience,
    );
  });
});

/** Lets through whatever the real schema, the scale subresource and the webhooks would refuse. */
function withoutRules(manifest: Manifest): Manifest {
  if (manifest.kind !== 'CustomResourceDefinition') return { ...manifest, webhooks: [] } as Manifest;
  if (!manifest.metadata.name.startsWith('clonesets.')) return manifest;
  const crd = manifest as unknown as { readonly spec: { readonly versions: readonly { readonly schema: unknown }[] } };
  const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const openAPIV3Schema = { type: 'object', properties: { spec: anything, status: anything } };
  return {
    ...crd,
    spec: {
      ...crd.spec,
      versions: crd.spec.versions.map((version) => ({ ...version, schema: { openAPIV3Schema }, subresources: { status: {} } })),
    },
  } as unknown as Manifest;
}

const app = { app: 'bad' };
const good = {
  replicas: 1,
  selector: { matchLabels: app },
  template: { metadata: { labels: app }, spec: { containers: [{ name: 'main', image: image('1') }] } },
};

const strange: Readonly<Record<string, unknown>> = {
  'null-template': { ...good, template: null },
  'text-template': { ...good, template: 'text' },
  'text-containers': { ...good, template: { metadata: { labels: app }, spec: { containers: 'text' } } },
  'null-container': { ...good, template: { metadata: { labels: app }, spec: { containers: [null] } } },
  'number-labels': { ...good, template: { metadata: { labels: 7 }, spec: good.template.spec } },
  'no-selector': { ...good, selector: null },
  'list-selector': { ...good, selector: [] },
  'bad-operator': { ...good, selector: { matchExpressions: [{ key: 'app', operator: 'Near', values: ['bad'] }] } },
  'text-replicas': { ...good, replicas: 'many' },
  'fraction-replicas': { ...good, replicas: 1.5 },
  'negative-replicas': { ...good, replicas: -3 },
  'huge-replicas': { ...good, replicas: 2_000_000_000 },
  'text-strategy': { ...good, updateStrategy: 'text' },
  'text-limits': {
    ...good,
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 'most', partition: [], maxSurge: {} } },
  },
  'number-claims': { ...good, volumeClaimTemplates: 5 },
  'text-lifecycle': { ...good, lifecycle: { preDelete: 'text', inPlaceUpdate: 3 } },
  'text-scale-strategy': { ...good, scaleStrategy: { podsToDelete: 'all', maxUnavailable: false } },
  'null-spec': null,
};

/** Those that cannot be worked with at all; the others may be read leniently, as long as nothing else suffers. */
const hopeless = Object.keys(strange).filter((strangeName) => !['text-strategy', 'text-limits', 'text-lifecycle'].includes(strangeName));

/** Names of those that have no condition with a message or no event. */
async function unexplained(fixture: CloneSetFixture): Promise<readonly string[]> {
  const isExplained = async (strangeName: string): Promise<boolean> => {
    const { status } = await fixture.get(strangeName);
    const reported = await fixture.events(strangeName);
    return (
      (status?.conditions ?? []).some(({ type, message }) => type === 'FailedScale' && (message ?? '') !== '') &&
      reported.some((event) => event.reason === 'InvalidSpec')
    );
  };
  const explained = await Promise.all(hopeless.map(isExplained));
  return hopeless.filter((_, index) => explained[index] !== true);
}

describe('objects that came past admission', () => {
  it(
    'harm only themselves: a condition and an event say what is wrong, other CloneSets go on',
    async () => {
      plane = await startInstalledPlane({ edit: withoutRules });
      opened.defer(() => plane.stop());
      manager = await ManagerProcess.create({ kubeconfigPath: plane.kubeconfigPath, dir });
      const fixture = await openFixture('strange');
      const collection = `/apis/apps.kruise.io/v1beta1/namespaces/${fixture.namespace}/clonesets`;
      for (const [strangeName, spec] of Object.entries(strange)) {
        const body = {
          apiVersion: 'apps.kruise.io/v1beta1',
          kind: 'CloneSet',
          metadata: { name: strangeName },
          ...(spec === null ? {} : { spec }),
        };
        await plane.api.request(collection, { method: 'POST', body });
      }
      await manager.start();
      const { pid } = manager;
      await fixture.apply({ name, replicas: 3, image: image('1') });
      await fixture.untilRolledOut(name);
      await fixture.setImage(name, image('2'));
      await fixture.untilRolledOut(name);

      await fixture
        .eventually(async () => (await unexplained(fixture)).length === 0, 'every strange CloneSet says what is wrong')
        .catch(async () => {
          expect(await unexplained(fixture)).toEqual([]);
        });
      for (const strangeName of hopeless) expect(await fixture.pods(strangeName)).toEqual([]);
      await fixture.patch(name, { spec: { replicas: 5 } });
      await fixture.untilRolledOut(name);
      expect(manager.pid).toBe(pid);
      expect(manager.exits).toEqual([]);
      expect(await manager.metrics()).toMatch(/^controller_runtime_reconcile_panics_total\{controller="cloneset-controller"\} 0$/m);
    },
    patience,
  );
});
