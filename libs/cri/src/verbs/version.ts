import type { CriCaller, CriCallOptions } from '../cri-channel.ts';

/** The name and version of a runtime, in its own words. */
export interface RuntimeVersion {
  /** For example `containerd`, `cri-o`, `docker`: the scheme of its container ids in Pod statuses. */
  readonly runtimeName: string;
  readonly runtimeVersion: string;
  /** For example `v1`. */
  readonly runtimeApiVersion: string;
}

/** Returns the name and version of the runtime. Within 5 s. */
export const version = (cri: CriCaller, options: CriCallOptions = {}): Promise<RuntimeVersion> =>
  cri.call('Version', { version: '0.1.0' }, { timeoutMs: 5000, ...options });
