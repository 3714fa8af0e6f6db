/** Bounds of the plain HTTP servers of manager and agent: probes, metrics, profiles. */
import type { Limits } from './limit.ts';

export const serverLimits = {
  connections: {
    value: 64,
    unit: 'connections',
    bounds: 'Open connections to one server for probes, metrics or profiles',
    beyond: 'The server closes the oldest connection of the address that has the most.',
    enforcedBy: 'manager, agent',
  },
  addressConnections: {
    value: 32,
    unit: 'connections',
    bounds: 'The part of these connections that comes from one address',
    beyond: 'The server closes the oldest connection of the address.',
    enforcedBy: 'manager, agent',
  },
  headerTime: {
    value: 10_000,
    unit: 'milliseconds',
    bounds: 'The time in which a client must send a request with headers and body',
    beyond: 'The server answers 408 and closes the connection, within 5 s.',
    enforcedBy: 'manager, agent',
  },
  answerTime: {
    value: 30_000,
    unit: 'milliseconds',
    bounds: 'The time in which a client must read a response, for profiles after the end of the profile',
    beyond: 'The server closes the connection.',
    enforcedBy: 'manager, agent',
  },
  pauseOfMetrics: {
    value: 4,
    unit: 'runs',
    bounds:
      'The pause after a collection of metrics, as a multiple of its duration, so that clients cannot use more than a fifth of a core',
    beyond: 'Requests wait until the end of the pause, at most 1 s, and share the next collection.',
    enforcedBy: 'manager, agent',
  },
} as const satisfies Limits;
