import type { CriCaller, CriCallOptions } from '../cri-channel.ts';

/** The state of a container; a number for an unknown one. */
export type ContainerState = 'CONTAINER_CREATED' | 'CONTAINER_RUNNING' | 'CONTAINER_EXITED' | 'CONTAINER_UNKNOWN' | number;

/** Selects containers. Empty members select all. */
export interface ContainerFilter {
  readonly id?: string;
  readonly podSandboxId?: string;
  readonly labelSelector?: Readonly<Record<string, string>>;
}

/** A container as `ListContainers` returns it. Exited ones are in the list until the kubelet removes them. */
export interface CriContainer {
  /** Without scheme. */
  readonly id: string;
  readonly podSandboxId: string;
  readonly metadata: { readonly name: string; readonly attempt: number } | null;
  readonly imageRef: string;
  readonly state: ContainerState;
  /** Nanoseconds since the epoch, decimal: more than a number can represent. */
  readonly createdAt: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Returns every container that the runtime still knows, ended ones included, in no order. Within 5 s. */
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
