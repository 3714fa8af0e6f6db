/** The workers of this node: one for each probe that its NodePodProbe lists. */
import type { ContainerProbe, NodePodProbe } from '@kruise/api';
import { shownState, type ProbeResult } from './plan-status.ts';
import { ProbeWorker, type ProbeTarget, type ProbeWorkerParts } from './worker.ts';

interface Wanted {
  readonly target: ProbeTarget;
  readonly probe: ContainerProbe;
}

/** Members may hold anything, so no text of one can be taken for two of another. */
const idOf = ({ namespace, pod, uid, ip, container, name }: ProbeTarget): string =>
  JSON.stringify([namespace, pod, uid, ip, container, name]);

/**
 * What a list asks for, by worker. Results are told by UID and name of the probe, so of several that share both the first counts. Pure.
 */
export function planWorkers(list: NodePodProbe | undefined): ReadonlyMap<string, Wanted> {
  const wanted = new Map<string, Wanted>();
  const told = new Set<string>();
  for (const { namespace, name: pod, uid, IP: ip, probes = [] } of list?.spec?.podProbes ?? [])
    for (const { name, containerName: container, probe } of probes) {
      const result = JSON.stringify([uid, name]);
      if (told.has(result)) continue;
      told.add(result);
      const target: ProbeTarget = { namespace, pod, uid, ip, container, name };
      wanted.set(idOf(target), { target, probe });
    }
  return wanted;
}

export class ProbeWorkers {
  readonly #parts: ProbeWorkerParts;
  /** By target; an entry leaves when its probe is listed no more. */
  readonly #workers = new Map<string, ProbeWorker>();
  #stopped = false;

  constructor(parts: ProbeWorkerParts) {
    this.#parts = parts;
  }

  get results(): readonly ProbeResult[] {
    return [...this.#workers.values()].map(({ result }) => result).filter((result) => result !== undefined);
  }

  /** Starts, changes and stops workers until they are those of the list. */
  sync(list: NodePodProbe | undefined): void {
    if (this.#stopped) return;
    const wanted = planWorkers(list);
    for (const [id, worker] of this.#workers) {
      if (wanted.has(id)) continue;
      this.#workers.delete(id);
      void worker.stop();
    }
    for (const [id, { target, probe }] of wanted) {
      const known = this.#workers.get(id);
      if (known !== undefined) known.update(probe);
      else this.#start(id, new ProbeWorker({ target, probe, shown: shownState(list, target.uid, target.name) }, this.#parts));
    }
  }

  /** Resolves when nothing is probed any more; nothing starts afterwards. */
  async stop(): Promise<void> {
    this.#stopped = true;
    const workers = [...this.#workers.values()];
    this.#workers.clear();
    await Promise.all(workers.map((worker) => worker.stop()));
  }

  #start(id: string, worker: ProbeWorker): void {
    this.#workers.set(id, worker);
    worker.start();
  }
}
