/** What the controller of ResourceDistributions reads, and which rules it follows. @see spec/resourcedistribution.md 5 */
import { resourceDistributionDeclaration, resourceDistributions, type ResourceDistribution } from '@kruise/api';
import { CachingClient, watchInformer, type Client } from '@kruise/kube';
import { namespaces } from '@kruise/objects';
import {
  conclude,
  newlyFailed,
  planPass,
  stagesOf,
  type Action,
  type PassPlan,
  type Problem,
  type Seen,
} from '@kruise/kinds/resourcedistribution';
import { planController } from '../../workloads/passes/plan-controller.ts';
import { CopyConflicts, sideOf } from './copy-conflicts.ts';
import { CopyStores } from './copy-stores.ts';
import { distributeFailed } from './events.ts';
import { CallFailed, execute } from './execute.ts';
import { observe, type Sources } from './observe.ts';
import { requestsOfCopy, requestsOfDistribution, requestsOfNamespace } from './triggers.ts';

interface Known extends Sources {
  /** Its answers go into `copies`. */
  readonly writer: Client;
}

interface Types {
  readonly object: ResourceDistribution;
  readonly known: Known;
  readonly snapshot: Seen;
  readonly action: Action;
  readonly plan: PassPlan;
  readonly note: Problem;
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
