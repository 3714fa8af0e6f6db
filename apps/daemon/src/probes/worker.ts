/**
 * Runs one probe of one container repeatedly, until it is stopped.
 *
 *   first wait -> (turn -> newest container -> started long enough -> probe -> enough equal runs -> result) -> period -> …
 *
 * A new instance of the container starts from Unknown. One that an earlier process of the agent probed continues from its result. When the runtime
 * cannot answer, nothing changes.
 *
 * @see spec/podprobemarker.md 5.3
 */
import type { ContainerProbe, ContainerProbeState } from '@kruise/api';
import { containerStatus, isCriFailure, type PodSandboxStatus } from '@kruise/cri';
import type { Clock, Logger, StoreReader } from '@kruise/kube';
import { deepEqual, milliseconds, seconds, type Milliseconds, type Pod } from '@kruise/objects';
import { observeContainers, runtimeNameOf, sandboxOf, type RunningContainer } from '../containers/observe-containers.ts';
import type { CriRuntime, Runtimes } from '../runtime/runtimes.ts';
import { probeExec } from './exec-probe.ts';
import { probeHttp, type HttpProbe } from './http-probe.ts';
import { isNews, planTakeover, type Finding, type ProbeResult } from './plan-status.ts';
import { addressOf } from './probe-address.ts';
import { failed, type ProbeOutcome } from './probe-outcome.ts';
import type { ProbeTurns } from './probe-turns.ts';
import { runWithin } from './run-within.ts';
import { atLeastOne, countRun, isDecided, noRuns, type Runs } from './run-counter.ts';
import { probeTcp } from './tcp-probe.ts';

/** Which probe of which container. */
export interface ProbeTarget {
  readonly namespace: string;
  readonly pod: string;
  readonly uid: string;
  /** As in the NodePodProbe; '' while unknown. */
  readonly ip: string;
  readonly container: string;
  /** `<PodProbeMarker>#<probe>`. */
  readonly name: string;
}

export interface ProbeWorkerParts {
  readonly runtimes: Pick<Runtimes, 'all' | 'named' | 'missed'>;
  /** The Pods of this node: nothing else is probed. Undefined when they are not watched: then only their sandboxes decide. */
  readonly pods: Pick<StoreReader<Pod>, 'get'> | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Returns a number from 0 to below 1. */
  readonly random: () => number;
  /** When the daemon started, on the monotonic clock. */
  readonly startedAt: Milliseconds;
  /** Of all workers of the node. */
  readonly turns: Pick<ProbeTurns, 'run'>;
  /** Called when there is a result to write. */
  readonly onResult: () => void;
}

type Handlers = Pick<ContainerProbe, 'exec' | 'httpGet' | 'tcpSocket'>;

const handlersOf = ({ exec, httpGet, tcpSocket }: ContainerProbe): Handlers => ({
  ...(exec === undefined ? {} : { exec }),
  ...(httpGet === undefined ? {} : { httpGet }),
  ...(tcpSocket === undefined ? {} : { tcpSocket }),
});

/** Returns whole milliseconds since the epoch, undefined for "not yet". */
const startOf = (nanos: string): number | undefined => (nanos === '0' ? undefined : Number(BigInt(nanos) / 1_000_000n));

/** Returns a port. @throws for an invalid one */
function portOf(port: unknown): number {
  const number = Number(port);
  if (!Number.isInteger(number) || number < 1 || number > 65_535) throw new Error(`invalid port number: ${String(port)}`);
  return number;
}

const httpProbeOf = (
  { path = '/', scheme = 'HTTP', httpHeaders = [] }: NonNullable<ContainerProbe['httpGet']>,
  host: string,
  port: number,
): HttpProbe => ({ host, port, path, scheme: scheme.toUpperCase() === 'HTTPS' ? 'https' : 'http', headers: httpHeaders });

/** Returns what is known of a Pod that is not watched; the runtime decides whether it is on this node. */
export const podOfTarget = ({ namespace, pod: name, uid }: Pick<ProbeTarget, 'namespace' | 'pod' | 'uid'>): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace, name, uid },
  spec: { containers: [] },
});

