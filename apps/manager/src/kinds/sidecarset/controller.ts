/** What the controller of SidecarSets reads, and which rules it follows. @see spec/sidecarset.md 5.5 */
import { sidecarSetDeclaration, sidecarSets } from '@kruise/api';
import { watchInformer } from '@kruise/kube';
import { KnownMembers, planPass, stagesOf, subjectsOf } from '@kruise/kinds/sidecarset';
import { controllerRevisions, namespaces, pods } from '@kruise/objects';
import { AwaitedRevisions } from '@kruise/workloads';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import { updateGuardOf } from '../../workloads/admit-updates.ts';
import { planController } from '../../workloads/passes/plan-controller.ts';
import type { PlanSources } from '../../workloads/passes/plan-definition.ts';
import { InDoubt } from '../../workloads/refusals/in-doubt.ts';
import { AnnouncedOnce } from './announced-once.ts';
import { announceOpening, announceResults, conclude, runsUnopened, type Types } from './carry-out.ts';
import { podEvents } from './events.ts';
import { execute } from './execute.ts';
import { byInjected, bySidecarSetName } from './observe.ts';
import { observePass } from './observe-pass.ts';
import { requestsOfPod, requestsOfSidecarSet } from './pod-watch.ts';

const name = sidecarSetDeclaration.controllerName;

function sourcesOf(dependencies: ControllerDependencies): PlanSources<Types> {
  const { caches, flags, podNamespace, recorderFor } = dependencies;
  const objects = caches.of(sidecarSets);
  const allPods = caches.of(pods, byInjected);
  const allNamespaces = caches.of(namespaces);
  const history = caches.part(controllerRevisions, flags.namespace === '' ? {} : { namespace: podNamespace }, bySidecarSetName);
  const announced = new AnnouncedOnce(recorderFor(name));
  const doubts = new InDoubt(allPods.store, flags['expectation-timeout']);
  const revisions = new AwaitedRevisions();
  const members = new KnownMembers();
  return {
    objects,
    known: {
      stores: { pods: allPods.store, namespaces: allNamespaces.store, revisions: history.store },
      revisionNamespace: podNamespace,
      context: { memberOf: (pod, view) => members.memberOf(pod, view) },
      guarded: updateGuardOf(dependencies),
      announced,
      doubts,
      revisions,
    },
    requestsOf: requestsOfSidecarSet,
    watches: [watchInformer(allPods, (event) => requestsOfPod(event, objects.store))],
    caches: [allNamespaces, history],
    memories: [announced, doubts, revisions, members],
  };
}

export const sidecarSetController = planController<Types>({
  name,
  workers: 'sidecarset-workers',
  type: sidecarSets,
  sources: sourcesOf,
  leaves: ({ metadata }) => metadata.deletionTimestamp !== undefined,
  rules: { observe: observePass, plan: (seen, _now, { context }) => planPass(seen, context), conclude },
  status: 'Newest',
  stages: (plan, _object, { guarded }) => ({ before: stagesOf(plan, guarded) }),
  runsUnopened,
  subjectsOf,
  execute: (action, { client, clock, recorder, plan: { view, latest }, note }, signal) => {
    const update = { view, latestRevision: latest.metadata.name };
    return execute(action, { client, clock, events: podEvents(recorder), update, onCollisionCount: note }, signal);
  },
  announceOpening,
  announce: announceResults,
});
