/** A CloneSet with its revisions, its budget and Pods, for tests of what is drawn. */
import type { FakeApi } from '@kruise/kube/testing';
import { fakeApi, seed, typeOf } from '../testing.ts';

const app = { app: 'web' };
const main = (image: string): object => ({ name: 'main', image });

/** An API server with a CloneSet `web`. */
export interface Cluster {
  readonly api: FakeApi;
  readonly uid: string;
  readonly addPod: (name: string, state?: object, more?: { readonly revision?: string; readonly conditions?: readonly object[] }) => void;
}

/** A CloneSet in the middle of an update, with a budget. */
export function cluster(status: object = {}): Cluster {
  const api = fakeApi();
  const uid =
    seed(api, {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'CloneSet',
      metadata: { name: 'web', namespace: 'default', labels: app, generation: 2 },
      spec: {
        replicas: 3,
        selector: { matchLabels: app },
        template: { metadata: { labels: app }, spec: { containers: [main('nginx:2')] } },
      },
      status: {
        observedGeneration: 2,
        replicas: 3,
        readyReplicas: 2,
        availableReplicas: 2,
        updatedReplicas: 1,
        updateRevision: 'web-b',
        currentRevision: 'web-a',
        ...status,
      },
    }).metadata.uid ?? '';
  const ownerReferences = [{ apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web', uid, controller: true }];
  for (const [index, name] of ['web-a', 'web-b'].entries())
    seed(api, {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { name, namespace: 'default', labels: app, ownerReferences },
      revision: index + 1,
    });
  seed(api, {
    apiVersion: 'policy.kruise.io/v1beta1',
    kind: 'PodUnavailableBudget',
    metadata: { name: 'web', namespace: 'default' },
    spec: { selector: { matchLabels: app }, maxUnavailable: 1 },
    status: { currentAvailable: 2, desiredAvailable: 2, totalReplicas: 3, unavailableAllowed: 0 },
  });
  const addPod: Cluster['addPod'] = (name, state = { running: {} }, { revision = 'web-a', conditions = [] } = {}) => {
    const ready = 'running' in state;
    seed(api, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default', labels: { ...app, 'controller-revision-hash': revision }, ownerReferences },
      spec: { nodeName: 'node-1', containers: [main('nginx:2')] },
      status: {
        phase: ready ? 'Running' : 'Pending',
        conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2020-01-01T00:00:00Z' }, ...conditions],
        containerStatuses: [{ name: 'main', image: 'nginx:2', ready, restartCount: 0, state }],
      },
    });
  };
  return { api, uid, addPod };
}

/** The state of a container whose image is absent. */
export const pulling = { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "nginx:2": not found' } };

const nameOf = (name: string): { readonly namespace: string; readonly name: string } => ({ namespace: 'default', name });

/** Sets the state of the Pod's lifecycle. */
export const setLifecycle = ({ api }: Cluster, pod: string, state: string): Promise<unknown> =>
  api.patch(typeOf('Pod', ''), nameOf(pod), { metadata: { labels: { 'lifecycle.apps.kruise.io/state': state } } }, { type: 'merge' });

/** Deletes the Pod without a grace period. */
export const removePod = ({ api }: Cluster, pod: string): Promise<unknown> =>
  api.delete(typeOf('Pod', ''), nameOf(pod), { gracePeriodSeconds: 0 });

/** Reports, as the kubelet does, that the container of the Pod crashes. */
export const stopContainer = ({ api }: Cluster, pod: string): Promise<unknown> =>
  api.patch(
    typeOf('Pod', ''),
    nameOf(pod),
    {
      status: {
        conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: '2020-01-01T00:00:00Z' }],
        containerStatuses: [
          { name: 'main', image: 'nginx:2', ready: false, restartCount: 1, state: { waiting: { reason: 'CrashLoopBackOff' } } },
        ],
      },
    },
    { type: 'merge', subresource: 'status' },
  );

/** Changes members of the status of the CloneSet. */
export const setStatus = ({ api }: Cluster, status: object): Promise<unknown> =>
  api.patch(typeOf('CloneSet'), nameOf('web'), { status }, { type: 'merge', subresource: 'status' });
