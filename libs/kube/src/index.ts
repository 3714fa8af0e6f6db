export { ApiError, askedWait, isAbsence, isFailure, isNotServed, isRefusal } from './api-error.ts';
export type { Failure, FieldCause, StatusDetails } from './api-error.ts';
export type {
  CallOptions,
  GetOptions,
  Client,
  DeleteOptions,
  ListOptions,
  ObjectList,
  PatchType,
  Scale,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './client/client.ts';
export { createClient } from './client/create-client.ts';
export type { ClientOptions } from './client/create-client.ts';
export { collectionPath, urlPath, withQuery } from './client/transport/resource-path.ts';
export type { UrlPath } from './client/transport/resource-path.ts';
export type { RequestRecord } from './client/caller.ts';
export { discoverGroupVersion, serverVersion } from './client/discovery.ts';
export type { DiscoveredResource, ServerVersion } from './client/discovery.ts';
export { ConnectionShare, placeOf } from './connections/connection-share.ts';
export type { ConnectionLimits } from './connections/connection-share.ts';
export { belongTogether } from './config/client-certificate.ts';
export { ConfigAbsent, ConfigError } from './config/cluster-config.ts';
export { readConfigDocument } from './config/config-document.ts';
export type { ConfigReader } from './config/config-reader.ts';
export { CommandFailed, runCommand } from './config/run-command.ts';
export type { Command, CommandFailure } from './config/run-command.ts';
export { loadClusterConfig } from './config/load-config.ts';
export type { LoadOptions } from './config/load-config.ts';
export type { ClusterConfig, ExecConfig, Impersonation, Pem, UserAuth } from './config/cluster-config.ts';
export type { Clock, Timer } from './clock.ts';
export { afterConflict, afterFailure, asError, giveUp, requeue, requeueOrSettle, retry, settled } from './outcome.ts';
export type { Outcome } from './outcome.ts';
export type { Logger } from './logger.ts';
export type { IndexFunction, StoreEvent, StoreListener, StoreQuery, StoreReader, StoreWriter } from './store.ts';
export { ObjectStore } from './store/object-store.ts';
export type { ObjectStoreOptions } from './store/object-store.ts';
export { ObjectSharing } from './store/object-sharing.ts';
export { Reflector } from './reflector/reflector.ts';
export type { Access, ReflectorOptions } from './reflector/reflector.ts';
export { Informers } from './reflector/informers.ts';
export type { Informer, InformerRequest, InformerScope, InformersOptions } from './reflector/informers.ts';
export { CachingClient } from './reflector/caching-client.ts';
export type { StoresByKind } from './reflector/caching-client.ts';
export { SystemClock } from './clock/system-clock.ts';
export { controllerRateLimiter, FairBucketLimiter, ItemExponentialLimiter, MaxOfLimiter, TokenBucket } from './workqueue/rate-limiter.ts';
export type { RateLimiter, RetryLimits } from './workqueue/rate-limiter.ts';
export { WorkQueue } from './workqueue/work-queue.ts';
export type { Priority, QueueMetrics, UnfinishedWork, WorkQueueOptions } from './workqueue/work-queue.ts';
export { isPanic } from './controller/controller-metrics.ts';
export type { ControllerMetrics, ReconcileResult } from './controller/controller-metrics.ts';
export { CacheSyncTimeout, ControllerNotStopped, ControllerRunner } from './controller/controller-runner.ts';
export type { Cache, ControllerDefinition, ControllerRunnerOptions } from './controller/controller-runner.ts';
export { EventLoopTurns } from './controller/event-loop-turns.ts';
export { conflictPresets, retryOnConflict } from './controller/retry-on-conflict.ts';
export type { ConflictPreset, RetryTools } from './controller/retry-on-conflict.ts';
export { witnessedClient } from './controller/witnessed-client.ts';
export { isCut, mostSpecificError, outcomeOf, runPlan } from './controller/run-plan.ts';
export type { PlanTools } from './controller/run-plan.ts';
export { slowStart } from './controller/slow-start.ts';
export { deleteExactly, deleteUnchanged } from './delete-exactly.ts';
export type { SlowStartResult } from './controller/slow-start.ts';
export { Trigger } from './controller/trigger.ts';
export {
  distinctKeys,
  enqueueMatching,
  enqueueOwner,
  enqueueSelf,
  gathered,
  gatheringOf,
  ownerKey,
  statesOf,
} from './controller/enqueue.ts';
export { onEvent, watch, watchInformer } from './controller/watch.ts';
export type { Request, Watch, WatchSource } from './controller/watch.ts';
export { validateElection } from './leader-election/election-config.ts';
export type { ElectionConfig } from './leader-election/election-config.ts';
export { fencedClient } from './leader-election/fenced-client.ts';
export { LeaderElector, runAsLeader } from './leader-election/leader-elector.ts';
export type { ElectionTools, LeaderRecorder } from './leader-election/leader-elector.ts';
export { Leadership, LeadershipLost } from './leader-election/leadership.ts';
export type { ElectionMetrics, LeadershipGuard } from './leader-election/leadership.ts';
export { coreEvents } from './events/core-event.ts';
export type { CoreEvent, EventType, ObjectReference } from './events/core-event.ts';
export type { CorrelatorLimits } from './events/event-correlator.ts';
export { EventSink } from './events/event-sink.ts';
export type { EventRecorder, EventSinkOptions } from './events/event-sink.ts';
export { inParallel } from './in-parallel.ts';
export { setFinalizer, writeStatus } from './object-writes.ts';
export type { StatusWrite, WithStatus } from './object-writes.ts';
export { unlessDeleted } from './unless-deleted.ts';
export { orAborted, untilAborted } from './until-aborted.ts';
