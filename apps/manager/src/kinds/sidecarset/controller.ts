/** What the controller of SidecarSets reads, and what it remembers. @see spec/sidecarset.md 5.5 */
import { sidecarSetDeclaration, sidecarSets } from '@kruise/api';
import { onEvent, settled, watchInformer, type Outcome } from '@kruise/kube';
import { controllerRevisions, namespaces, pods, type ObjectKey } from '@kruise/objects';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../module/kind-module.ts';
import { AwaitedRevisions } from '@kruise/workloads';
import { InDoubt } from '../../workloads/refusals/in-doubt.ts';
import { RefusedObjects } from '../../workloads/refusals/refused-objects.ts';
import { repeatedPass } from '../../workloads/passes/repeated-pass.ts';
import { AnnouncedOnce } from './announced-once.ts';
import { SidecarSetPass, type Parts } from './carry-out.ts';
import { podEvents } from './events.ts';
import { KnownMembers, plan, type Context } from '@kruise/kinds/sidecarset';
import { byInjected, bySidecarSetName, observe, type Stores } from './observe.ts';
import { requestsOfPod, requestsOfSidecarSet } from './pod-watch.ts';

const name = sidecarSetDeclaration.controllerName;

function define(dependencies: ControllerDependencies): ControllerWork {
  const { caches, flags, podNamespace, clock } = dependencies;
  const sources = {
    sidecarSets: caches.of(sidecarSets),
    pods: caches.of(pods, byInjected),
    namespaces: caches.of(namespaces),
    revisions: caches.part(controllerRevisions, flags.namespace === '' ? {} : { namespace: podNamespace }, bySidecarSetName),
  };
  const stores: Stores = {
    sidecarSets: sources.sidecarSets.store,
    pods: sources.pods.store,
    namespaces: sources.namespaces.store,
    revisions: sources.revisions.store,
  };
  const recorder = dependencies.recorderFor(name);
  const refusals = new RefusedObjects(clock);
  const memories = {
    refusals,
    announced: new AnnouncedOnce(recorder),
    doubts: new InDoubt(stores.pods, flags['expectation-timeout']),
    revisions: new AwaitedRevisions(),
  };
  const parts: Parts = { dependencies, stores, events: podEvents(recorder), ...memories };
  const known = new KnownMembers();
  const context: Context = { memberOf: (pod, view) => known.memberOf(pod, view) };
  const forget = (uid: string): void => {
    for (const memory of [...Object.values(memories), known]) memory.forget(uid);
  };
  const reconcile = async (key: ObjectKey, signal: AbortSignal): Promise<Outcome> => {
    const sidecarSet = stores.sidecarSets.get(key);
    if (sidecarSet === undefined || sidecarSet.metadata.deletionTimestamp !== undefined) return settled;
    refusals.begin(sidecarSet);
    const remembered = { refusals, resting: refusals.waitingObjects(sidecarSet.metadata.uid ?? '') };
    const next = plan(observe(stores, sidecarSet, podNamespace, remembered), context);
    return new SidecarSetPass(sidecarSet, next, parts, signal).carryOut();
  };
  return {
    watches: [
      onEvent(sources.sidecarSets, ({ kind, object }) => {
        if (kind === 'Deleted') forget(object.metadata.uid ?? '');
      }),
      watchInformer(sources.sidecarSets, requestsOfSidecarSet),
      watchInformer(sources.pods, (event) => requestsOfPod(event, stores.sidecarSets)),
    ],
    caches: [sources.namespaces, sources.revisions],
    reconcile: (key, signal) => repeatedPass(() => reconcile(key, signal)),
  };
}

export const sidecarSetController: ControllerModule = { name, workers: 'sidecarset-workers', define };
