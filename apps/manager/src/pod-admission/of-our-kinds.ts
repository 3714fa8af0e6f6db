/** Whose Pod it is, as far as steps of the Pod webhook ask: for the step, and for the API server, which finds out by itself. */
import type { RequestNeed } from '@kruise/admission';
import { groups } from '@kruise/api';

/** The same as a CEL expression. */
export const podsOfOurKinds: RequestNeed = {
  reason: 'kruise-workload',
  condition:
    'has(object.metadata.ownerReferences) && ' +
    `object.metadata.ownerReferences.exists(o, has(o.controller) && o.controller && o.apiVersion.startsWith("${groups.apps}/"))`,
};
