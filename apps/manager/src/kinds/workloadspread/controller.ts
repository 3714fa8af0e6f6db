/** What the controller of WorkloadSpreads reads, and which rules it follows. @see spec/workloadspread.md 5 */
import {
  groups,
  unworkableSpread,
  workloadSpreadDeclaration,
  workloadSpreads,
  workloadSpreadWhiteListKey as listKey,
  type WorkloadSpread,
} from '@kruise/api';
import { isFailure, watchInformer } from '@kruise/kube';
import { formatFieldError, nodes, pods } from '@kruise/objects';
import {
  conclude,
  planPass,
  stagesOf,
  versionedKinds,
  type Action,
  type Note,
  type Observed,
  type PassPlan,
} from '@kruise/kinds/workloadspread';
import { byOwner, byTarget } from '@kruise/workloads';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import { configurationOf, KindMapper, WhiteListedKinds, WorkloadFinder } from '../../workloads/finder/index.ts';
import { planController } from '../../workloads/passes/plan-controller.ts';
import type { PlanIo, PlanSources } from '../../workloads/passes/plan-definition.ts';
import { workloadSpreadEvents, type WorkloadSpreadEvents } from './events.ts';
import { execute } from './execute.ts';
import { observe, type Sources } from './observe.ts';
import { gathering, requestsOfListed, requestsOfPod, requestsOfSpread, requestsOfWorkload } from './triggers.ts';
import { watchTargets } from './workload-watches.ts';

interface Types {
  readonly object: WorkloadSpread;
  readonly known: Sources;
  readonly snapshot: Observed;
  readonly action: Action;
  readonly plan: PassPlan;
  readonly note: Note;
}

function sourcesOf({ caches, client, clock, logger, gates, installed, podNamespace, flags }: ControllerDependencies): PlanSources<Types> {
  const spreads = caches.of(workloadSpreads, byTarget);
  const allNodes = caches.of(nodes);
  const mapper = new KindMapper(client, clock);
  const { namespace } = caches.scope;
  const listed = new WhiteListedKinds({ client, clock, logger, list: configurationOf(caches, podNamespace), listKey, namespace }, mapper);
  const none = { reading: { kind: 'Read', kinds: [] }, storeOf: () => undefined } as const;
  const finder = new WorkloadFinder({ client, caches, clock, installed, gates, listed: none, mapper, readsObjects: true });
  const versioned = versionedKinds(flags['ws-enabled-versioned-status']);
  return {
    objects: spreads,
    known: { finder, caches, nodes: allNodes.store, whiteList: () => listed.reading, versioned },
    requestsOf: requestsOfSpread,
    watches: [
      watchInformer(caches.of(pods, byOwner), (event) => requestsOfPod(event, versioned)),
      watchTargets(spreads, caches, {
        toRequests: (event, type) => requestsOfWorkload(event, type, spreads.store),
        isServed: ({ group, version, kind }) => group !== groups.apps || installed(group, version, kind),
      }),
      listed.watch((event) => requestsOfListed(event, listed.reading, spreads.store)),
    ],
    caches: [allNodes],
  };
}

const eventsOf = ({ recorder, object }: PlanIo<Types>): WorkloadSpreadEvents => workloadSpreadEvents(recorder, object);

export const workloadSpreadController = planController<Types>({
  name: workloadSpreadDeclaration.controllerName,
  workers: 'workloadspread-workers',
  gates: ['WorkloadSpread'],
  type: workloadSpreads,
  sources: sourcesOf,
  leaves: ({ metadata }) => metadata.deletionTimestamp !== undefined,
  rules: {
    examine: (spread) => {
      const fault = unworkableSpread({ ...spread });
      return fault === undefined ? undefined : formatFieldError(fault);
    },
    observe: (known, spread, { signal }) => observe(spread, known, signal),
    plan: (seen, now, { versioned }) => planPass(seen, { now, versioned }),
    conclude: ({ object, snapshot, known: { versioned }, clock }, { stages, fresh }) =>
      // Without an answer, the state of the marks is unknown.
      isFailure(fresh, 'Unreachable', 'Aborted')
        ? { isOver: true }
        : conclude(object, snapshot, stages.get('mark'), { now: clock.now(), versioned }),
  },
  malformed: { announce: (io, why) => eventsOf(io).invalid(why) },
  status: { onConflict: { requeueAfter: gathering } },
  stages: (plan) => ({ before: stagesOf(plan) }),
  execute: (action, pass, signal) => execute(action, { client: pass.client, events: eventsOf(pass) }, signal),
  announce: (pass, { notes }) => {
    for (const note of notes) eventsOf(pass).tell(note);
  },
});
