/** The control plane of one scenario, and the manager on it. */
import { join } from 'node:path';
import { createClient, loadClusterConfig, type Client } from '@kruise/kube';
import { namespaces } from '@kruise/objects';
import { startControlPlane, type ControlPlane } from '@kruise/testing';
import { startInstalledPlane } from '../../../apps/manager/src/int-tests/processes/installed-plane.testing.ts';
import { freeManagerPorts } from '../../../apps/manager/src/int-tests/processes/manager-process.testing.ts';
import { namespace } from '../objects/workloads.ts';
import type { ScenarioRun } from '../scenario.ts';
import { MeasuredManager } from './measured-manager.ts';

interface Plane {
  readonly plane: ControlPlane;
  readonly client: Client;
}

interface PlaneOptions {
  /** Those of Kubernetes, and its scheduler: false when absent. */
  readonly controllers?: boolean;
  /** None when absent. */
  readonly simulatedNodes?: number;
  /** Of the namespace. */
  readonly labels?: Readonly<Record<string, string>>;
}

async function onStarted<T>(starting: Promise<ControlPlane>, labels: object, use: (on: Plane) => Promise<T>): Promise<T> {
  await using plane = await starting;
  const client = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'kruise-bench' });
  try {
    await client.create(namespaces, { metadata: { name: namespace, labels: { ...labels } } });
    return await use({ plane, client });
  } finally {
    client.close();
  }
}

/** Starts a control plane with the namespace of the scenarios alone, lets `use` work with it, and stops it. */
export const onBarePlane = <T>(use: (on: Plane) => Promise<T>): Promise<T> => onStarted(startControlPlane(), {}, use);

/** The same with Kruise installed: its webhooks work once a manager runs. */
export const onPlane = <T>(
  { controllers = false, simulatedNodes = 0, labels = {} }: PlaneOptions,
  use: (on: Plane) => Promise<T>,
): Promise<T> =>
  onStarted(startInstalledPlane({ controllers, simulatedNodes }), labels, async (on) => {
    if (controllers) await on.plane.waitFor(`/api/v1/namespaces/${namespace}/serviceaccounts/default`);
    return use(on);
  });

/** A manager as shipped that has just been started. */
export async function launchManager(
  { folder, managerProgram, profileFolder }: ScenarioRun,
  { kubeconfigPath }: Pick<ControlPlane, 'kubeconfigPath'>,
  flags: readonly string[] = [],
): Promise<MeasuredManager> {
  const settings = {
    kubeconfigPath,
    dir: folder,
    flags: ['--enable-pprof=true', ...flags],
    file: await managerProgram(),
    nodeFlags: profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`],
    logFile: join(folder, 'manager.log'),
  };
  const manager = new MeasuredManager(settings, await freeManagerPorts());
  manager.startOnly();
  return manager;
}
