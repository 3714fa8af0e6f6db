/** A cluster in which nothing changes: what has every kind in use, and was updated and rolled back, is not written to any more. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  advancedCronJobs,
  broadcastJobs,
  daemonSets,
  persistentPodStateAnnotations,
  persistentPodStates,
  podUnavailableBudgets,
  resourceDistributions,
  resourceTypeOf,
  statefulSets,
  storedVersion,
  unitedDeployments,
  workloadSpreads,
} from '@kruise/api';
import { unlessDeleted, urlPath } from '@kruise/kube';
import { BroadcastJobFixture } from '../../apps/manager/src/int-tests/fixtures/broadcastjob-fixture.testing.ts';
import type { CloneSetFixture } from '../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { CronFixture, jobTemplate } from '../../apps/manager/src/int-tests/fixtures/cron-fixture.testing.ts';
import { DaemonSetFixture } from '../../apps/manager/src/int-tests/fixtures/daemonset-fixture.testing.ts';
import { StatefulSetFixture } from '../../apps/manager/src/int-tests/fixtures/statefulset-fixture.testing.ts';
import { UnitedFixture } from '../../apps/manager/src/int-tests/fixtures/united-fixture.testing.ts';
import { modules } from '../../apps/manager/src/kinds/index.ts';
import { type AuditEvent, newAuditEvents } from '../support/rights.ts';
import { sidecar, sidecarImages, SidecarFixture } from '../support/sidecar-fixture.ts';
import { closeFixture, images, openFixture } from '../support/fixture.ts';

const quietMs = 30_000;
const writes: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/** Which account wrote what. The leader renews its lease, and a review of a token only reads. */
const writesOf = (requests: readonly AuditEvent[]): readonly string[] =>
  requests
    .filter(({ verb, objectRef }) => writes.has(verb) && objectRef?.resource !== 'leases' && !objectRef?.resource?.endsWith('reviews'))
    .map(({ user, verb, requestURI }) => `${user.username}: ${verb} ${requestURI}`);

/** Updated and rolled back, so that what either leaves behind is there. All Pods at once: nothing is expected of the way there. */
async function web(fixture: CloneSetFixture): Promise<void> {
  await fixture.apply({ name: 'web', replicas: 3, image: images.first, rollingUpdate: { maxUnavailable: 3 } });
  await fixture.untilRolledOut('web');
  for (const image of [images.second, images.first]) {
    await fixture.setImage('web', image);
    await fixture.untilRolledOut('web');
  }
}

/** As web is. */
async function workloads({ client, namespace }: Pick<CloneSetFixture, 'client' | 'namespace'>): Promise<void> {
  const [sets, daemons] = [new StatefulSetFixture(statefulSets, client, namespace), new DaemonSetFixture(daemonSets, client, namespace)];
  await sets.apply({ name: 'db', replicas: 2, image: images.first, parallel: true, rollingUpdate: { maxUnavailable: 2 } });
  const rollingUpdate = { rollingUpdateType: 'InPlaceIfPossible', maxUnavailable: 3 };
  await daemons.apply({ name: 'agent', image: images.first, rollingUpdate });
  await sets.untilRolledOut('db');
  await daemons.untilRolledOut('agent');
  const annotations = {
    [persistentPodStateAnnotations.autoGenerate]: 'true',
    [persistentPodStateAnnotations.requiredTopology]: 'kubernetes.io/hostname',
  };
  await sets.patch('db', { metadata: { annotations } });
  for (const image of [images.second, images.first]) {
    await sets.setImage('db', image);
    await daemons.setImage('agent', image);
    await sets.untilRolledOut('db');
    await daemons.untilRolledOut('agent');
  }
  const isRemembered = async (): Promise<boolean> =>
    Object.keys((await client.list(persistentPodStates, { namespace })).items[0]?.status?.podStates ?? {}).length === 2;
  await sets.eventually(isRemembered, 'both Pods of db are remembered');
}

/** One job is over, another one is under way as long as it is looked at; the clock has made one, and makes no other for months. */
async function jobs({ client, namespace }: Pick<CloneSetFixture, 'client' | 'namespace'>): Promise<void> {
  const [broadcasts, cron] = [
    new BroadcastJobFixture(broadcastJobs, client, namespace),
    new CronFixture(advancedCronJobs, client, namespace),
  ];
  await broadcasts.apply({ name: 'once', script: 'exit 0' });
  await broadcasts.apply({ name: 'long', script: 'sleep 3600' });
  await cron.apply('clock', { schedule: '@every 5s', template: jobTemplate('exit 0') });
  await cron.untilChildren('clock', (children) => children.length > 0, 'a Job');
  await cron.patch('clock', { spec: { paused: true } });
  await cron.until('clock', ({ status }) => (status?.active ?? []).length === 0);
  await broadcasts.untilSays('once', 'completed: desired 3, active 0, succeeded 3, failed 0');
}

