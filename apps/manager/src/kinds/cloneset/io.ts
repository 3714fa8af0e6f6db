/** What the actions of one pass are carried out with. */
import type { CloneSet } from '@kruise/api';
import type { Client, Clock } from '@kruise/kube';
import type { CloneSetEvents } from './events.ts';
import type { Context } from './snapshot.ts';

export interface Io {
  readonly client: Client;
  readonly clock: Clock;
  readonly events: CloneSetEvents;
  readonly cloneSet: CloneSet;
  readonly context: Context;
  /** Whether an update in place was refused lately. @see PodActionWriter.triesFirst */
  readonly triesFirst: boolean;
  /** Raised when a revision's name was taken; goes into the status. */
  onCollisionCount(count: number): void;
}
