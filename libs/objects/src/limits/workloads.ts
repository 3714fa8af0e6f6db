/** Bounds of what a workload controller plans and reads. */
import type { Limits } from './limit.ts';

export const workloadLimits = {
  replicas: {
    value: 1_000_000,
    unit: 'objects',
    bounds: '`spec.replicas` of a CloneSet or StatefulSet',
    beyond: 'The controller sets condition `Blocked` with reason `InvalidSpec` and does nothing else until `spec.replicas` is lowered.',
    enforcedBy: 'manager',
  },
  actionsOfPass: {
    value: 500,
    unit: 'actions',
    bounds: 'Objects that one pass of a workload controller creates, and those that one stage of it changes or deletes',
    beyond: 'The next pass does the rest.',
    enforcedBy: 'manager',
  },
} as const satisfies Limits;
