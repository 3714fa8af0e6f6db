/** A control plane with what an installer of Kruise would put into it, and the manager on it. */
import { join } from 'node:path';
import { createClient, loadClusterConfig, type Client } from '@kruise/kube';
import { namespaces } from '@kruise/objects';
import { startControlPlane, type ControlPlane } from '@kruise/testing';
import { freeManagerPorts } from '../../../apps/manager/src/int-tests/processes/manager-process.testing.ts';
import { namespace } from '../objects/workloads.ts';
import type { ScenarioRun } from '../scenario.ts';
import { install } from './install.ts';
import { MeasuredManager } from './measured-manager.ts';

interface Plane {
  readonly plane: ControlPlane;
  readonly client: Client;
}

type ControlPlaneOptions = NonNullable<Parameters<typeof startControlPlane>[0]>;

interface PlaneOptions extends Pick<ControlPlaneOptions, 'controllers' | 'simulatedNodes'> {
  /** Of the namespace. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** Starts it with the namespace of the scenarios alone, lets `use` work with it, and stops it. */
export async function onBarePlane<T>(use: (plane: Plane) => Promise<T>, { labels = {}, ...options }: PlaneOptions = {}): Promise<T> {
  await using plane = await startControlPlane(options);
  const client = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'kruise-bench' });
  try {
    await client.create(namespaces, { metadata: { name: namespace, labels } });
    if (options.controllers === true) await plane.waitFor(`/api/v1/namespaces/${namespace}/serviceaccounts/default`);
    return await use({ plane, client });
  } finally {
    client.close();
  }
}

/** The same with Kruise installed. */
export const onPlane = <T>(options: PlaneOptions, use: (plane: Plane) => Promise<T>): Promise<T> =>
  onBarePlane(async (plane) => {
    await install(plane.client, AbortSignal.timeout(60_000));
    return use(plane);
  }, options);

/** A manager as shipped that has just been started. */
export async function launchManager(
  { folder, managerProgram, profileFolder }: ScenarioRun,
  kubeconfigPath: string,
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

/** One that leads and whose caches are filled. */
export async function startManager(...setup: Parameters<typeof launchManager>): Promise<MeasuredManager> {
  const manager = await launchManager(...setup);
  try {
    await manager.waitUntilReady();
    await manager.waitUntilLeading();
    return manager;
  } catch (error) {
    await manager.stop();
    throw error;
  }
}
