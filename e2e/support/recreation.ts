/** Pods with two containers, and the requests that restart them, as a user of the API sees them. */
import { containerRecreateRequests, type ContainerRecreateRequest } from '@kruise/api';
import { type Client, isFailure } from '@kruise/kube';
import { containerStatusOf, type ContainerStatus, isPodReady, type Pod, pods } from '@kruise/objects';
import type { CloneSetFixture } from '../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { images } from './fixture.ts';

export interface PodShape {
  readonly name: string;
  /** Of the container `app`. */
  readonly lifecycle?: object;
  /** Further members of the container `app`. */
  readonly app?: object;
  readonly spec?: object;
}

/** Containers `app` and `sidecar`, a volume that both see, and the readiness gate. */
const podOf = (namespace: string, { name, lifecycle, app = {}, spec = {} }: PodShape): Pod =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace },
    spec: {
      readinessGates: [{ conditionType: 'KruisePodReady' }],
      volumes: [{ name: 'data', emptyDir: {} }],
      containers: [
        { name: 'app', image: images.first, volumeMounts: [{ name: 'data', mountPath: '/data' }], lifecycle, ...app },
        { name: 'sidecar', image: images.second, env: [{ name: 'PORT', value: '81' }] },
      ],
      ...spec,
    },
  }) as unknown as Pod;

export const statusOf = (pod: Pod, container: string): ContainerStatus => {
  const status = containerStatusOf(pod, container);
  if (status === undefined) throw new Error(`Pod ${pod.metadata.name} has no status of ${container}`);
  return status;
};
export const restartsOf = (pod: Pod): Readonly<Record<string, number>> =>
  Object.fromEntries((pod.status?.containerStatuses ?? []).map(({ name, restartCount }) => [name, restartCount]));
/** In milliseconds since the epoch, of whole seconds. */
export const endedAt = (pod: Pod, container: string): number =>
  Date.parse(statusOf(pod, container).lastState?.terminated?.finishedAt ?? 'never');
export const startedAt = (pod: Pod, container: string): number => Date.parse(statusOf(pod, container).state?.running?.startedAt ?? 'never');

export class RecreationFixture {
  readonly client: Client;
  readonly namespace: string;
  readonly #fixture: CloneSetFixture;

  constructor(fixture: CloneSetFixture) {
    this.client = fixture.client;
    this.namespace = fixture.namespace;
    this.#fixture = fixture;
  }

  /** @returns the Pod once it is ready */
  async createPod(shape: PodShape): Promise<Pod> {
    await this.client.create(pods, podOf(this.namespace, shape));
    return this.untilPod(shape.name, isPodReady, 'is ready');
  }

  pod(name: string): Promise<Pod> {
    return this.client.get(pods, { namespace: this.namespace, name });
  }

  async untilPod(name: string, holds: (pod: Pod) => boolean, what: string): Promise<Pod> {
    let seen: Pod | undefined;
    await this.#fixture.eventually(async () => {
      seen = await this.pod(name);
      return holds(seen);
    }, `Pod ${name} ${what}`);
    return seen as Pod;
  }

  /** The kubelet may report the restarts only after the agent has completed the request. @param restarts by container; more are accepted */
  untilRestarted(name: string, restarts: Readonly<Record<string, number>>): Promise<Pod> {
    const isRestarted = (pod: Pod): boolean =>
      Object.entries(restarts).every(([container, count]) => {
        const { restartCount, state } = statusOf(pod, container);
        return restartCount >= count && state?.running !== undefined;
      });
    return this.untilPod(name, isRestarted, `has restarted ${Object.keys(restarts).join(' and ')}`);
  }

  /** @param spec without the name of the Pod; `app` is restarted unless it names containers */
  request(name: string, podName: string, spec: Readonly<Record<string, unknown>> = {}): Promise<ContainerRecreateRequest> {
    const object = {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'ContainerRecreateRequest',
      metadata: { name, namespace: this.namespace },
      spec: { podName, containers: [{ name: 'app' }], ...spec },
    };
    return this.client.create(containerRecreateRequests, object);
  }

  get(name: string): Promise<ContainerRecreateRequest> {
    return this.client.get(containerRecreateRequests, { namespace: this.namespace, name });
  }

  async until(name: string, holds: (request: ContainerRecreateRequest) => boolean, what: string): Promise<ContainerRecreateRequest> {
    let seen: ContainerRecreateRequest | undefined;
    await this.#fixture
      .eventually(async () => {
        seen = await this.get(name);
        return holds(seen);
      }, `request ${name} ${what}`)
      .catch((error: unknown) => {
        throw new Error(`${String(error)}: ${JSON.stringify(seen?.status)}`);
      });
    return seen as ContainerRecreateRequest;
  }

  untilCompleted(name: string): Promise<ContainerRecreateRequest> {
    return this.until(name, ({ status }) => status?.phase === 'Completed', 'is completed');
  }

  async untilDeleted(name: string): Promise<void> {
    await this.#fixture.eventually(
      async () =>
        this.get(name).then(
          () => false,
          (error: unknown) => isFailure(error, 'NotFound'),
        ),
      `request ${name} is gone`,
    );
  }
}
