/** Reads the hash of the environment that a container really runs with. @see spec/daemon.md 5.6 */
import { containerStatus, CriError, execSync } from '@kruise/cri';
import type { Container, Pod } from '@kruise/objects';
import { metadataEnvHashOf, metadataEnvs } from '@kruise/pods';
import { isContainerOf, type RunningContainer } from '../containers/observe-containers.ts';
import type { CriRuntime } from '../runtime/runtimes.ts';
import { parseEnvOutput, parseVerboseEnvironment, type Environment } from './parse-environment.ts';

const execTimeoutSeconds = 3;

/** The container's environment could not be told. */
export class EnvironmentUnknown extends Error {
  override readonly name = 'EnvironmentUnknown';
}

/** What the runtime tells is preferred: an image need not have an `env` to run. */
async function observeEnvironment(runtime: CriRuntime, pod: Pod, running: RunningContainer, signal: AbortSignal): Promise<Environment> {
  const { id } = running.container;
  const { info } = await containerStatus(runtime.connection, id, { verbose: true, signal });
  const told = parseVerboseEnvironment(info);
  if (told !== undefined) return told;
  if (!(await isContainerOf(runtime, pod, running.container, signal)))
    throw new EnvironmentUnknown(`container ${running.name} is in a sandbox of another Pod`);
  const { stdout, stderr, exitCode } = await execSync(
    runtime.connection,
    { containerId: id, command: ['env'], timeoutSeconds: execTimeoutSeconds },
    { signal },
  );
  if (exitCode !== 0)
    throw new EnvironmentUnknown(`env in container ${running.name} ended with code ${exitCode}: ${stderr.toString().slice(0, 200)}`);
  return parseEnvOutput(stdout.toString());
}

/**
 * The hash over those variables that come from the Pod's metadata, with the values of the process. Nothing is asked when there are none.
 *
 * @throws CriError, EnvironmentUnknown
 */
export async function observeEnvHash(
  { runtime, pod, container }: { readonly runtime: CriRuntime; readonly pod: Pod; readonly container: Container },
  running: RunningContainer,
  signal: AbortSignal,
): Promise<number> {
  if (metadataEnvs(container).length === 0) return metadataEnvHashOf(container, () => '');
  const environment = await observeEnvironment(runtime, pod, running, signal);
  return metadataEnvHashOf(container, ({ name }) => environment.get(name) ?? '');
}

/** Failures that another try may not meet. */
export const isReadFailure = (error: unknown): error is Error => error instanceof EnvironmentUnknown || error instanceof CriError;
