/** Runs a preStop hook. @see spec/daemon.md 5.4 */
import { execSync, podSandboxStatus, type CriContainer } from '@kruise/cri';
import { orAborted, type Clock } from '@kruise/kube';
import { seconds, unreachable } from '@kruise/objects';
import type { CriRuntime } from '../runtime/runtimes.ts';
import { getHttp } from './http-get-hook.ts';
import type { Hook } from './plan-stop.ts';

/** The hook failed; the container is still stopped. */
class HookFailed extends Error {
  override readonly name = 'HookFailed';
}

export interface HookTools {
  readonly runtime: CriRuntime;
  readonly clock: Pick<Clock, 'sleep'>;
  /** Aborts when an abandoned command has nothing to run in any more. */
  readonly ended: AbortSignal;
}

async function addressOf(runtime: CriRuntime, podSandboxId: string, signal: AbortSignal): Promise<string> {
  const { network } = await podSandboxStatus(runtime.connection, podSandboxId, { signal });
  // A sandbox in the host's network has no address of its own.
  return network === null || network.ip === '' ? '127.0.0.1' : network.ip;
}

async function runCommand(runtime: CriRuntime, container: CriContainer, command: readonly string[], signal: AbortSignal): Promise<void> {
  const { exitCode, stdout, stderr } = await execSync(
    runtime.connection,
    { containerId: container.id, command, timeoutSeconds: 0 },
    { signal },
  );
  if (exitCode === 0) return;
  const output = Buffer.concat([stdout, stderr]).toString().slice(0, 500);
  throw new HookFailed(`command ${JSON.stringify(command.join(' '))} ended with code ${exitCode}: ${output}`);
}

/**
 * Resolves when the hook has succeeded, rejects when it failed or `signal` aborted: it is then abandoned. A command continues, because cancelling the
 * call would kill it; a request is closed.
 */
export async function runHook(
  hook: Hook,
  container: CriContainer,
  { runtime, clock, ended }: HookTools,
  signal: AbortSignal,
): Promise<void> {
  switch (hook.kind) {
    case 'Exec':
      return orAborted(runCommand(runtime, container, hook.command, ended), signal);
    case 'HttpGet':
      return getHttp(hook.request, hook.request.host === '' ? await addressOf(runtime, container.podSandboxId, signal) : '', signal);
    case 'Sleep':
      return clock.sleep(seconds(hook.seconds), signal);
    case 'Invalid':
      throw new HookFailed(`invalid handler: ${hook.why}`);
    default:
      return unreachable(hook);
  }
}
