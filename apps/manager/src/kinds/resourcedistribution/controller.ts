/** Joins watches, plan, execution and status; holds no rule of the kind. @see spec/resourcedistribution.md 5 */
import {
  resourceDistributionDeclaration,
  resourceDistributions,
  type ResourceDistribution,
  type ResourceDistributionStatus,
} from '@kruise/api';
import {
  CachingClient,
  nextLook,
  outcomeOf,
  retry,
  runPlan,
  settled,
  watchInformer,
  writeStatus,
  type Outcome,
  type PlanResult,
  type StoreReader,
} from '@kruise/kube';
import { messageOf, milliseconds, namespaces, seconds } from '@kruise/objects';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../module/kind-module.ts';
import type { Copy } from './copy.ts';
import { CopyStores } from './copy-stores.ts';
import { distributeFailed } from './events.ts';
import { Execution } from './execute.ts';
import { plan, quarrelIn, type Action, type Plan } from './plan.ts';
import { Quarrels, type Side } from './quarrels.ts';
import { computeStatus, newlyFailed, waitsForOthers, type Outcomes, type Problem } from './status.ts';
import { divide, targetsOf } from './targets.ts';
import { requestsOfCopy, requestsOfDistribution, requestsOfNamespace } from './triggers.ts';
import { readWanted, type Wanted } from './wanted.ts';

/** What no event here may tell of is looked for so often. */
const lookForOthers = seconds(60);

/** What a pass writes with, and who remembers what was written. */
interface Hands {
  readonly writer: CachingClient;
  readonly quarrels: Quarrels;
}

const sideOf = ({ metadata }: ResourceDistribution): Side => ({ name: metadata.name, generation: metadata.generation ?? 0 });

/** One pass over one ResourceDistribution. */
class Pass {
  readonly #distribution: ResourceDistribution;
  readonly #dependencies: ControllerDependencies;
  readonly #signal: AbortSignal;

  constructor(distribution: ResourceDistribution, dependencies: ControllerDependencies, signal: AbortSignal) {
    this.#distribution = distribution;
    this.#dependencies = dependencies;
    this.#signal = signal;
  }

