import type { CriCaller, CriCallOptions } from '../cri-channel.ts';
import { CriError } from '../cri-error.ts';

/** The sandbox of one Pod, whose containers share its network. */
export interface PodSandboxStatus {
  readonly id: string;
  readonly metadata: { readonly name: string; readonly uid: string; readonly namespace: string; readonly attempt: number } | null;
  readonly state: 'SANDBOX_READY' | 'SANDBOX_NOTREADY' | number;
  /** Null in the host's network. */
  readonly network: { readonly ip: string; readonly additionalIps: readonly { readonly ip: string }[] } | null;
}

/** Returns the sandbox that the containers of a Pod share. Within 5 s. */
export async function podSandboxStatus(cri: CriCaller, podSandboxId: string, options: CriCallOptions = {}): Promise<PodSandboxStatus> {
  const { status } = await cri.call<{ status: PodSandboxStatus | null }>(
    'PodSandboxStatus',
    { podSandboxId },
    { timeoutMs: 5000, ...options },
  );
  if (status === null) throw new CriError('PodSandboxStatus: the answer has no status', { kind: 'InvalidAnswer' });
  return status;
}
