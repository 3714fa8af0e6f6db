/**
 * Admits an object that makes a webhook necessary for more Pods, such as a new SidecarSet, only after the webhook covers those Pods. So no such Pod
 * bypasses the webhook while the object exists; the caches, by which the webhook is narrowed, receive the object later.
 */
import {
  needIdentity,
  type AdmissionHandler,
  type AdmissionRequest,
  type Decision,
  type NeedAhead,
  type RequestNeed,
} from '@kruise/admission';
import { admissionPaths, convertObject, storedVersion } from '@kruise/api';
import type { KubeObject } from '@kruise/objects';
import type { KindModule } from '../module/kind-module.ts';
import { mutatePodWebhook } from '../pod-admission/mutate-pod.ts';
import { evictPodWebhook, validatePodWebhook } from '../pod-admission/validate-pod.ts';

/** Resolves once webhooks cover these needs, too. */
export type Widen = (needs: readonly NeedAhead[], signal: AbortSignal) => Promise<void>;

/** Returns the needs of an object in a request. */
function needsIn({ declaration, podNeeds, existingPodNeeds }: KindModule, object: KubeObject | null | undefined): readonly NeedAhead[] {
  if (object === undefined || object === null || declaration === undefined) return [];
  const conversion = convertObject({ ...object }, `${declaration.group}/${storedVersion(declaration)}`);
  const stored = conversion.kind === 'Converted' ? (conversion.object as unknown as KubeObject) : object;
  const existing = existingPodNeeds?.(stored);
  const of = (webhook: string, needs: readonly RequestNeed[] = []): readonly NeedAhead[] => needs.map((need) => ({ webhook, need }));
  return [
    ...of(mutatePodWebhook, podNeeds?.(stored)),
    ...of(validatePodWebhook, existing?.pods),
    ...of(evictPodWebhook, existing?.evictions),
  ];
}

/** Returns the needs that the stored object does not have. Those of the stored object are covered since it was admitted. */
function needsAhead(module: KindModule, { object, oldObject, operation, dryRun }: AdmissionRequest): readonly NeedAhead[] {
  if (dryRun === true || (operation !== 'CREATE' && operation !== 'UPDATE')) return [];
  const known = new Set(needsIn(module, oldObject).map(needIdentity));
  return needsIn(module, object).filter((need) => !known.has(needIdentity(need)));
}

function widening(handler: AdmissionHandler, module: KindModule, widen: Widen): AdmissionHandler {
  const decide = async (request: AdmissionRequest, signal: AbortSignal): Promise<Decision> => {
    const decision = await handler.decide(request, signal);
    const needs = decision.kind === 'Allowed' ? needsAhead(module, request) : [];
    if (needs.length === 0) return decision;
    try {
      await widen(needs, signal);
      return decision;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return { kind: 'Failed', code: 500, message: `the Pod webhook cannot be widened for it now, please try again: ${why}` };
    }
  };
  return { ...handler, decide };
}

/**
 * Returns the handlers. The validating one, which the API server calls last before it stores an object, widens the webhooks for it.
 *
 * @param handlers of the module
 * @param widen absent where nothing is narrowed
 */
export function widensFirst(
  handlers: readonly AdmissionHandler[],
  module: KindModule,
  widen: Widen | undefined,
): readonly AdmissionHandler[] {
  const { declaration, podNeeds, existingPodNeeds } = module;
  const needsNothing = podNeeds === undefined && existingPodNeeds === undefined;
  if (declaration === undefined || needsNothing || widen === undefined) return handlers;
  const paths = admissionPaths(declaration, 'validate');
  // eslint-disable-next-line kruise/cross-product -- both are of one kind of the program
  return handlers.map((handler) => (paths.includes(handler.path) ? widening(handler, module, widen) : handler));
}
