/** The cluster under test and a namespace of one's own in it. */
import { namespaces } from '@kruise/objects';
import { BroadcastJobFixture } from '../../apps/manager/src/int-tests/fixtures/broadcastjob-fixture.testing.ts';
import { CronFixture } from '../../apps/manager/src/int-tests/fixtures/cron-fixture.testing.ts';
import { CloneSetFixture } from '../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { DaemonSetFixture } from '../../apps/manager/src/int-tests/fixtures/daemonset-fixture.testing.ts';
import { SpreadFixture } from '../../apps/manager/src/int-tests/fixtures/spread-fixture.testing.ts';
import { StatefulSetFixture } from '../../apps/manager/src/int-tests/fixtures/statefulset-fixture.testing.ts';
import { UnitedFixture } from '../../apps/manager/src/int-tests/fixtures/united-fixture.testing.ts';
import { openNamespace } from '../../apps/manager/src/int-tests/fixtures/workload-fixture.testing.ts';
import { given, kubectl } from './programs.ts';

/** Images that the cluster's registry has; both are a web server that is up at once. */
export const images = { first: 'nginx:alpine-20', second: 'nginx:alpine-21' } as const;

/** Deletes what an earlier run has left, and waits for what is still terminating. */
const clear = (namespace: string): Promise<string> => kubectl('delete', 'namespace', namespace, '--ignore-not-found', '--timeout=120s');

export async function openFixture(namespace: string): Promise<CloneSetFixture> {
  await clear(namespace);
  return CloneSetFixture.create(given('KRUISE_E2E_KUBECONFIG'), namespace);
}

export async function openStatefulSets(namespace: string): Promise<StatefulSetFixture> {
  await clear(namespace);
  return StatefulSetFixture.create(given('KRUISE_E2E_KUBECONFIG'), namespace);
}

export async function openBroadcastJobs(namespace: string): Promise<BroadcastJobFixture> {
  await clear(namespace);
  return BroadcastJobFixture.create(given('KRUISE_E2E_KUBECONFIG'), namespace);
}

export async function openDaemonSets(namespace: string): Promise<DaemonSetFixture> {
  await clear(namespace);
  return DaemonSetFixture.create(given('KRUISE_E2E_KUBECONFIG'), namespace);
}

/** @param zoneLabel of nodes, of one test file alone */
export async function openSpreads(namespace: string, zoneLabel: string): Promise<SpreadFixture> {
  await clear(namespace);
  const client = await openNamespace(given('KRUISE_E2E_KUBECONFIG'), namespace);
  return new SpreadFixture({ client, namespace, images, zoneLabel });
}

export async function openCronJobs(namespace: string): Promise<CronFixture> {
  await clear(namespace);
  return CronFixture.create(given('KRUISE_E2E_KUBECONFIG'), namespace);
}

export async function openUnitedDeployments(namespace: string): Promise<UnitedFixture> {
  await clear(namespace);
  return UnitedFixture.create(given('KRUISE_E2E_KUBECONFIG'), namespace);
}

/** Deletes the namespace with all in it, without waiting for its end. */
export async function closeFixture(fixture: Pick<CloneSetFixture, 'client' | 'namespace'> | undefined): Promise<void> {
  if (fixture === undefined) return;
  await fixture.client.delete(namespaces, { namespace: '', name: fixture.namespace }, { propagationPolicy: 'Background' });
  fixture.client.close();
}
