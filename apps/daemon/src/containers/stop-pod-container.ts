/** Stops one container of a Pod as the kubelet would: event, preStop hook, SIGTERM, SIGKILL. The kubelet restarts it. @see spec/daemon.md 5.4 */
import { isCriFailure, listContainers, stopContainer, type CriContainer } from '@kruise/cri';
import type { Clock, EventRecorder, ObjectReference } from '@kruise/kube';
import { milliseconds, seconds, type Pod } from '@kruise/objects';
import type { CriRuntime } from '../runtime/runtimes.ts';
import { containerIdOf } from './observe-containers.ts';
import { planStop, stopSecondsAfter, type Hook, type StopPlan, type StopTerms } from './plan-stop.ts';
import type { PreStopRuns } from './pre-stop-runs.ts';
import { runHook } from './run-hook.ts';

export interface StopTools {
  readonly runtime: CriRuntime;
  readonly clock: Clock;
  readonly events: EventRecorder;
  /** Of all stops by one controller. */
  readonly preStops: PreStopRuns;
}

/** What is stopped, why, and how. */
export interface Stop {
  /** The Pod that the container was proven to belong to. */
  readonly pod: Pick<Pod, 'metadata'>;
  readonly container: CriContainer;
  /** Message of the event; the raw id in it becomes the container's name. */
  readonly message: string;
  /** What the kubelet wrote on the container when absent. */
  readonly terms?: StopTerms;
}

const referenceTo = ({ metadata }: Stop['pod'], containerName: string): ObjectReference => ({
  apiVersion: 'v1',
  kind: 'Pod',
  name: metadata.name,
  ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
  ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
  fieldPath: `spec.containers{${containerName}}`,
});

interface HookRun extends StopTools {
  readonly pod: Stop['pod'];
  /** For the whole stop. */
  readonly signal: AbortSignal;
  /** Aborts with `signal`, and when the stop has ended, successfully or not. */
  readonly ended: AbortSignal;
}

/**
 * Waits for the hook at most `graceSeconds`; one that still runs then is abandoned.
 *
 * @throws CriError when the runtime was unreachable before a request could be made. A command during which the runtime was lost may have run, so it
 * counts
 */
async function runHookWithin(hook: Hook, container: CriContainer, plan: StopPlan, tools: HookRun): Promise<void> {
  const over = new AbortController();
  const timer = tools.clock.schedule(seconds(plan.graceSeconds), () => over.abort());
  try {
    await runHook(hook, container, tools, AbortSignal.any([over.signal, tools.signal]));
  } catch (error) {
    if (tools.signal.aborted) throw error;
    if (over.signal.aborted) return;
    if (hook.kind !== 'Exec' && isCriFailure(error, 'Unavailable')) throw error;
    const why = error instanceof Error ? error.message : String(error);
    tools.events.event(
      referenceTo(tools.pod, plan.containerName),
      'Warning',
      'FailedPreStopHook',
      `PreStop hook of container ${plan.containerName} failed: ${why}`,
    );
  } finally {
    timer.cancel();
  }
}

/** Returns whether a container no longer exists. Some runtimes have no code of their own for that. */
async function isDeleted(error: unknown, { runtime }: StopTools, id: string, signal: AbortSignal): Promise<boolean> {
  if (isCriFailure(error, 'NotFound')) return true;
  return isCriFailure(error, 'Refused') && (await listContainers(runtime.connection, { id }, { signal })).length === 0;
}

/** Runs the hook. @returns in seconds, what the hook used of the grace period: now, or in an earlier attempt */
async function passHook(container: CriContainer, plan: StopPlan, tools: HookRun): Promise<number> {
  const { preStops, clock, runtime } = tools;
  if (plan.hook === undefined) return 0;
  const containerID = containerIdOf(runtime, container.id);
  const held = preStops.spentOn(containerID);
  if (held !== undefined) return held / 1000;
  const from = clock.monotonic();
  await runHookWithin(plan.hook, container, plan, tools);
  const spent = milliseconds(clock.monotonic() - from);
  preStops.record(containerID, spent);
  return spent / 1000;
}

/**
 * Resolves when the container has ended; one that no longer exists has. Fails with `CriError`, and may then be retried: the hook of an instance runs
 * once.
 */
export async function stopPodContainer({ pod, container, message, terms }: Stop, tools: StopTools, signal: AbortSignal): Promise<void> {
  const plan = planStop(container, terms);
  tools.events.event(referenceTo(pod, plan.containerName), 'Normal', 'Killing', message.replaceAll(container.id, plan.containerName));
  const over = new AbortController();
  const ended = AbortSignal.any([signal, over.signal]);
  try {
    const spentSeconds = await passHook(container, plan, { ...tools, pod, signal, ended });
    await stopContainer(tools.runtime.connection, container.id, stopSecondsAfter(plan.graceSeconds, spentSeconds), { signal });
  } catch (error) {
    if (!(await isDeleted(error, tools, container.id, signal))) throw error;
  } finally {
    over.abort();
  }
  tools.preStops.forget(containerIdOf(tools.runtime, container.id));
}
