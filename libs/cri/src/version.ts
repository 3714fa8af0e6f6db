import type { CriCaller, CriCallOptions } from './cri-channel.ts';

/** Which runtime answers, in its own words. */
export interface RuntimeVersion {
  /** e.g. `containerd`, `cri-o`, `docker`: the scheme of its container ids in Pod statuses. */
  readonly runtimeName: string;
  readonly runtimeVersion: string;
  /** e.g. `v1`. */
  readonly runtimeApiVersion: string;
}

/** Which runtime answers. Within 5 s. */
export const version = (cri: CriCaller, options: CriCallOptions = {}): Promise<RuntimeVersion> =>
  cri.call('Version', { version: '0.1.0' }, { timeoutMs: 5000, ...options });
