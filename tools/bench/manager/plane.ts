/** A control plane with what an installer of Kruise would put into it, and the manager on it. */
import { createClient, loadClusterConfig, type Client } from '@kruise/kube';
import { namespaces } from '@kruise/objects';
import { startControlPlane, type ControlPlane } from '@kruise/testing';
import type { ScenarioRun } from '../scenario.ts';
import { install } from './install.ts';
import { ManagerProcess } from './manager-process.ts';
import { namespace } from './namespace.ts';

interface Plane {
  readonly plane: ControlPlane;
  readonly client: Client;
}

interface PlaneOptions {
  /** Those of Kubernetes, and its scheduler. */
  readonly controllers?: boolean;
  readonly simulatedNodes?: number;
  /** Of the namespace. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** Starts it, lets `use` work with it, and stops it. */
export async function onPlane<T>({ labels, ...options }: PlaneOptions, use: (plane: Plane) => Promise<T>): Promise<T> {
  await using plane = await startControlPlane(options);
  const client = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'kruise-bench' });
  try {
    await install(client, AbortSignal.timeout(60_000));
    await client.create(namespaces, { metadata: { name: namespace, ...(labels === undefined ? {} : { labels }) } });
    if (options.controllers === true) await plane.waitFor(`/api/v1/namespaces/${namespace}/serviceaccounts/default`);
    return await use({ plane, client });
  } finally {
    client.close();
  }
}

/** A manager that leads and whose caches are filled. */
export async function startManager(
  { folder, managerProgram, profileFolder }: ScenarioRun,
  kubeconfig: string,
  flags: readonly string[] = [],
): Promise<ManagerProcess> {
  const profiled = profileFolder === undefined ? {} : { profileFolder };
  const manager = await ManagerProcess.start({ program: await managerProgram(), folder, kubeconfig, flags, ...profiled });
  try {
    await manager.waitUntilReady();
    await manager.waitUntilLeading();
    return manager;
  } catch (error) {
    await manager.stop();
    throw error;
  }
}
