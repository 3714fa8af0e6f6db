/** What the controller of NodeImages reads, and which rules it follows: one NodeImage a Node. @see spec/image-pulling.md 5.2, 5.3 */
import { knownPullSecrets } from '../../images/known-pull-secrets.ts';
import { imagePullJobs, nodeImageDeclaration, nodeImages, type NodeImage } from '@kruise/api';
import { watchInformer, type StoreReader } from '@kruise/kube';
import { nodes, secrets, type KubeObject, type Milliseconds, type Node } from '@kruise/objects';
import { byTaskOwner } from '@kruise/kinds/images';
import { OwnerLookup } from '../../images/owner-lookup.ts';
import { SecretLookup, type WatchedSecrets } from '../../images/secret-lookup.ts';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import { planController } from '../../workloads/passes/plan-controller.ts';
import type { PassView } from '../../workloads/passes/plan-definition.ts';
import { execute } from './execute.ts';
import { plan, type Action, type Plan, type Snapshot } from '@kruise/kinds/nodeimage';
import { requestsOfJob, requestsOfNode } from './triggers.ts';

interface Known {
  readonly nodes: StoreReader<Node>;
  readonly nodeImages: StoreReader<NodeImage>;
  readonly owners: OwnerLookup;
  readonly namedSecrets: SecretLookup;
  readonly creationDelay: Milliseconds;
}

interface Types {
  /** The NodeImage, or the Node that has none. */
  readonly object: KubeObject;
  readonly known: Known;
  readonly snapshot: Snapshot;
  readonly action: Action;
  readonly plan: Plan;
}

/** The watches of ImagePullJobs. Not waited for: without rights on Secrets they show none. */
function watchedSecretsOf({ caches, gates, daemonConfigNamespace: namespace }: ControllerDependencies): WatchedSecrets | undefined {
  if (!gates.ImagePullJobGate) return undefined;
  const copies = { namespace, store: caches.part(secrets, { namespace }).store };
  return { copies, pullSecrets: knownPullSecrets(caches).map(({ store }) => store) };
}

async function observe({ owners, namedSecrets, ...stores }: Known, _object: KubeObject, { key, signal }: PassView): Promise<Snapshot> {
  const nodeImage = stores.nodeImages.get(key);
  return {
    name: key.name,
    node: stores.nodes.get(key),
    nodeImage,
    deletedOwners: nodeImage === undefined ? new Set() : await owners.deletedOwners(nodeImage, signal),
    runningOwners: nodeImage === undefined ? new Set() : owners.runningOwners(nodeImage),
    deletedSecrets: nodeImage === undefined ? new Set() : await namedSecrets.deletedSecrets(nodeImage, signal),
  };
}

export const nodeImageController = planController<Types>({
  name: nodeImageDeclaration.controllerName,
  workers: 'nodeimage-workers',
  gates: ['KruiseDaemon'],
  type: nodeImages,
  sources: (dependencies) => {
    const { caches, client, clock, flags } = dependencies;
    const sources = { nodes: caches.of(nodes), nodeImages: caches.of(nodeImages, byTaskOwner), jobs: caches.of(imagePullJobs) };
    const held = sources.nodeImages.store;
    const owners = new OwnerLookup(client, sources.jobs.store, flags.namespace);
    const creationDelay = flags['nodeimage-creation-delay'];
    const namedSecrets = new SecretLookup(dependencies, watchedSecretsOf(dependencies));
    return {
      objects: sources.nodeImages,
      known: { nodes: sources.nodes.store, nodeImages: held, owners, namedSecrets, creationDelay },
      find: (key) => held.get(key) ?? sources.nodes.store.get(key),
      alsoFound: [sources.nodes],
      watches: [
        watchInformer(sources.nodes, (event) => requestsOfNode(event, held, { now: clock.now(), creationDelay })),
        watchInformer(sources.jobs, (event) => requestsOfJob(event, held, owners)),
      ],
    };
  },
  rules: { observe, plan: (seen, now, { creationDelay }) => plan(seen, { now, creationDelay }) },
  stages: ({ action }) => ({ before: [{ name: 'node', actions: action === undefined ? [] : [action], onFailure: 'Stop' }] }),
  execute,
});
