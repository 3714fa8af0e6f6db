/** Reads the hash of the environment that a container really runs with. @see spec/daemon.md 5.6 */
import { containerStatus, CriError, execSync } from '@kruise/cri';
import { agentLimits, type Container, type Pod } from '@kruise/objects';
import { metadataEnvHashOf, metadataEnvs } from '@kruise/pods';
import { FairSlots } from '@kruise/process';
import { isContainerOf, type RunningContainer } from '../containers/observe-containers.ts';
import type { CriRuntime } from '../runtime/runtimes.ts';
import { parseEnvOutput, parseVerboseEnvironment, type Environment } from './parse-environment.ts';

const execTimeoutSeconds = 3;
/** A larger environment is not read in part, because missing variables would look empty. */
const longestEnvironment = agentLimits.environmentBytes.value;

/**
 * What is read is in memory as a whole: verbose answers are large, and the output of a command is kept for as long as it may take. So a limited
 * number of all containers is read in parallel, the namespaces in turns; a Pod has one of its containers read at a time.
 */
const [verboseReads, commandReads] = [new FairSlots(4), new FairSlots(32)];

async function inSlot<T>(slots: FairSlots, { metadata }: Pod, signal: AbortSignal, read: () => Promise<T>): Promise<T> {
  await slots.take([metadata.namespace ?? ''], signal);
  try {
    return await read();
  } finally {
    slots.release();
  }
}

async function readVerbose(runtime: CriRuntime, id: string, signal: AbortSignal): Promise<Environment | undefined> {
  const { info } = await containerStatus(runtime.connection, id, { verbose: true, signal });
  return parseVerboseEnvironment(info);
}

/** Thrown when the container's environment could not be determined. */
class EnvironmentUnknown extends Error {
  override readonly name = 'EnvironmentUnknown';
}

async function readByCommand(runtime: CriRuntime, { name, container }: RunningContainer, signal: AbortSignal): Promise<Environment> {
  const { stdout, stderr, exitCode, isCut } = await execSync(
    runtime.connection,
    { containerId: container.id, command: ['env'], timeoutSeconds: execTimeoutSeconds, keepBytes: longestEnvironment },
    { signal },
  );
  if (isCut === true) throw new EnvironmentUnknown(`env in container ${name} printed more than ${longestEnvironment} bytes`);
  if (exitCode !== 0)
    throw new EnvironmentUnknown(`env in container ${name} ended with code ${exitCode}: ${stderr.toString().slice(0, 200)}`);
  return parseEnvOutput(stdout.toString());
}

/** Observes the environment. The runtime's answer is preferred, because an image need not have an `env` to run. */
async function observeEnvironment(runtime: CriRuntime, pod: Pod, running: RunningContainer, signal: AbortSignal): Promise<Environment> {
  const answered = await inSlot(verboseReads, pod, signal, () => readVerbose(runtime, running.container.id, signal));
  if (answered !== undefined) return answered;
  if (!(await isContainerOf(runtime, pod, running.container, signal)))
    throw new EnvironmentUnknown(`container ${running.name} is in a sandbox of another Pod`);
  return inSlot(commandReads, pod, signal, () => readByCommand(runtime, running, signal));
}

/**
 * Returns the hash over those variables that read the Pod's metadata, with the values of the process. Nothing is called when there are none.
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

/** Returns whether another attempt may not meet the failure. */
export const isReadFailure = (error: unknown): error is Error => error instanceof EnvironmentUnknown || error instanceof CriError;