/** Returns the runtime of the Pod's containers; all of them while no container of it has an id. */
function runtimesFor(pod: Pod, runtimes: ProbeWorkerParts['runtimes']): readonly CriRuntime[] {
  const name = runtimeNameOf(pod);
  if (name === undefined) return runtimes.all;
  const runtime = runtimes.named(name);
  return runtime === undefined ? [] : [runtime];
}

/** What a worker is created for. */
export interface Assignment {
  readonly target: ProbeTarget;
  readonly probe: ContainerProbe;
  /** The result in the list, of an earlier process of the agent. */
  readonly shown: ContainerProbeState | undefined;
}

interface Observed {
  readonly runtime: CriRuntime;
  readonly pod: Pod;
  readonly running: RunningContainer;
  readonly sandbox: PodSandboxStatus;
}

export class ProbeWorker {
  readonly target: ProbeTarget;
  readonly #parts: ProbeWorkerParts;
  #probe: ContainerProbe;
  /** Until the first instance is seen. */
  #shown: ContainerProbeState | undefined;
  #stop = new AbortController();
  #running: Promise<void> | undefined;
  #containerID: string | undefined;
  /** Start of that instance, on the monotonic clock; undefined before it has started. */
  #startedAt: number | undefined;
  #runs: Runs = noRuns;
  #result: Finding | undefined;
  /** On the monotonic clock, when that result was recorded. */
  #recordedAt = 0;

  constructor({ target, probe, shown }: Assignment, parts: ProbeWorkerParts) {
    this.target = target;
    this.#probe = probe;
    this.#shown = shown;
    this.#parts = parts;
  }

  /** The last result; undefined before the container was seen. */
  get result(): ProbeResult | undefined {
    if (this.#result === undefined) return undefined;
    const { namespace, pod, uid, name } = this.target;
    return { namespace, pod, uid, probe: name, ...this.#result };
  }

  start(): void {
    const stop = new AbortController();
    this.#stop = stop;
    this.#running = this.#run(stop.signal).catch((error: unknown) => {
      if (!stop.signal.aborted) this.#parts.logger.error({ ...this.target, error }, 'A probe ended unexpectedly');
    });
  }

