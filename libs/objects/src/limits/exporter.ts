/** Bounds of kruise-state-metrics. */
import type { Limits } from './limit.ts';

export const exporterLimits = {
  reservedOrdinals: {
    value: 5_000,
    unit: 'series',
    bounds: 'Samples of `kruise_statefulset_spec_reserveordinals` of one StatefulSet, with expanded ranges',
    beyond: 'kruise-state-metrics exports the lowest ordinals.',
    enforcedBy: 'kruise-state-metrics',
  },
  scrapes: {
    value: 4,
    unit: 'runs',
    bounds: 'Responses to `/metrics` that kruise-state-metrics writes at the same time',
    beyond: 'A request waits until another one has ended; the addresses of the clients take turns.',
    enforcedBy: 'kruise-state-metrics',
  },
  scrapeRate: {
    value: 512 * 1024,
    unit: 'bytes',
    bounds: 'The part of a response to `/metrics` that a client must read in a second, over two seconds, while other requests wait',
    beyond: 'kruise-state-metrics closes the connection of the client that reads least.',
    enforcedBy: 'kruise-state-metrics',
  },
} as const satisfies Limits;
