/** The CloneSet controller over a faithful fake API server, one pass at a time. */
import { cloneSets, defaultGates, type CloneSet, type CloneSetStatus, type Gates } from '@kruise/api';
import { ApiError, CachingClient, Informers, type ControllerDefinition, type Outcome } from '@kruise/kube';
import { FakeClock, silentLogger, type FakeCall, type FakeFaults } from '@kruise/kube/testing';
import { nodes } from '@kruise/objects';
import { parseFlags } from '@kruise/process';
import { managerFlags } from '../../options/flags.ts';
import type { UpdateGuard } from '@kruise/workloads';
import { cloneSetController } from './controller.ts';
import { aCloneSet, type CloneSetShape } from '@kruise/kinds/cloneset/testing';
import { Caches } from '../../caches/caches.ts';
import { newFakeApi } from '../../module/controller-process.testing.ts';
import { defineController } from '../../module/kind-module.ts';

const key = { namespace: 'default', name: 'sample' };
const parsed = parseFlags(managerFlags, []);
if (parsed.kind !== 'Parsed') throw new Error('the default flags do not parse');
const flags = parsed.values;

/** What a call is answered instead; undefined lets it pass. */
export type Refuse = (call: FakeCall) => Error | undefined;

export const forbidden = (message: string): ApiError => new ApiError(message, { kind: 'Forbidden' }, { code: 403, reason: 'Forbidden' });
export const onCreate =
  (plural: string, error: Error): Refuse =>
  ({ verb, type }) =>
    verb === 'create' && type?.plural === plural ? error : undefined;

export interface PassOptions {
  readonly gates?: Partial<Gates>;
  readonly updateGuard?: UpdateGuard;
}

/** A controller whose calls are refused as `refuse` says, which a test may change. */
export class CloneSetPasses {
  readonly clock = new FakeClock();
  readonly api = newFakeApi(this.clock);
  /** Events so far, as `Type Reason message`. */
  readonly events: string[] = [];
  refuse: Refuse = () => undefined;
  /** Those of the controller's connection; `refuse` is one of them. */
  readonly faults: FakeFaults = {
    before: (call) => {
      const error = this.refuse(call);
      if (error !== undefined) throw error;
    },
  };
  readonly #definition: ControllerDefinition;
  readonly #end = new AbortController();
  readonly #informers: Informers;
  readonly #running: Promise<void>;

  constructor(shape: CloneSetShape, { gates = {}, updateGuard }: PassOptions = {}) {
    this.api.seed(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node1' } });
    const { metadata, ...rest } = aCloneSet(shape);
    this.api.seed(cloneSets, { ...rest, metadata: { name: metadata.name, namespace: 'default' } });
    const connection = this.api.connect('manager', this.faults);
    const { clock } = this;
    this.#informers = new Informers({ client: connection, clock, logger: silentLogger() });
    this.#definition = defineController(cloneSetController, {
      client: new CachingClient(connection, this.#informers),
      caches: new Caches(this.#informers, ''),
      recorderFor: () => ({ event: (_about, type, reason, message) => void this.events.push(`${type} ${reason} ${message}`) }),
      clock,
      logger: silentLogger(),
      gates: { ...defaultGates, ...gates },
      flags,
      installed: () => true,
      podNamespace: 'kruise-system',
      daemonConfigNamespace: 'kruise-daemon-config',
      resourceWriting: 'Ignored',
      ...(updateGuard === undefined ? {} : { updateGuard }),
    });
    this.#running = this.#informers.run(this.#end.signal);
  }

  get cloneSet(): CloneSet {
    return this.api.peek(cloneSets, key) as CloneSet;
  }

  get conditions(): readonly string[] {
    const all: NonNullable<CloneSetStatus['conditions']> = this.cloneSet.status?.conditions ?? [];
    return all.map(({ type, reason = '', message = '' }) => `${type} ${reason}: ${message}`);
  }

  /** One pass, a second after the one before: the watch has brought what was written, and counters have been gathered. */
  async pass(): Promise<Outcome> {
    await this.#informers.waitForSync(this.#end.signal);
    await this.clock.step(1000);
    return this.#definition.reconcile(key, this.#end.signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await this.#running;
  }
}
