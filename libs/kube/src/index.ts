export { ApiError, isFailure } from './api-error.ts';
export type { Failure, FieldCause } from './api-error.ts';
export type {
  CallOptions,
  Client,
  DeleteOptions,
  ListOptions,
  ObjectList,
  PatchType,
  Scale,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './client.ts';
export type { Clock, Timer } from './clock.ts';
export { giveUp, lookAgain, retry, settled } from './outcome.ts';
export type { Outcome } from './outcome.ts';
export type { Logger } from './logger.ts';
export type { IndexFunction, StoreEvent, StoreListener, StoreQuery, StoreReader, StoreWriter } from './store.ts';
