/** Whether a workload of ours controls a Pod, as the API server evaluates it. */
import type { RequestNeed } from '@kruise/admission';
import { groups } from '@kruise/api';

/** The rule of `isOfOurKinds` as a CEL expression. */
export const podsOfOurKinds: RequestNeed = {
  reason: 'kruise-workload',
  condition:
    'has(object.metadata.ownerReferences) && ' +
    `object.metadata.ownerReferences.exists(o, has(o.controller) && o.controller && o.apiVersion.startsWith("${groups.apps}/"))`,
};