  /** Applies a changed probe; another handler starts from Unknown immediately. */
  update(probe: ContainerProbe): void {
    if (deepEqual(probe, this.#probe)) return;
    const isOther = !deepEqual(handlersOf(probe), handlersOf(this.#probe));
    this.#probe = probe;
    this.#runs = noRuns;
    if (isOther) this.#shown = undefined;
    if (isOther && this.#result !== undefined) this.#record('Unknown', '');
    this.#stop.abort();
    this.start();
  }

  /** Resolves when nothing of it runs any more. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock, random, startedAt, turns } = this.#parts;
    const period = seconds(atLeastOne(this.#probe.periodSeconds));
    // After a restart of the daemon the probes of the node do not all run at once.
    if (clock.monotonic() - startedAt < period) await clock.sleep(milliseconds(random() * period), signal);
    for (let next = clock.monotonic(); !signal.aborted;) {
      await turns.run(this.target.namespace, signal, () => this.#tick(signal));
      next = milliseconds(Math.max(next + period, clock.monotonic()));
      await clock.sleep(milliseconds(next - clock.monotonic()), signal);
    }
  }

  async #tick(signal: AbortSignal): Promise<void> {
    const { runtimes, logger } = this.#parts;
    const pod = this.#pod();
    if (pod === undefined) return;
    const possible = runtimesFor(pod, runtimes);
    if (possible.length === 0) runtimes.missed();
    try {
      for (const runtime of possible) if (await this.#observe(runtime, pod, signal)) return;
    } catch (error) {
      if (signal.aborted) return;
      if (isCriFailure(error, 'Unavailable', 'DeadlineExceeded', 'InvalidAnswer')) runtimes.missed();
      logger.warn({ ...this.target, error }, 'Failed to run a probe');
    }
  }

  #pod(): Pod | undefined {
    const { namespace, pod: name, uid } = this.target;
    const { pods } = this.#parts;
    if (pods === undefined) return podOfTarget(this.target);
    const pod = pods.get({ namespace, name });
    return pod?.metadata.uid === uid ? pod : undefined;
  }

  /** Observes the container. @returns false when the runtime does not have it */
  async #observe(runtime: CriRuntime, pod: Pod, signal: AbortSignal): Promise<boolean> {
    const running = (await observeContainers(runtime, pod, signal)).get(this.target.container);
    const sandbox = running === undefined ? undefined : await sandboxOf(runtime, pod, running.container, signal);
    if (running === undefined || sandbox === undefined) return false;
    await this.#look({ runtime, pod, running, sandbox }, signal);
    return true;
  }

  /** Switches to another instance: it starts from Unknown, unless an earlier process of the agent has reported it already. */
  #turnTo({ containerID, container }: RunningContainer): void {
    const { clock } = this.#parts;
    const found = planTakeover(this.#shown, BigInt(container.createdAt), clock.now());
    this.#shown = undefined;
    this.#containerID = containerID;
    this.#startedAt = undefined;
    this.#runs = noRuns;
    if (found === undefined) this.#record('Unknown', '');
    else [this.#result, this.#recordedAt] = [found, clock.monotonic()];
  }

  async #look(observed: Observed, signal: AbortSignal): Promise<void> {
    const { runtime, running } = observed;
    if (running.containerID !== this.#containerID) this.#turnTo(running);
    if (!running.isRunning) {
      this.#runs = noRuns;
      this.#record('Failed', `Container(${this.target.container}) is Non-running`);
      return;
    }
    // An instance starts once: checked until it has, and no more.
    this.#startedAt ??= this.#monotonicStart(
      (await containerStatus(runtime.connection, running.container.id, { signal })).status.startedAt,
    );
    if (!this.#hasStarted(this.#startedAt)) return;
    const outcome = await this.#probeOnce(observed, signal);
    if (signal.aborted) return;
    this.#runs = countRun(this.#runs, outcome);
    if (isDecided(this.#runs, this.#probe)) this.#record(outcome.state, outcome.message);
  }

  /**
   * Returns the start on the monotonic clock. The wall clock is read once for an instance, so that no later jump of it delays its probes. An instance
   * that seems to start in the future starts now.
   */
  #monotonicStart(nanos: string): number | undefined {
    const { clock } = this.#parts;
    const startedAt = startOf(nanos);
    return startedAt === undefined ? undefined : clock.monotonic() - Math.max(clock.now() - startedAt, 0);
  }

  #hasStarted(startedAt: number | undefined): boolean {
    const wait = seconds(atLeastOne(this.#probe.initialDelaySeconds));
    return startedAt !== undefined && this.#parts.clock.monotonic() - startedAt >= wait;
  }

  async #probeOnce({ runtime, pod, running, sandbox }: Observed, signal: AbortSignal): Promise<ProbeOutcome> {
    const { exec, httpGet, tcpSocket } = this.#probe;
    const timeoutSeconds = atLeastOne(this.#probe.timeoutSeconds);
    if (exec !== undefined) {
      const target = { runtime, containerId: running.container.id };
      return probeExec(target, { command: exec.command ?? [], timeoutSeconds }, signal);
    }
    const action = httpGet ?? tcpSocket;
    if (action === undefined) throw new Error('the probe has no handler that is known here');
    if ((action.host ?? '') !== '') return failed('host field in probes is not allowed');
    const port = portOf(action.port);
    const host = addressOf(this.target.ip, sandbox, pod);
    if (host === undefined) return failed('the Pod has no IP that may be probed');
    return runWithin({ clock: this.#parts.clock, limit: seconds(timeoutSeconds) }, signal, (limit) =>
      httpGet === undefined ? probeTcp(host, port, limit) : probeHttp(httpProbeOf(httpGet, host, port), limit),
    );
  }

  #record(state: ProbeResult['state'], message: string): void {
    const { clock, onResult } = this.#parts;
    const recordedAt = clock.monotonic();
    if (!isNews(this.#result, { state, message }, milliseconds(recordedAt - this.#recordedAt))) return;
    const [held, at] = [this.#result, clock.now()];
    const since = held?.state === state ? held.since : at;
    this.#result = { state, message, at, ...(since === undefined ? {} : { since }) };
    this.#recordedAt = recordedAt;
    onResult();
  }
}
