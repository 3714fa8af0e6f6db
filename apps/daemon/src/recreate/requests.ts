/**
 * Writes to ContainerRecreateRequests: each names the state that it was decided on, so that it never changes another object or an unseen newer state.
 */
import { containerRecreateRequests, type ContainerRecreateRequest, type ContainerRecreateState } from '@kruise/api';
import type { Client } from '@kruise/kube';
import { formatTime, keyOf, type Instant } from '@kruise/objects';

/** Patches the status. Fails with Conflict when the request is no longer as it was seen. */
async function patchStatus(
  client: Pick<Client, 'patch'>,
  request: ContainerRecreateRequest,
  status: object,
  signal: AbortSignal,
): Promise<void> {
  const { uid, resourceVersion } = request.metadata;
  const patch = { metadata: { uid, resourceVersion }, status };
  await client.patch(containerRecreateRequests, keyOf(request), patch, { type: 'merge', subresource: 'status', signal });
}

export class RequestWriter {
  readonly #client: Pick<Client, 'patch'>;

  constructor(client: Pick<Client, 'patch'>) {
    this.#client = client;
  }

  setPhase(request: ContainerRecreateRequest, phase: 'Pending' | 'Recreating', signal: AbortSignal): Promise<void> {
    return patchStatus(this.#client, request, { phase }, signal);
  }

  recordStates(request: ContainerRecreateRequest, states: readonly ContainerRecreateState[], signal: AbortSignal): Promise<void> {
    return patchStatus(this.#client, request, { containerRecreateStates: states }, signal);
  }

  /** Completes a request. @param message why it ended abnormally, '' when it did not */
  complete(request: ContainerRecreateRequest, message: string, now: Instant, signal: AbortSignal): Promise<void> {
    const status = { phase: 'Completed', completionTime: formatTime(now), ...(message === '' ? {} : { message }) };
    return patchStatus(this.#client, request, status, signal);
  }

  /**
   * Records the result of a stop, whatever happened to the request meanwhile: its deadline may have ended it. Fails with Invalid when another request
   * has its name.
   */
  async recordStop(request: ContainerRecreateRequest, states: readonly ContainerRecreateState[], signal: AbortSignal): Promise<void> {
    const patch = [
      { op: 'test', path: '/metadata/uid', value: request.metadata.uid },
      { op: 'add', path: '/status/containerRecreateStates', value: states },
    ];
    await this.#client.patch(containerRecreateRequests, keyOf(request), patch, { type: 'json', subresource: 'status', signal });
  }
}
