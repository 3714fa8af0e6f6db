/** Joins watches, observe, plan, execute and status; holds no rule of the kind. @see spec/workloadspread.md 5 */
import {
  groups,
  unworkableSpread,
  workloadSpreadDeclaration,
  workloadSpreads,
  workloadSpreadWhiteListKey as listKey,
  type WorkloadSpread,
} from '@kruise/api';
import {
  afterFailure,
  giveUp,
  isCut,
  isFailure,
  requeue,
  mostSpecificError,
  onEvent,
  retry,
  settled,
  watchInformer,
  writeStatus,
  type Outcome,
  type StoreReader,
} from '@kruise/kube';
import { deepEqual, formatFieldError, formatKey, keyOf, milliseconds, nodes, pods, type ObjectKey } from '@kruise/objects';
import { byOwner, byTarget } from '@kruise/workloads';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../module/kind-module.ts';
import { configurationOf, KindMapper, WhiteListedKinds, WorkloadFinder } from '../../workloads/finder/index.ts';
import { RefusedObjects, triedAgainWithin, type StatusWritten } from '../../workloads/refusals/refused-objects.ts';
import { inBursts, runPaced, type PacedResult } from '../../workloads/passes/run-paced.ts';
import { repeatedPass } from '../../workloads/passes/repeated-pass.ts';
import { workloadSpreadEvents, type WorkloadSpreadEvents } from './events.ts';
import { execute } from './execute.ts';
import { observe, type Sources } from './observe.ts';
import { plan, type Action, type Context, type Plan, type Snapshot, versionedKinds } from '@kruise/kinds/workloadspread';
import { gathering, requestsOfListed, requestsOfPod, requestsOfSpread, requestsOfWorkload } from './triggers.ts';
import { watchTargets } from './workload-watches.ts';

const name = workloadSpreadDeclaration.controllerName;

interface Parts extends Sources {
  readonly spreads: StoreReader<WorkloadSpread>;
  readonly refusals: RefusedObjects;
}

/** One pass over one WorkloadSpread. */
class Pass {
  readonly #parts: Parts;
  readonly #dependencies: ControllerDependencies;
  readonly #events: WorkloadSpreadEvents;
  readonly #spread: WorkloadSpread;
  readonly #signal: AbortSignal;

  constructor(spread: WorkloadSpread, parts: Parts, dependencies: ControllerDependencies, signal: AbortSignal) {
    this.#parts = parts;
    this.#dependencies = dependencies;
    this.#events = workloadSpreadEvents(dependencies.recorderFor(name), spread);
    this.#spread = spread;
    parts.refusals.begin(spread);
    this.#signal = signal;
  }

  /** What cannot be planned for waits for a change. */
  refuse(why: string): Outcome {
    this.#events.invalid(why);
    return giveUp(new Error(why));
  }

  /** One Pod that refuses a write delays neither the other Pods nor the status. */
  async carryOut(seen: Snapshot): Promise<Outcome> {
    const marked = await this.#run('mark', plan(seen, this.#contextWith(false)).marks);
    if (isFailure(marked.fresh, 'Unreachable', 'Aborted')) return afterFailure(marked.fresh, triedAgainWithin);
    const newest = this.#newest(seen);
    if (newest === undefined) return requeue(gathering);
    const next = plan(newest, this.#contextWith(marked.error !== undefined || isCut(marked)));
    const status = await this.#writeStatus(next, newest.spread);
    // Admission writes while Pods are created; the next pass counts those writes.
    if (isFailure(status.fresh, 'Conflict')) return requeue(gathering);
    const moved = status.error === undefined ? await this.#run('reschedule', next.reschedule) : undefined;
    const error = mostSpecificError([status.fresh, marked.fresh, moved?.fresh].filter((one) => one !== undefined));
    const isLeft = isCut(marked) || (moved !== undefined && isCut(moved));
    if (error === undefined && isLeft) return requeue(milliseconds(0));
    return this.#parts.refusals.outcome(this.#spread.metadata.uid ?? '', error, [next.requeueAfter]);
  }

  #contextWith(areMarksLeft: boolean): Context {
    return { now: this.#dependencies.clock.now(), versioned: this.#parts.versioned, areMarksLeft };
  }

  /**
   * The same Pods under the newest counters: what admission has promised since to Pods that are not among them stays promised. Undefined when the
   * spec has changed, by which Pods were sorted.
   */
  #newest(seen: Snapshot): Snapshot | undefined {
    const spread = this.#parts.spreads.get(keyOf(this.#spread));
    if (spread === undefined || spread.metadata.uid !== seen.spread.metadata.uid) return undefined;
    return spread.metadata.generation === seen.spread.metadata.generation ? { ...seen, spread } : undefined;
  }

