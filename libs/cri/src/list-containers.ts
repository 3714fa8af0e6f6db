import type { CriCaller, CriCallOptions } from './cri-channel.ts';

/** A number stands for a state that is not known here. */
export type ContainerState = 'CONTAINER_CREATED' | 'CONTAINER_RUNNING' | 'CONTAINER_EXITED' | 'CONTAINER_UNKNOWN' | number;

/** Empty members select nothing away. */
export interface ContainerFilter {
  readonly id?: string;
  readonly podSandboxId?: string;
  readonly labelSelector?: Readonly<Record<string, string>>;
}

/** A container as `ListContainers` tells it; exited ones are in the list until the kubelet removes them. */
export interface CriContainer {
  /** Without scheme. */
  readonly id: string;
  readonly podSandboxId: string;
  readonly metadata: { readonly name: string; readonly attempt: number } | null;
  readonly imageRef: string;
  readonly state: ContainerState;
  /** Nanoseconds since the epoch, decimal: more than a number holds. */
  readonly createdAt: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Every instance that the runtime still knows, ended ones included, in no order. Within 5 s. */
export async function listContainers(
  cri: CriCaller,
  filter: ContainerFilter,
  options: CriCallOptions = {},
): Promise<readonly CriContainer[]> {
  const { containers } = await cri.call<{ readonly containers: readonly CriContainer[] }>(
    'ListContainers',
    { filter },
    { timeoutMs: 5000, ...options },
  );
  return containers;
}
