/** A ContainerRecreateRequest with its Pod and node on a cluster in memory. */
import { containerRecreateRequests, type ContainerRecreateRequest } from '@kruise/api';
import { isWrite } from '@kruise/kube/testing';
import { nodes, podCondition, pods, type Pod } from '@kruise/objects';
import { aRecreateRequest, type RecreateRequestShape } from '@kruise/testing';
import { aWeb } from '@kruise/kinds/containerrecreaterequest/testing';
import { asNew, type ControllerProcess, type ProcessOptions } from '../../module/controller-process.testing.ts';
import { InMemoryCluster } from '../../module/in-memory-cluster.testing.ts';
import { containerRecreateRequestController } from './controller.ts';

export const key = { namespace: 'default', name: 'crr' };
export const web = { namespace: 'default', name: 'web' };

export class RequestCluster extends InMemoryCluster {
  constructor(pod: Pod | undefined = aWeb()) {
    super(containerRecreateRequestController);
    this.api.seed(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node1' } });
    if (pod !== undefined) this.api.seed(pods, asNew(pod));
  }

  /** A request for the Pod as the server has it. */
  add(shape: RecreateRequestShape = {}): void {
    const request = aRecreateRequest(shape);
    const uid = this.api.peek(pods, web)?.metadata.uid ?? 'uid-gone';
    const labels = { ...request.metadata.labels, 'crr.apps.kruise.io/pod-uid': uid };
    this.api.seed(containerRecreateRequests, asNew({ ...request, metadata: { ...request.metadata, labels } }));
  }

  /** Starts a manager, which does what is due now. */
  async run(options: ProcessOptions = {}): Promise<ControllerProcess> {
    const manager = this.begin(options);
    await manager.settle();
    return manager;
  }

  get request(): ContainerRecreateRequest | undefined {
    return this.api.peek(containerRecreateRequests, key);
  }
  get pod(): Pod {
    const pod = this.api.peek(pods, web);
    if (pod === undefined) throw new Error('the Pod is gone');
    return pod;
  }
  get gate(): unknown {
    const { status, message } = podCondition(this.pod, 'KruisePodReady') ?? {};
    return [status, message];
  }
  get writes(): number {
    return this.api.calls.filter(isWrite).length;
  }

  /** What the node agent writes. */
  agent(status: object): void {
    const { request } = this;
    if (request === undefined) throw new Error('the request is gone');
    this.api.seed(containerRecreateRequests, {
      ...request,
      status: { ...request.status, ...status } as ContainerRecreateRequest['status'] & object,
    });
  }
  changePod(change: (pod: Pod) => Pod): void {
    this.api.seed(pods, change(this.pod));
  }
}
