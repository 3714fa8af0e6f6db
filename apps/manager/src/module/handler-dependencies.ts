/** What admission handlers are made from, in the webhook thread of every replica. */
import type { DistributedResourceReading, Gates } from '@kruise/api';
import type { Client, Clock, EventRecorder, Logger, WithStatus } from '@kruise/kube';
import type { ResourceType } from '@kruise/objects';
import type { Caches } from '../caches/caches.ts';
import type { SpreadResult } from '../metrics/spread-metrics.ts';
import type { ManagerFlags } from '../options/flags.ts';
import type { ProtectionRecord } from '../process/protection-log.ts';
import type { ListLive } from './live-lists.ts';

/** Handlers decide; all that they write goes through {@link StatusWrites}. Of `raw` paths they read those that say which kinds are served. */
export interface LiveReads extends Pick<Client, 'get' | 'raw'> {
  readonly list: ListLive;
}

/** The status of kinds that count at admission (`KindDeclaration.countsAtAdmission`), and of no other. */
export interface StatusWrites {
  /**
   * Replaces the status, on exactly the version that was read. The caches of the handlers hold what it returns.
   *
   * @throws ApiError, a Conflict when another client wrote meanwhile; an Error for a kind that does not count at admission
   * @remarks The caller must not come here for a dry run.
   */
  updateStatus<T extends WithStatus>(type: ResourceType<T>, object: T, signal?: AbortSignal): Promise<T>;
}

/** A ConfigMap or a Secret that was read out of another object. */
type DryRunResource = Extract<DistributedResourceReading, { readonly kind: 'Read' }>;

/** Asks whether objects could be made, and makes none. */
export interface DryRuns {
  /**
   * In the manager's own namespace, whatever namespace the resource names; fails after 2 s.
   *
   * @throws ApiError what the API server has against it; AlreadyExists says no more than that the name is taken there
   */
  create(resource: DryRunResource, signal: AbortSignal): Promise<void>;
}

export interface HandlerDependencies {
  /** For what caches do not know yet; each call fails after 2 s. */
  readonly client: LiveReads;
  /** Each call fails after 2 s. Absent where nothing is counted. */
  readonly writes?: StatusWrites;
  /** Absent where nothing is admitted. */
  readonly dryRuns?: DryRuns;
  /**
   * Caches of the webhook thread. A handler requests its stores when it is made and waits for their first list, within the time of its request,
   * when it reads them: the server answers before they are there.
   */
  readonly caches: Caches;
  readonly gates: Gates;
  readonly podNamespace: string;
  /** `--allow-privileged`. */
  readonly allowPrivileged: boolean;
  /** Minor version of the API server, which decides what Pods may be like: 34 for Kubernetes 1.34; the newest when absent. */
  readonly kubernetes?: number;
  /** That of the system when absent. */
  readonly clock?: Pick<Clock, 'now' | 'sleep' | 'monotonic'>;
  /** Flags that handlers decide by; the defaults when absent. */
  readonly flags?: Pick<ManagerFlags, 'ws-enabled-versioned-status'>;
  /** Called for every Pod that is counted, or is not: for the metric. */
  readonly onSpread?: (result: SpreadResult) => void;
  /** For what a user looks for in the log; absent where nothing is admitted. */
  readonly logger?: Logger;
  /** The recorder whose events name this component as their source; absent where no events are recorded. */
  readonly recorderFor?: (component: string) => EventRecorder;
  /** Called for every denial by deletion protection and budgets, dry runs included: for the metric and the protection log. */
  readonly onProtected?: (record: ProtectionRecord) => void;
}
