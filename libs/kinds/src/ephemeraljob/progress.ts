/** How far the containers of a job are in one Pod. @see spec/ephemeraljob.md 5 step 7 */
import type { ContainerStatus, Pod } from '@kruise/objects';
import type { Template } from './template.ts';

/** `unknown`: nothing is reported yet, or not for all containers. */
export type Progress = 'failed' | 'succeeded' | 'running' | 'waiting' | 'unknown';

export function containerProgress({ state }: ContainerStatus): Progress {
  const { terminated, running, waiting } = state ?? {};
  if (terminated) {
    if (terminated.exitCode !== 0) return 'failed';
    return terminated.finishedAt ? 'succeeded' : 'unknown';
  }
  if (running) return 'running';
  if (waiting) return waiting.reason === 'RunContainerError' ? 'failed' : 'waiting';
  return 'unknown';
}

/** @param names of the containers of the template; other ephemeral containers of the Pod do not count */
export function podProgress(pod: Pod, { names }: Pick<Template, 'names'>): Progress {
  const seen = (pod.status?.ephemeralContainerStatuses ?? []).filter(({ name }) => names.has(name)).map(containerProgress);
  if (seen.includes('failed')) return 'failed';
  if (seen.filter((one) => one === 'succeeded').length === names.size) return 'succeeded';
  if (seen.includes('running')) return 'running';
  return seen.includes('waiting') ? 'waiting' : 'unknown';
}
