/** The workers of this node: one for each probe that its NodePodProbe lists, within the bounds of a Pod and of the node. */
import type { ContainerProbe, NodePodProbe } from '@kruise/api';
import { messageBytes, planShares } from './plan-shares.ts';
import { probeKey, shownState, type ProbeResult } from './plan-status.ts';
import { cutMessage } from './probe-outcome.ts';
import { ProbeWorker, type ProbeTarget, type ProbeWorkerParts } from './worker.ts';

interface Wanted {
  readonly target: ProbeTarget;
  readonly probe: ContainerProbe;
}

/** Returns an id. Members may have any content, so the text of one must not equal that of two others. */
const idOf = ({ namespace, pod, uid, ip, container, name }: ProbeTarget): string =>
  JSON.stringify([namespace, pod, uid, ip, container, name]);

export interface WorkersPlan {
  /** By worker. */
  readonly run: ReadonlyMap<string, Wanted>;
  /** Probes beyond a maximum that the status shows as not run, with the reason. */
  readonly refused: ReadonlyMap<string, Refused>;
  /** Probes beyond a maximum that the status does not show. */
  readonly unshown: readonly Refused[];
}

interface Refused {
  readonly target: ProbeTarget;
  readonly why: string;
}

/** Plans the workers. Results are reported by UID and name of the probe, so of several that share both the first counts. Pure. */
function planWorkers(list: NodePodProbe | undefined): WorkersPlan {
  const wanted: (Wanted & { readonly namespace: string; readonly uid: string })[] = [];
  const known = new Set<string>();
  for (const { namespace, name: pod, uid, IP: ip, probes = [] } of list?.spec?.podProbes ?? [])
    for (const { name, containerName: container, probe } of probes) {
      const result = JSON.stringify([uid, name]);
      if (known.has(result)) continue;
      known.add(result);
      wanted.push({ namespace, uid, target: { namespace, pod, uid, ip, container, name }, probe });
    }
  const { run, refused, unshown } = planShares(wanted);
  return {
    run: new Map(run.map((one) => [idOf(one.target), one])),
    refused: new Map(refused.map(({ of: { target }, why }) => [idOf(target), { target, why }])),
    unshown: unshown.map(({ of: { target }, why }) => ({ target, why })),
  };
}

export class ProbeWorkers {
  readonly #parts: ProbeWorkerParts;
  /** By target. An entry is removed when its probe is no longer listed. */
  readonly #workers = new Map<string, ProbeWorker>();
  /** By target, the refusals that the status shows. An entry is removed when its probe is run, or no longer listed. */
  #refused: ReadonlyMap<string, ProbeResult> = new Map();
  #unshown: ReadonlySet<string> = new Set();
  #stopped = false;

  constructor(parts: ProbeWorkerParts) {
    this.#parts = parts;
  }

  get results(): readonly ProbeResult[] {
    const longest = messageBytes(this.#workers.size);
    const found = [...this.#workers.values()].map(({ result }) => result).filter((result) => result !== undefined);
    return [...found.map((result) => ({ ...result, message: cutMessage(result.message, longest) })), ...this.#refused.values()];
  }

  /** Returns the keys ({@link probeKey}) of the probes that are not run and not shown in the status. */
  get unshown(): ReadonlySet<string> {
    return this.#unshown;
  }

  /** Starts, changes and stops workers until they are those of the list. */
  sync(list: NodePodProbe | undefined): void {
    if (this.#stopped) return;
    const { run, refused, unshown } = planWorkers(list);
    this.#refuse(refused, unshown);
    for (const [id, worker] of this.#workers) {
      if (run.has(id)) continue;
      this.#workers.delete(id);
      void worker.stop();
    }
    for (const [id, { target, probe }] of run) {
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

  /** Refuses probes. The result of a refusal is unchanged until there is another reason: it is written once. */
  #refuse(refused: WorkersPlan['refused'], unshown: WorkersPlan['unshown']): void {
    const before = this.#refused;
    const at = this.#parts.clock.now();
    const resultOf = (id: string, { namespace, pod, uid, name }: ProbeTarget, message: string): ProbeResult => {
      const held = before.get(id);
      return held?.message === message ? held : { namespace, pod, uid, probe: name, state: 'Unknown', message, at };
    };
    this.#refused = new Map([...refused].map(([id, { target, why }]) => [id, resultOf(id, target, why)]));
    this.#unshown = new Set(unshown.map(({ target: { uid, name } }) => probeKey(uid, name)));
    if ([...this.#refused.keys()].every((id) => before.has(id))) return;
    const all = [...refused.values(), ...unshown];
    const reasons = [...new Set(all.map(({ why }) => why))];
    this.#parts.logger.warn({ probes: all.length, reasons: reasons.join('; ') }, 'Not running probes beyond the bounds of the node');
  }

  #start(id: string, worker: ProbeWorker): void {
    this.#workers.set(id, worker);
    worker.start();
  }
}
