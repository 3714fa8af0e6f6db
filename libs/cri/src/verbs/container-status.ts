import type { CriCaller, CriCallOptions } from '../cri-channel.ts';
import { CriError } from '../cri-error.ts';
import type { ContainerState } from './list-containers.ts';

/** Times in nanoseconds since the epoch, decimal, '0' when it has not happened yet. */
interface ContainerStatus {
  readonly id: string;
  readonly state: ContainerState;
  readonly createdAt: string;
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly exitCode: number;
  readonly imageRef: string;
  readonly reason: string;
  readonly message: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The status of one container, and with `verbose` what only the runtime knows of it. */
export interface ContainerStatusAnswer {
  readonly status: ContainerStatus;
  /** The runtime's answer to `verbose`: in its own form, usually JSON under `info`. */
  readonly info: Readonly<Record<string, string>>;
}

/** Returns the status of one container, ended or not. Within 5 s. Fails with `NotFound` when the runtime does not know it (any more). */
export async function containerStatus(
  cri: CriCaller,
  containerId: string,
  options: CriCallOptions & { readonly verbose?: boolean } = {},
): Promise<ContainerStatusAnswer> {
  const { verbose = false, ...call } = options;
  const { status, info } = await cri.call<{ status: ContainerStatus | null; info: Record<string, string> }>(
    'ContainerStatus',
    { containerId, verbose },
    { timeoutMs: 5000, ...call },
  );
  if (status === null) throw new CriError('ContainerStatus: the answer has no status', { kind: 'InvalidAnswer' });
  return { status, info };
}
