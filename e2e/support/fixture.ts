/** The cluster under test and a namespace of one's own in it. */
import { namespaces } from '@kruise/objects';
import { BroadcastJobWorld } from '../../apps/manager/src/int-tests/fixtures/broadcastjob-world.testing.ts';
import { CronWorld } from '../../apps/manager/src/int-tests/fixtures/cron-world.testing.ts';
import { CloneSetWorld } from '../../apps/manager/src/int-tests/fixtures/cloneset-world.testing.ts';
import { DaemonSetWorld } from '../../apps/manager/src/int-tests/fixtures/daemonset-world.testing.ts';
import { SpreadWorld } from '../../apps/manager/src/int-tests/fixtures/spread-world.testing.ts';
import { StatefulSetWorld } from '../../apps/manager/src/int-tests/fixtures/statefulset-world.testing.ts';
import { UnitedWorld } from '../../apps/manager/src/int-tests/fixtures/united-world.testing.ts';
import { openNamespace } from '../../apps/manager/src/int-tests/fixtures/workload-world.testing.ts';
import { given, kubectl } from './programs.ts';

/** Images that the cluster's registry has; both are a web server that is up at once. */
export const images = { first: 'nginx:alpine-20', second: 'nginx:alpine-21' } as const;

/** Deletes what an earlier run has left, and waits for what is still terminating. */
const clear = (namespace: string): Promise<string> => kubectl('delete', 'namespace', namespace, '--ignore-not-found', '--timeout=120s');

export async function openFixture(namespace: string): Promise<CloneSetWorld> {
  await clear(namespace);
  return CloneSetWorld.create(given('KRUISE_E2E_KUBECONFIG'), namespace);
}

export async function openStatefulSets(namespace: string): Promise<StatefulSetWorld> {
  await clear(namespace);
  return StatefulSetWorld.create(given('KRUISE_E2E_KUBECONFIG'), namespace);
}

export async function openBroadcastJobs(namespace: string): Promise<BroadcastJobWorld> {
  await clear(namespace);
  return BroadcastJobWorld.create(given('KRUISE_E2E_KUBECONFIG'), namespace);
}

export async function openDaemonSets(namespace: string): Promise<DaemonSetWorld> {
  await clear(namespace);
  return DaemonSetWorld.create(given('KRUISE_E2E_KUBECONFIG'), namespace);
}

/** @param zoneLabel of nodes, of one test file alone */
export async function openSpreads(namespace: string, zoneLabel: string): Promise<SpreadWorld> {
  await clear(namespace);
  const client = await openNamespace(given('KRUISE_E2E_KUBECONFIG'), namespace);
  return new SpreadWorld({ client, namespace, images, zoneLabel });
}

export async function openCronJobs(namespace: string): Promise<CronWorld> {
  await clear(namespace);
  return CronWorld.create(given('KRUISE_E2E_KUBECONFIG'), namespace);
}

export async function openUnitedDeployments(namespace: string): Promise<UnitedWorld> {
  await clear(namespace);
  return UnitedWorld.create(given('KRUISE_E2E_KUBECONFIG'), namespace);
}

/** Deletes the namespace with all in it, without waiting for its end. */
export async function closeFixture(fixture: Pick<CloneSetWorld, 'client' | 'namespace'> | undefined): Promise<void> {
  if (fixture === undefined) return;
  await fixture.client.delete(namespaces, { namespace: '', name: fixture.namespace }, { propagationPolicy: 'Background' });
  fixture.client.close();
}
