/** One NodeImage for each node, and what leaves it by itself. Joins watches, observe, plan and execute. @see spec/image-pulling.md 5.2, 5.3 */
import { imagePullJobs, nodeImageDeclaration, nodeImages, type ImagePullJob, type NodeImage } from '@kruise/api';
import {
  enqueueSelf,
  isFailure,
  nextLook,
  outcomeOf,
  runPlan,
  settled,
  watchInformer,
  type Request,
  type StoreEvent,
  type StoreReader,
} from '@kruise/kube';
import { deepEqual, keyOf, nodes, secrets, type Node, type ObjectKey } from '@kruise/objects';
import { isActive } from '../../images/active-job.ts';
import { byTaskOwner } from '../../images/node-image-tags.ts';
import { OwnerLookup } from '../../images/owner-lookup.ts';
import { knownPullSecrets } from '../../images/pull-secrets.ts';
import { SecretLookup, type WatchedSecrets } from '../../images/secret-lookup.ts';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../module/kind-module.ts';
import { execute } from './execute.ts';
import { isVirtual, plan, untilCreation, type Action } from './plan.ts';
import type { Context, Snapshot } from './snapshot.ts';

interface Stores {
  readonly nodes: StoreReader<Node>;
  readonly nodeImages: StoreReader<NodeImage>;
  readonly jobs: StoreReader<ImagePullJob>;
}

const context = ({ clock, flags }: ControllerDependencies): Context => ({
  now: clock.now(),
  creationDelay: flags['nodeimage-creation-delay'],
});

/** A Node wakes its NodeImage when that is missing and the Node is ready, when its labels differ, and when it goes. */
function wakeOfNode(event: StoreEvent<Node>, { nodeImages: held }: Stores, context: Context): readonly Request[] {
  const node = event.object;
  const key: ObjectKey = { namespace: '', name: node.metadata.name };
  const nodeImage = held.get(key);
  if (event.kind === 'Deleted' || node.metadata.deletionTimestamp !== undefined) return [key];
  if (isVirtual(node)) return [];
  if (nodeImage !== undefined) return deepEqual(nodeImage.metadata.labels ?? {}, node.metadata.labels ?? {}) ? [] : [key];
  const wait = untilCreation(node, context);
  if (wait === undefined) return [];
  return wait > 0 ? [{ key, after: wait }] : [key];
}

/** The NodeImages that have a task of a job that is gone, or that has ended: its tasks expire from then on. */
function wakeOfJob(event: StoreEvent<ImagePullJob>, { nodeImages: held }: Stores, owners: OwnerLookup): readonly Request[] {
  const { uid = '' } = event.object.metadata;
  if (event.kind === 'Deleted') owners.forget(uid);
  else if (event.kind === 'Added' || !isActive(event.previous) || isActive(event.object)) return [];
  return held.byIndex(byTaskOwner, uid).map(keyOf);
}

/** The watches of ImagePullJobs. Not waited for: without rights on Secrets they show none. */
function watchedSecretsOf({ caches, gates, daemonConfigNamespace: namespace }: ControllerDependencies): WatchedSecrets | undefined {
  if (!gates.ImagePullJobGate) return undefined;
  const copies = { namespace, store: caches.part(secrets, { namespace }).store };
  return { copies, pullSecrets: knownPullSecrets(caches).map(({ store }) => store) };
}

function define(dependencies: ControllerDependencies): ControllerWork {
  const { client, caches, flags, recorderFor } = dependencies;
  const sources = {
    nodes: caches.of(nodes),
    nodeImages: caches.of(nodeImages, byTaskOwner),
    jobs: caches.of(imagePullJobs),
  };
  const stores: Stores = { nodes: sources.nodes.store, nodeImages: sources.nodeImages.store, jobs: sources.jobs.store };
  const owners = new OwnerLookup(client, stores.jobs, flags.namespace);
  const namedSecrets = new SecretLookup(dependencies, watchedSecretsOf(dependencies));
  const recorder = recorderFor(nodeImageDeclaration.controllerName);

  const observe = async (key: ObjectKey, signal: AbortSignal): Promise<Snapshot> => {
    const nodeImage = stores.nodeImages.get(key);
    return {
      name: key.name,
      node: stores.nodes.get(key),
      nodeImage,
      goneOwners: nodeImage === undefined ? new Set() : await owners.goneOwners(nodeImage, signal),
      runningOwners: nodeImage === undefined ? new Set() : owners.runningOwners(nodeImage),
      goneSecrets: nodeImage === undefined ? new Set() : await namedSecrets.goneSecrets(nodeImage, signal),
    };
  };

  return {
    watches: [
      watchInformer(sources.nodeImages, enqueueSelf),
      watchInformer(sources.nodes, (event) => wakeOfNode(event, stores, context(dependencies))),
      watchInformer(sources.jobs, (event) => wakeOfJob(event, stores, owners)),
    ],
    reconcile: async (key, signal) => {
      const next = plan(await observe(key, signal), context(dependencies));
      const tools = {
        execute: (action: Action, during: AbortSignal) => execute(action, { client, recorder }, during),
        logger: dependencies.logger,
        about: { nodeImage: key.name },
      };
      const actions = next.action === undefined ? [] : [next.action];
      const result = await runPlan([{ name: 'node', actions, onFailure: 'Stop' }], tools, signal);
      // A Node or NodeImage that is gone needs nothing.
      return isFailure(result.error, 'NotFound') ? settled : outcomeOf(result, nextLook(next.lookAgainAfter));
    },
  };
}

export const nodeImageController: ControllerModule = {
  name: nodeImageDeclaration.controllerName,
  workers: 'nodeimage-workers',
  gates: ['KruiseDaemon'],
  define,
};