  /** Status first: an event tells of what can be read there. */
  async report(outcomes: Outcomes): Promise<void> {
    const { client, clock, recorderFor } = this.#dependencies;
    const { status: before } = this.#distribution;
    const status: ResourceDistributionStatus = computeStatus(this.#distribution, outcomes, clock.now());
    await writeStatus(client, resourceDistributions, { object: this.#distribution, status, how: 'Replace' }, this.#signal);
    const recorder = recorderFor(resourceDistributionDeclaration.controllerName);
    for (const condition of newlyFailed(before, status)) distributeFailed(recorder, this.#distribution, condition);
  }

  /** Every target fails for the same reason. */
  async reportAll(targets: readonly string[], reason: string): Promise<void> {
    const problemOf = (namespace: string): Problem => ({ namespace, condition: 'GetResourceFailed', reason });
    await this.report({ desired: targets.length, problems: targets.map(problemOf), leftovers: [problemOf('')] });
  }

  async distribute(wanted: Wanted, planned: Plan, { writer, quarrels }: Hands): Promise<Outcome> {
    const side = sideOf(this.#distribution);
    const execution = new Execution(wanted, writer, (namespace) => quarrels.wrote(side, namespace));
    const { logger } = this.#dependencies;
    const { name } = this.#distribution.metadata;
    const result = await runPlan<Action>(
      [
        { name: 'distribute', actions: planned.distribute, onFailure: 'Collect', pace: 'AtOnce' },
        { name: 'clean', actions: planned.clean, onFailure: 'Collect', pace: 'AtOnce' },
      ],
      {
        execute: (action, signal) => execution.run(action, signal),
        logger,
        about: { resourceDistribution: name },
      },
      this.#signal,
    );
    // Nobody answers: of what was not begun nothing is known, and nothing could be told.
    if (!isWhole(result, planned)) return outcomeOf(result);
    const pauses = quarrels.pauses(side);
    const written = planned.distribute.map(({ namespace }) => namespace).filter((namespace) => pauses.has(namespace));
    const outcomes = {
      desired: planned.desired,
      problems: [...planned.problems, ...execution.problems, ...written.map(quarrelIn)],
      leftovers: execution.leftovers,
    };
    await this.report(outcomes);
    const looks = [...pauses.values(), ...(waitsForOthers(outcomes) ? [lookForOthers] : [])];
    return outcomeOf(result, nextLook(looks.length === 0 ? undefined : milliseconds(Math.min(...looks))));
  }
}

/** Whether every action was begun. */
function isWhole({ stages }: PlanResult<Action>, { distribute, clean }: Plan): boolean {
  const begun = [...stages.values()].reduce((sum, { done, failures }) => sum + done + failures.length, 0);
  return begun === distribute.length + clean.length;
}

const byNamespace = (store: StoreReader<Copy>): ReadonlyMap<string, Copy> =>
  new Map(store.list().map((copy) => [copy.metadata.namespace ?? '', copy]));

function define(dependencies: ControllerDependencies): ControllerWork {
  const { caches, client, clock, logger } = dependencies;
  const distributions = caches.of(resourceDistributions);
  const allNamespaces = caches.of(namespaces);
  const { scope } = caches;
  const copies = new CopyStores({ client, clock, logger, distributions, scope });
  const hands: Hands = { writer: new CachingClient(client, copies), quarrels: new Quarrels(clock) };

  const planFor = (wanted: Wanted, store: StoreReader<Copy>): Plan =>
    plan({
      wanted,
      namespaces: allNamespaces.store.list(),
      scope: scope.namespace,
      copies: byNamespace(store),
      pauses: hands.quarrels.pauses(sideOf(wanted.distribution)),
    });
  const targetsNow = (distribution: ResourceDistribution): readonly string[] =>
    divide(targetsOf(distribution), allNamespaces.store.list(), scope.namespace).matched;

  /** The watch wakes everybody as soon as it is there; for ever it never is where rights are missing. */
  const awaitCopies = async (wanted: Wanted, pass: Pass, signal: AbortSignal): Promise<Outcome> => {
    const copyName = { of: wanted.of, name: wanted.resource.metadata.name };
    const left = copies.patienceLeft(copyName);
    if (left > 0) return nextLook(milliseconds(left));
    try {
      await copies.probe(copyName, signal);
      return nextLook(seconds(1));
    } catch (error) {
      await pass.reportAll(targetsNow(wanted.distribution), messageOf(error));
      return retry(error);
    }
  };

  const reconcile: ControllerWork['reconcile'] = async (key, signal) => {
    const distribution = distributions.store.get(key);
    // The garbage collector deletes the copies of one that goes.
    if (distribution === undefined || distribution.metadata.deletionTimestamp !== undefined) {
      hands.quarrels.forget(key.name);
      return settled;
    }
    const pass = new Pass(distribution, dependencies, signal);
    const reading = readWanted(distribution);
    if (reading.kind === 'Faulty') {
      logger.warn({ resourceDistribution: key.name, why: reading.why }, 'A ResourceDistribution cannot be carried out');
      await pass.reportAll(targetsNow(distribution), reading.why);
      return settled;
    }
    const { wanted } = reading;
    const store = copies.of({ of: wanted.of, name: wanted.resource.metadata.name });
    return store === undefined ? awaitCopies(wanted, pass, signal) : pass.distribute(wanted, planFor(wanted, store), hands);
  };

  return {
    watches: [
      watchInformer(distributions, requestsOfDistribution),
      watchInformer(allNamespaces, (event) => requestsOfNamespace(event, distributions.store)),
      copies.watch((event, copyName) => requestsOfCopy(event, copyName, distributions.store)),
    ],
    reconcile,
  };
}

export const resourceDistributionController: ControllerModule = {
  name: resourceDistributionDeclaration.controllerName,
  workers: 'resourcedistribution-workers',
  gates: ['ResourceDistributionGate'],
  define,
};