/** In no namespace. */
const shared = { namespace: '', name: 'quiet' };

/** What spreads the Pods of web, protects them, and shares what they read. */
async function aroundWeb({ client, namespace }: Pick<CloneSetFixture, 'client' | 'namespace'>): Promise<void> {
  const metadata = { namespace, name: 'web' };
  await client.create(podUnavailableBudgets, { metadata, spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 3 } });
  const targetRef = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web' };
  await client.create(workloadSpreads, { metadata, spec: { targetRef, subsets: [{ name: 'first', maxReplicas: 2 }, { name: 'rest' }] } });
  const resource = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { color: 'blue' } };
  const targets = { includedNamespaces: { list: [{ name: namespace }] } };
  await client.create(resourceDistributions, { metadata: { name: shared.name }, spec: { resource, targets } });
}

/** As web is. */
async function united({ client, namespace }: Pick<CloneSetFixture, 'client' | 'namespace'>): Promise<void> {
  const fixture = new UnitedFixture(unitedDeployments, client, namespace);
  await fixture.apply({ name: 'parts', replicas: 2, image: images.first, subsets: [{ name: 'a' }, { name: 'b' }] });
  await fixture.untilRolledOut('parts');
  for (const image of [images.second, images.first]) {
    await fixture.setTemplate('parts', { image });
    await fixture.untilRolledOut('parts');
  }
}

describe('a cluster at rest', () => {
  let fixture: CloneSetFixture;
  let sidecars: SidecarFixture;

  beforeAll(async () => {
    fixture = await openFixture('quiet');
    sidecars = new SidecarFixture(fixture);
    const make = (plural: string, version: string, kind: string, name: string, spec: object): Promise<unknown> =>
      fixture.client.raw(urlPath`/apis/apps.kruise.io/${version}/namespaces/quiet/${plural}`, {
        method: 'POST',
        body: { apiVersion: `apps.kruise.io/${version}`, kind, metadata: { name, namespace: 'quiet' }, spec },
      });
    const selector = { matchLabels: { app: 'web' } };
    await sidecars.create('web', [sidecar('side', sidecarImages.first)]);
    await make('podprobemarkers', 'v1alpha1', 'PodProbeMarker', 'marker', {
      selector,
      probes: [{ name: 'up', containerName: 'main', probe: { exec: { command: ['true'] } }, podConditionType: 'example.org/up' }],
    });
    await aroundWeb(fixture);
    await Promise.all([web(fixture), workloads(fixture), united(fixture), jobs(fixture)]);
    const [pod] = await fixture.pods('web');
    await make('containerrecreaterequests', 'v1beta1', 'ContainerRecreateRequest', 'again', {
      podName: pod?.metadata.name,
      containers: [{ name: 'main' }],
    });
    await make('imagepulljobs', 'v1beta1', 'ImagePullJob', 'ahead', { image: images.second, completionPolicy: { type: 'Always' } });
    const completionPolicy = { type: 'Always' };
    await make('imagelistpulljobs', 'v1beta1', 'ImageListPullJob', 'more', { images: [images.first, images.second], completionPolicy });
    await make('ephemeraljobs', 'v1alpha1', 'EphemeralJob', 'look', {
      selector,
      template: {
        ephemeralContainers: [
          {
            name: 'look',
            image: sidecarImages.first,
            imagePullPolicy: 'IfNotPresent',
            terminationMessagePolicy: 'File',
            command: ['true'],
          },
        ],
      },
    });
  });
  afterAll(async () => {
    await unlessDeleted(fixture.client.delete(resourceDistributions, shared));
    await sidecars.close();
    await closeFixture(fixture);
  });

  it('has an object of every kind that is served', async () => {
    const served = modules.flatMap(({ declaration }) => (declaration === undefined ? [] : [declaration]));
    const absent: string[] = [];
    for (const declaration of served) {
      const { items } = await fixture.client.list(resourceTypeOf(declaration, storedVersion(declaration)));
      if (items.length === 0) absent.push(declaration.kind);
    }
    expect(absent).toEqual([]);
  });

  it(`is left alone: 30 s pass without a write by the manager or an agent`, async () => {
    const requests = newAuditEvents();
    const deadline = performance.now() + 10 * quietMs;
    for (let lastWrite = performance.now(); performance.now() - lastWrite < quietMs;) {
      await sleep(500);
      const written = writesOf(requests());
      if (written.length > 0) lastWrite = performance.now();
      if (performance.now() > deadline) expect(written).toEqual([]);
    }
  });
});
