/** What the controller of ResourceDistributions reads, and which rules it follows. @see spec/resourcedistribution.md 5 */
import { resourceDistributionDeclaration, resourceDistributions, type ResourceDistribution } from '@kruise/api';
import { asError, CachingClient, watchInformer, type Client, type StoreReader } from '@kruise/kube';
import { milliseconds, namespaces, seconds, type KubeObject } from '@kruise/objects';
import { planController } from '../../workloads/passes/plan-controller.ts';
import type { PassView } from '../../workloads/passes/plan-definition.ts';
import { CopyStores } from './copy-stores.ts';
import {
  type Copy,
  conclude,
  planPass,
  stagesOf,
  type PassPlan,
  type Seen,
  type Action,
  newlyFailed,
  type Problem,
  divide,
  targetsOf,
  readWanted,
} from '@kruise/kinds/resourcedistribution';
import { distributeFailed } from './events.ts';
import { CallFailed, execute } from './execute.ts';
import { CopyConflicts, sideOf } from './copy-conflicts.ts';
import { requestsOfCopy, requestsOfDistribution, requestsOfNamespace } from './triggers.ts';

interface Known {
  readonly namespaces: StoreReader<KubeObject>;
  readonly copies: CopyStores;
  readonly conflicts: CopyConflicts;
  /** Its answers go into `copies`. */
  readonly writer: Client;
  /** The only namespace that the manager works in; undefined for all. */
  readonly scope: string | undefined;
}

interface Types {
  readonly object: ResourceDistribution;
  readonly known: Known;
  readonly snapshot: Seen;
  readonly action: Action;
  readonly plan: PassPlan;
  readonly note: Problem;
}

const byNamespace = (store: StoreReader<Copy>): ReadonlyMap<string, Copy> =>
  new Map(store.list().map((copy) => [copy.metadata.namespace ?? '', copy]));

/** The watch of the copies enqueues the distribution once they are listed; where rights are missing they never are. */
async function observe(known: Known, distribution: ResourceDistribution, { signal }: PassView): Promise<Seen> {
  const { copies, conflicts, scope } = known;
  const targets = (): readonly string[] => divide(targetsOf(distribution), known.namespaces.list(), scope).matched;
  const reading = readWanted(distribution);
  if (reading.kind === 'Faulty') return { kind: 'Faulty', distribution, why: reading.why, targets: targets() };
  const { wanted } = reading;
  const copyName = { of: wanted.of, name: wanted.resource.metadata.name };
  const store = copies.of(copyName);
  if (store !== undefined) {
    const pauses = conflicts.pauses(sideOf(distribution));
    const snapshot = { wanted, namespaces: known.namespaces.list(), scope, copies: byNamespace(store), pauses };
    return { kind: 'Readable', distribution, snapshot };
  }
  const left = copies.patienceLeft(copyName);
  if (left > 0) return { kind: 'Listing', distribution, left: milliseconds(left) };
  try {
    await copies.probe(copyName, signal);
    return { kind: 'Listing', distribution, left: seconds(1) };
  } catch (error) {
    return { kind: 'Unlisted', distribution, error: asError(error), targets: targets() };
  }
}

export const resourceDistributionController = planController<Types>({
  name: resourceDistributionDeclaration.controllerName,
  workers: 'resourcedistribution-workers',
  gates: ['ResourceDistributionGate'],
  type: resourceDistributions,
  sources: ({ caches, client, clock, logger }) => {
    const distributions = caches.of(resourceDistributions);
    const allNamespaces = caches.of(namespaces);
    const { scope } = caches;
    const copies = new CopyStores({ client, clock, logger, distributions, scope });
    const conflicts = new CopyConflicts(clock);
    return {
      objects: distributions,
      known: { namespaces: allNamespaces.store, copies, conflicts, writer: new CachingClient(client, copies), scope: scope.namespace },
      requestsOf: requestsOfDistribution,
      watches: [
        watchInformer(allNamespaces, (event) => requestsOfNamespace(event, distributions.store)),
        copies.watch((event, copyName) => requestsOfCopy(event, copyName, distributions.store)),
      ],
      memories: [conflicts],
    };
  },
  // The garbage collector deletes the copies.
  leaves: ({ metadata }) => metadata.deletionTimestamp !== undefined,
  rules: {
    observe,
    plan: planPass,
    conclude: ({ object, plan, snapshot, known: { conflicts }, now }, { stages, notes }) => {
      if (snapshot.kind !== 'Readable') return plan;
      const conditionOf = (error: Error) => (error instanceof CallFailed ? error.condition : undefined);
      return conclude(object, plan, { stages, notes, pauses: conflicts.pauses(sideOf(object)), conditionOf }, now);
    },
  },
  status: 'Replace',
  stages: (plan) => ({ before: stagesOf(plan) }),
  objectOf: ({ namespace }) => namespace,
  execute: async (action, { snapshot, object, known: { writer: client, conflicts }, note }, signal) => {
    if (snapshot.kind !== 'Readable') return;
    const wrote = (namespace: string): void => conflicts.wrote(sideOf(object), namespace);
    await execute(action, { wanted: snapshot.snapshot.wanted, client, note, wrote }, signal);
  },
  announcePlan: ({ snapshot, object, logger }) => {
    if (snapshot.kind === 'Faulty')
      logger.warn({ resourceDistribution: object.metadata.name, why: snapshot.why }, 'Failed to carry out a ResourceDistribution');
  },
  announce: ({ object, recorder }, { status, isShown }) => {
    if (status === undefined || !isShown) return;
    for (const condition of newlyFailed(object.status, status)) distributeFailed(recorder, object, condition);
  },
});
