/** What admission handlers are made from, in the webhook thread of every replica. */
import type { Gates } from '@kruise/api';
import type { Client, Logger } from '@kruise/kube';
import type { Caches } from '../caches/caches.ts';
import type { ProtectionRecord } from '../process/protection-log.ts';

/** Handlers decide, and write nothing. */
export type LiveReads = Pick<Client, 'get' | 'list'>;

export interface HandlerDependencies {
  /** For what caches do not know yet; each call fails after 2 s. */
  readonly client: LiveReads;
  /**
   * Caches of the webhook thread. A handler asks for its stores when it is made and waits for their first list, within the time of its request,
   * when it reads them: the server answers before they are there.
   */
  readonly caches: Caches;
  readonly gates: Gates;
  readonly podNamespace: string;
  /** `--allow-privileged`. */
  readonly allowPrivileged: boolean;
  /** Minor version of the API server, which decides what Pods may be like: 34 for Kubernetes 1.34; the newest when absent. */
  readonly kubernetes?: number;
  /** For what a user looks for in the log; absent where nothing is admitted. */
  readonly logger?: Logger;
  /** Told of every denial by deletion protection, dry runs included: for the metric and the protection log. */
  readonly onProtected?: (record: ProtectionRecord) => void;
}
