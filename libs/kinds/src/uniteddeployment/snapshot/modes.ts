/** How a UnitedDeployment deals with Pods that find no node. Pure. @see spec/uniteddeployment.md 2.1 */
import type { UnitedDeployment } from '@kruise/api';
import { seconds, type Milliseconds } from '@kruise/objects';
import type { AllocationMode } from '../allocate/subset.ts';

export interface Mode {
  readonly kind: AllocationMode;
  /** How long a Pod may wait for a node. */
  readonly critical: Milliseconds;
  /** How long a subset counts as unschedulable; with reservation: how long a reserved Pod must be ready to count again. */
  readonly unschedulable: Milliseconds;
}

const defaults = { rescheduleCriticalSeconds: 30, unschedulableDuration: 300 };

export function modeOf({ spec: { topology } }: UnitedDeployment): Mode {
  const { type, adaptive = {} } = topology?.scheduleStrategy ?? {};
  const { rescheduleCriticalSeconds, unschedulableDuration, reserveUnschedulablePods } = adaptive;
  const adaptively = reserveUnschedulablePods === true ? 'Reservation' : 'Adaptive';
  return {
    kind: type === 'Adaptive' ? adaptively : 'Fixed',
    critical: seconds(Math.max(rescheduleCriticalSeconds ?? defaults.rescheduleCriticalSeconds, 0)),
    unschedulable: seconds(Math.max(unschedulableDuration ?? defaults.unschedulableDuration, 0)),
  };
}
