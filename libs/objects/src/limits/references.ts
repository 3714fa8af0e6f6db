/** Bounds of references from one object to others, and of the requests that they cause. */
import type { Limits } from './limit.ts';

export const referenceLimits = {
  answerBytes: {
    value: 8 * 1024 * 1024,
    unit: 'bytes',
    bounds: 'One answer of the API server that is not a list: an object, or discovery data',
    beyond: 'The client closes the response and reports a failed call that names the path. The API server stores no object of this size.',
    enforcedBy: 'manager, agent',
  },
  pathPartCharacters: {
    value: 253,
    unit: 'characters',
    bounds: 'The group, version or name in a reference of an object to another',
    beyond:
      'Admission refuses the reference unless it is stored already. The kind of a stored one counts as not served, without a request.',
    enforcedBy: 'webhooks, manager, agent',
  },
  rememberedKinds: {
    value: 1000,
    unit: 'entries',
    bounds: 'Kinds for which one controller caches for up to 60 s whether and how the API server serves them',
    beyond: 'The controller forgets the oldest kind and asks the API server again when an object names it.',
    enforcedBy: 'manager',
  },
  unknownVersionMs: {
    value: 5000,
    unit: 'milliseconds',
    bounds: 'The time between two lists of the revisions of one SidecarSet for a custom version that no revision has',
    beyond: 'The Pod webhook refuses the Pods without listing again, unless its cache contains the version by then.',
    enforcedBy: 'Pod webhook',
  },
} as const satisfies Limits;
