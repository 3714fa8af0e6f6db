/** Kruise on a control plane without real nodes: the manifests, and the manager as a process of this machine that belongs to the cluster. */
import { join } from 'node:path';
import type { Client } from '@kruise/kube';
import { ComponentSet, type Cluster, type Progress } from '@kruise/testing';
import { freeManagerPorts, ManagerProcess } from '../../../apps/manager/src/int-tests/processes/manager-process.testing.ts';
import { install } from './install-manifests.ts';
import { buildProgram } from '../../bench/program.ts';
import { untilHolds } from '../scenarios/stage.ts';

const name = 'kruise-manager';

/** Builds the manager while `work` is done. A failure is thrown only when both have ended, so that the folder can be removed then. */
async function buildWhile(dir: string, progress: Progress, work: () => Promise<void>): Promise<string> {
  const built = progress.step('the manager is built', () => buildProgram('manager', dir));
  const [, done] = await Promise.allSettled([built, work()]);
  if (done.status === 'rejected') throw done.reason;
  return built;
}

/** Installs the manifests and starts the manager. It ends with the cluster. @returns when its controllers and webhooks are ready */
export async function startManager(
  { dir, kubeconfigPath }: Cluster,
  client: Client,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const program = await buildWhile(dir, progress, () =>
    progress.step('the CRDs and webhook configurations are installed', () => install(client, signal)),
  );
  const settings = { kubeconfigPath, dir: join(dir, 'manager-state'), file: program };
  const manager = new ManagerProcess(settings, await freeManagerPorts());
  const components = new ComponentSet(dir);
  await progress.step('the manager is ready', async () => {
    await components.start({ name, ...manager.commandLine });
    await untilHolds({ signal }, 'the manager is ready', async () => {
      if (!components.isAlive(name)) throw new Error(`the manager has ended; its log ends with:\n${components.logTail(name)}`);
      return manager.isReady();
    });
  });
}
