/** What the actions of one pass are carried out with. */
import type { DaemonSet } from '@kruise/api';
import type { Client, Clock } from '@kruise/kube';
import type { DaemonSetEvents } from './events.ts';
import type { Context } from './snapshot.ts';

export interface Io {
  readonly client: Client;
  readonly clock: Clock;
  readonly events: DaemonSetEvents;
  readonly set: DaemonSet;
  readonly context: Context;
  /** Raised when a revision's name was taken; goes into the status. */
  onCollisionCount(count: number): void;
  /** Whether the API server has refused writes lately. @see PodActionWriter.triesFirst */
  readonly triesFirst: boolean;
  /** Told of a Pod that has failed and is about to be deleted. */
  onFailedPod(node: string): void;
}
