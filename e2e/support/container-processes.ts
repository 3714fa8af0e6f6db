/** The processes of a Pod's container: nodes of the local cluster run on this machine. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Pod } from '@kruise/objects';

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // ended meanwhile
  }
}

/** Process ids of the Pod's containers, without the one that holds its namespaces open. */
export function processesOf(pod: Pod): readonly number[] {
  const uid = pod.metadata.uid ?? '';
  const isInPod = (id: string): boolean => {
    const cgroup = read(`/proc/${id}/cgroup`);
    return cgroup.includes(uid) || cgroup.includes(uid.replaceAll('-', '_'));
  };
  const isPause = (id: string): boolean => read(`/proc/${id}/cmdline`).startsWith('/pause');
  return readdirSync('/proc')
    .filter((id) => /^\d+$/.test(id) && isInPod(id) && !isPause(id))
    .map(Number);
}

/** Ends every process of the Pod's containers at once; the Pod stays. @returns whose end it was. @throws when there is none to end */
export function killProcessesOf(pod: Pod): readonly number[] {
  const ids = processesOf(pod);
  if (ids.length === 0) throw new Error(`Pod ${pod.metadata.name} has no process on this machine`);
  for (const id of ids) kill(id);
  return ids;
}

/** It may have ended by itself since it was found. */
function kill(id: number): void {
  try {
    process.kill(id, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
