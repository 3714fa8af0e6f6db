export { ApiError, askedWait, isAbsence, isFailure, isNotServed, isRefusal } from './api-error.ts';
export type { Failure } from './api-error.ts';
export type {
  CallOptions,
  Client,
  DeleteOptions,
  ListOptions,
  ObjectList,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './client/client.ts';
export { createClient } from './client/create-client.ts';
export { collectionPath, urlPath, withQuery } from './client/transport/resource-path.ts';
export type { UrlPath } from './client/transport/resource-path.ts';
export type { RequestRecord } from './client/caller.ts';
export { discoverGroupVersion, serverVersion } from './client/discovery.ts';
export type { ServerVersion } from './client/discovery.ts';
export { ConnectionShare, placeOf } from './connections/connection-share.ts';
export type { ConnectionLimits } from './connections/connection-share.ts';
export { belongTogether } from './config/client-certificate.ts';
export { ConfigAbsent, ConfigError } from './config/cluster-config.ts';
export { readConfigDocument } from './config/config-document.ts';
export type { ConfigReader } from './config/config-reader.ts';
export { CommandFailed, runCommand } from './config/run-command.ts';
export type { CommandFailure } from './config/run-command.ts';
export { loadClusterConfig } from './config/load-config.ts';
export type { ClusterConfig, Impersonation, UserAuth } from './config/cluster-config.ts';
export type { Clock, Timer } from './clock.ts';
export { afterConflict, afterFailure, asError, giveUp, requeue, requeueOrSettle, retry, settled } from './outcome.ts';
export type { Outcome } from './outcome.ts';
export type { Logger } from './logger.ts';
export type { IndexFunction, StoreEvent, StoreListener, StoreReader } from './store.ts';
export { ObjectStore } from './store/object-store.ts';
export { ObjectSharing } from './store/object-sharing.ts';
export { Reflector } from './reflector/reflector.ts';
export type { Access } from './reflector/reflector.ts';
export { Informers } from './reflector/informers.ts';
export type { Informer, InformerScope } from './reflector/informers.ts';
export { CachingClient } from './reflector/caching-client.ts';
export type { StoresByKind } from './reflector/caching-client.ts';
export { SystemClock } from './clock/system-clock.ts';
export { WorkQueue } from './workqueue/work-queue.ts';
export type { QueueMetrics, UnfinishedWork } from './workqueue/work-queue.ts';
export { isPanic } from './controller/controller-metrics.ts';
export type { ControllerMetrics } from './controller/controller-metrics.ts';
export { ControllerRunner } from './controller/controller-runner.ts';
export type { ControllerDefinition } from './controller/controller-runner.ts';
export { EventLoopTurns } from './controller/event-loop-turns.ts';
export { conflictPresets, retryOnConflict } from './controller/retry-on-conflict.ts';
export type { ConflictPreset } from './controller/retry-on-conflict.ts';
export { witnessedClient } from './controller/witnessed-client.ts';
export { isCut, mostSpecificError, runPlan } from './controller/run-plan.ts';
export type { PlanTools } from './controller/run-plan.ts';
export { deleteExactly, deleteUnchanged } from './delete-exactly.ts';
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
export { onEvent, watchInformer } from './controller/watch.ts';
export type { Request, Watch } from './controller/watch.ts';
export { fencedClient } from './leader-election/fenced-client.ts';
export { LeaderElector, runAsLeader } from './leader-election/leader-elector.ts';
export { Leadership } from './leader-election/leadership.ts';
export { coreEvents } from './events/core-event.ts';
export type { ObjectReference } from './events/core-event.ts';
export { EventSink } from './events/event-sink.ts';
export type { EventRecorder } from './events/event-sink.ts';
export { inParallel } from './in-parallel.ts';
export { setFinalizer, writeStatus } from './object-writes.ts';
export type { WithStatus } from './object-writes.ts';
export { unlessDeleted } from './unless-deleted.ts';
export { orAborted, untilAborted } from './until-aborted.ts';
