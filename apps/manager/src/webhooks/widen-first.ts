/**
 * An object that makes more Pods go through a webhook, such as a new SidecarSet, is admitted only after the webhook asks about those Pods. So
 * there is no time in which the object is there and its Pods pass by; the caches, from which the webhook is kept narrow, learn of it later.
 */
import {
  needIdentity,
  type AdmissionHandler,
  type AdmissionRequest,
  type Decision,
  type NeedAhead,
  type RequestNeed,
} from '@kruise/admission';
import { convertObject, groups, type SidecarSet } from '@kruise/api';
import type { KubeObject } from '@kruise/objects';
import { sidecarSetNeeds } from '../kinds/sidecarset/pod-needs.ts';
import { mutatePodWebhook } from './pod/mutate-pod.ts';

/** Resolves once webhooks ask about these needs, too. */
export type Widen = (needs: readonly NeedAhead[], signal: AbortSignal) => Promise<void>;

const ofSidecarSet = (object: KubeObject): readonly RequestNeed[] => {
  const conversion = convertObject({ ...object }, `${groups.apps}/v1beta1`);
  const stored = conversion.kind === 'Converted' ? conversion.object : object;
  return sidecarSetNeeds([stored as unknown as SidecarSet]);
};

/** By the path at which objects are validated, which is the last that is asked before they are stored. */
const needsOf: Readonly<Record<string, (object: KubeObject) => readonly RequestNeed[]>> = {
  '/validate-apps-kruise-io-sidecarset': ofSidecarSet,
};

/** Those that the object did not have as it is stored: that one was admitted, so they are asked about already. */
function needsAhead(path: string, { object, oldObject, operation, dryRun }: AdmissionRequest): readonly NeedAhead[] {
  const needsIn = needsOf[path];
  if (needsIn === undefined || dryRun === true || (operation !== 'CREATE' && operation !== 'UPDATE')) return [];
  const aheadFor = (held: KubeObject | null | undefined): readonly NeedAhead[] =>
    held === undefined || held === null ? [] : needsIn(held).map((need) => ({ webhook: mutatePodWebhook, need }));
  const known = new Set(aheadFor(oldObject).map(needIdentity));
  return aheadFor(object).filter((need) => !known.has(needIdentity(need)));
}

function widening(handler: AdmissionHandler, widen: Widen): AdmissionHandler {
  const decide = async (request: AdmissionRequest, signal: AbortSignal): Promise<Decision> => {
    const decision = await handler.decide(request, signal);
    const needs = decision.kind === 'Allowed' ? needsAhead(handler.path, request) : [];
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

/** @param widen absent where nothing is narrowed */
export const widensFirst = (handlers: readonly AdmissionHandler[], widen: Widen | undefined): readonly AdmissionHandler[] =>
  widen === undefined ? handlers : handlers.map((handler) => (Object.hasOwn(needsOf, handler.path) ? widening(handler, widen) : handler));
