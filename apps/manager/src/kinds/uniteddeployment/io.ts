/** What the controller's parts work with. */
import type { UnitedDeployment } from '@kruise/api';
import type { EventLoopTurns } from '@kruise/kube';
import type { WorkloadIo, WorkloadTypes } from '../../workloads/passes/workload-controller.ts';
import type { ChildCaches } from './child-caches.ts';
import type { UnitedDeploymentEvents } from './events.ts';
import type { Observed, Stores } from './observe.ts';
import type { Context, WellFormedUnited } from '@kruise/kinds/uniteddeployment';

export interface Known extends Stores {
  readonly children: ChildCaches;
  /** Children of a large template cost: one is rendered in a turn of the event loop. */
  readonly turns: EventLoopTurns;
}

export interface UnitedDeploymentTypes extends WorkloadTypes {
  readonly known: Known;
  readonly examined: WellFormedUnited;
  readonly snapshot: Observed;
  readonly context: Context;
  readonly events: UnitedDeploymentEvents;
}

/** What the actions of one pass are carried out with. */
export type Io = WorkloadIo<UnitedDeployment, Context, UnitedDeploymentEvents>;
