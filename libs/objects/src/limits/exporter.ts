/** Bounds of kruise-state-metrics. */
import type { Limits } from './limit.ts';

export const exporterLimits = {
  reservedOrdinals: {
    value: 5_000,
    unit: 'series',
    bounds: 'Samples of `kruise_statefulset_spec_reserveordinals` of one StatefulSet, ranges written out',
    beyond: 'kruise-state-metrics exports the lowest ordinals.',
    enforcedBy: 'kruise-state-metrics',
  },
  scrapes: {
    value: 4,
    unit: 'runs',
    bounds: 'Answers to `/metrics` that kruise-state-metrics writes at the same time',
    beyond: 'A request waits until another one has ended, in turns of the addresses of the clients.',
    enforcedBy: 'kruise-state-metrics',
  },
} as const satisfies Limits;