  #run(name: string, actions: readonly Action[]): Promise<PacedResult<Action>> {
    const { logger, client } = this.#dependencies;
    const tools = {
      execute: (action: Action, signal: AbortSignal) => execute(action, { client, events: this.#events }, signal),
      logger,
      about: { workloadSpread: formatKey(keyOf(this.#spread)) },
    };
    // No Pod has to wait for its turn: one that is refused uses nothing of the burst up.
    const paced = { refusals: this.#parts.refusals, owner: this.#spread, subjectsOf: () => [] };
    const stages = inBursts<Action>([{ name, actions, onFailure: 'Collect', pace: name === 'mark' ? 'AtOnce' : 'InTurn' }]);
    return runPaced(stages, tools, paced, this.#signal);
  }

  async #writeStatus({ status, notes }: Plan, object: WorkloadSpread): Promise<StatusWritten> {
    if (deepEqual(object.status, status)) return {};
    const { client } = this.#dependencies;
    const write = (): Promise<unknown> => writeStatus(client, workloadSpreads, { object, status, how: 'Replace' }, this.#signal);
    const written = await this.#parts.refusals.writeStatus(object, write);
    if (written.error === undefined) for (const note of notes) this.#events.tell(note);
    return written;
  }
}

async function reconcile(key: ObjectKey, parts: Parts, dependencies: ControllerDependencies, signal: AbortSignal): Promise<Outcome> {
  const spread = parts.spreads.get(key);
  if (spread === undefined || spread.metadata.deletionTimestamp !== undefined) return settled;
  const pass = new Pass(spread, parts, dependencies, signal);
  const fault = unworkableSpread({ ...spread });
  if (fault !== undefined) return pass.refuse(formatFieldError(fault));
  const observed = await observe(spread, parts, signal);
  return observed.kind === 'Seen' ? pass.carryOut(observed.snapshot) : retry(new Error(observed.why), triedAgainWithin);
}

function define(dependencies: ControllerDependencies): ControllerWork {
  const { caches, client, clock, logger, gates, installed, podNamespace, flags } = dependencies;
  const spreads = caches.of(workloadSpreads, byTarget);
  const allNodes = caches.of(nodes);
  const mapper = new KindMapper(client, clock);
  const { namespace } = caches.scope;
  const listed = new WhiteListedKinds({ client, clock, logger, list: configurationOf(caches, podNamespace), listKey, namespace }, mapper);
  const none = { reading: { kind: 'Read', kinds: [] }, storeOf: () => undefined } as const;
  const finder = new WorkloadFinder({ client, caches, clock, installed, gates, listed: none, mapper, readsObjects: true });
  const versioned = versionedKinds(flags['ws-enabled-versioned-status']);
  const refusals = new RefusedObjects(clock);
  const parts: Parts = {
    refusals,
    spreads: spreads.store,
    finder,
    caches,
    nodes: allNodes.store,
    whiteList: () => listed.reading,
    versioned,
  };
  return {
    watches: [
      onEvent(spreads, ({ kind, object }) => {
        if (kind === 'Deleted') refusals.forget(object.metadata.uid ?? '');
      }),
      watchInformer(spreads, requestsOfSpread),
      watchInformer(caches.of(pods, byOwner), (event) => requestsOfPod(event, versioned)),
      watchTargets(spreads, caches, {
        toRequests: (event, type) => requestsOfWorkload(event, type, spreads.store),
        isServed: ({ group, version, kind }) => group !== groups.apps || installed(group, version, kind),
      }),
      listed.watch((event) => requestsOfListed(event, listed.reading, spreads.store)),
    ],
    caches: [allNodes],
    reconcile: (key, signal) => repeatedPass(() => reconcile(key, parts, dependencies, signal)),
  };
}

export const workloadSpreadController: ControllerModule = {
  name,
  workers: 'workloadspread-workers',
  gates: ['WorkloadSpread'],
  define,
};
