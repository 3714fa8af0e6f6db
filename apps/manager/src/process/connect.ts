/** One way to reach the API server, for the main thread and the webhook thread alike. @see spec/manager.md 3.3 (user agents) */
import { createClient, loadClusterConfig, type Client, type RequestRecord } from '@kruise/kube';
import type { ManagerFlags } from '../options/flags.ts';

export interface ConnectOptions {
  readonly userAgent: string;
  /** Whether objects are read with the record of who wrote which fields; false when absent. */
  readonly keepManagedFields?: boolean;
  readonly onRequest?: (record: RequestRecord) => void;
}

/** Throws `ConfigError` with one line when there is no usable configuration; connects at the first call. */
export function connect(
  flags: Pick<ManagerFlags, 'kubeconfig' | 'rest-config-qps' | 'rest-config-burst'>,
  options: ConnectOptions,
): Client {
  const qps = flags['rest-config-qps'];
  const burst = flags['rest-config-burst'];
  return createClient(loadClusterConfig({ path: flags.kubeconfig }), {
    ...options,
    ...(qps > 0 ? { qps, ...(burst > 0 ? { burst } : {}) } : {}),
  });
}
