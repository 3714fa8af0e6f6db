/** One way to reach the API server, for the main thread and the webhook thread alike. @see spec/manager.md 3.3 (user agents) */
import { createClient, type Client, type ClusterConfig, type RequestRecord } from '@kruise/kube';
import type { ManagerFlags } from '../options/flags.ts';

export interface ConnectOptions {
  readonly userAgent: string;
  /** Whether objects are read with the record of who wrote which fields; false when absent. */
  readonly keepManagedFields?: boolean;
  readonly onRequest?: (record: RequestRecord) => void;
}

/** Returns a client that connects at the first call. */
export function connect(
  cluster: ClusterConfig,
  flags: Pick<ManagerFlags, 'rest-config-qps' | 'rest-config-burst'>,
  options: ConnectOptions,
): Client {
  const qps = flags['rest-config-qps'];
  const burst = flags['rest-config-burst'];
  return createClient(cluster, {
    ...options,
    ...(qps > 0 ? { qps, ...(burst > 0 ? { burst } : {}) } : {}),
  });
}
