/** One controller with its caches on an API server in memory. The clock only moves when a test steps it. */
import { defaultGates, type Gates } from '@kruise/api';
import { CachingClient, ControllerRunner, Informers, type Logger } from '@kruise/kube';
import { FakeApi, FakeClock, Lifetime, silentLogger, type ConnectionFaults, type Death, type Timeline } from '@kruise/kube/testing';
import { applyStrategicMergePatch, milliseconds, podPatchSchema, type JsonObject, type KubeObject } from '@kruise/objects';
import type { ResourceWriting } from '@kruise/pods';
import { parseFlags } from '@kruise/process';
import { epoch } from '@kruise/testing';
import { Caches } from '../caches/caches.ts';
import { managerFlags } from '../options/flags.ts';
import type { ControllerDependencies } from './controller-dependencies.ts';
import { defineController, updateGuardOf, type ControllerModule, type KindModule } from './kind-module.ts';

const parsed = parseFlags(managerFlags, []);
if (parsed.kind !== 'Parsed') throw new Error('the default flags do not parse');
const flags = parsed.values;

export interface RecordedEvent {
  readonly about: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

export interface ProcessOptions extends ConnectionFaults {
  readonly gates?: Partial<Gates>;
  /** How the server changes cpu and memory; not at all unless said. */
  readonly resourceWriting?: ResourceWriting;
  /** Kinds that the cluster does not have. */
  readonly absent?: readonly string[];
  /** Who has a say in updates. */
  readonly guards?: readonly KindModule[];
  /** The process dies at this write. */
  readonly death?: Death | undefined;
  /** Records the actions that are begun, with their reasons, and the events. The server reports the writes. */
  readonly timeline?: Timeline;
}

/** A logger that records the actions of plans. */
function timelineLogger(timeline: Timeline | undefined): Logger {
  const logger = silentLogger();
  if (timeline === undefined) return logger;
  const info = (fields: object, message: string): void => {
    logger.info(fields, message);
    if ('action' in fields && 'because' in fields) timeline.record(`${String(fields.action)} (${String(fields.because)})`);
  };
  const recording: Logger = { ...logger, info, child: () => recording };
  return recording;
}

/** A server whose clock is the one that controllers run on; it knows how lists in Pods are merged. */
export const newFakeApi = (clock: FakeClock): FakeApi =>
  new FakeApi({
    clock,
    strategicMerge: (original, patch) => {
      const result = applyStrategicMergePatch({ ...original }, patch as JsonObject, podPatchSchema);
      return result.kind === 'Patched' ? result.value : original;
    },
  });

/** An object as a server takes it that has not seen it yet. */
export function asNew<T extends KubeObject>(object: T): T {
  const { uid: _uid, resourceVersion: _resourceVersion, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** One process on `api` that runs one controller, or several which share its caches. */
export class ControllerProcess {
  readonly clock: FakeClock;
  readonly events: RecordedEvent[] = [];
  readonly #lifetime: Lifetime;
  readonly #informers: Informers;
  readonly #stop = new AbortController();
  readonly #caches = new AbortController();
  readonly #running: readonly Promise<void>[];
  readonly #watching: Promise<void>;
  #ended: Promise<void> | undefined;

  constructor(api: FakeApi, clock: FakeClock, controllers: ControllerModule | readonly ControllerModule[], options: ProcessOptions = {}) {
    this.clock = clock;
    const logger = timelineLogger(options.timeline);
    this.#lifetime = new Lifetime(options.death);
    const connection = this.#lifetime.connect(api, 'manager', options);
    this.#informers = new Informers({ client: connection, clock, logger });
    const base: ControllerDependencies = {
      client: new CachingClient(connection, this.#informers),
      caches: new Caches(this.#informers, flags.namespace),
      recorderFor: () => ({
        event: (target, type, reason, message) => {
          const about = 'metadata' in target ? target.metadata.name : (target.name ?? '');
          if (this.dead) return;
          this.events.push({ about, type, reason, message });
          options.timeline?.record(`${type} event ${reason} on ${about}: ${message}`);
        },
      }),
      clock,
      logger,
      gates: { ...defaultGates, ...options.gates },
      flags,
      installed: (_group, _version, kind) => options.absent?.includes(kind) !== true,
      podNamespace: 'kruise-system',
      daemonConfigNamespace: 'kruise-daemon-config',
      resourceWriting: options.resourceWriting ?? 'Ignored',
    };
    const updateGuard = updateGuardOf(options.guards ?? [], base);
    const dependencies = updateGuard === undefined ? base : { ...base, updateGuard };
    const runners = [controllers]
      .flat()
      .map((controller) => defineController(controller, dependencies))
      .map((definition) => new ControllerRunner(definition, { clock, logger, cacheSyncTimeout: milliseconds(60_000) }));
    this.#running = runners.map((runner) => runner.run(this.#stop.signal));
    this.#watching = this.#informers.run(AbortSignal.any([this.#caches.signal, this.#lifetime.ended]));
  }

  get dead(): boolean {
    return this.#lifetime.dead;
  }

  /** Number of writes that the process has begun, the fatal one included. */
  get writes(): number {
    return this.#lifetime.steps;
  }

  /** Lets everything happen that is due now. */
  async settle(): Promise<void> {
    await this.clock.step(100);
  }

  /** Ends the process; repeated calls wait for the same end. */
  stop(): Promise<void> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  async #end(): Promise<void> {
    this.#stop.abort();
    await this.clock.step(this.dead ? 0 : 60_000);
    await Promise.all(this.#running);
    this.#caches.abort();
    await this.clock.settle();
    await this.#watching;
  }
}

/** Nothing in memory waits for real time. */
export const newClock = (): FakeClock => new FakeClock(epoch, 'WhenIdle');
