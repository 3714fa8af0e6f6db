/**
 * `/validate-pod`: asks the checks whether a Pod may be changed, deleted or evicted. The first refusal ends the review.
 * @see spec/manager.md 4.9
 */
import {
  allowed,
  type AdmissionHandler,
  type AdmissionRequest,
  type Decision,
  type HandlerNeeds,
  type RequestNeed,
} from '@kruise/admission';
import { ApiError } from '@kruise/kube';
import type { Pod } from '@kruise/objects';
import type { CheckNeeds, PodCheck, PodCheckResult, PodOperation, PodOperationRequest } from '../module/pod-check.ts';
import { isWellFormedPod } from '@kruise/workloads';

export const validatePodPath = '/validate-pod';
export const validatePodWebhook = 'vpod.kb.io';
export const evictPodWebhook = 'vpodeviction.kb.io';

/** A check, and what it is asked about. */
export interface DefinedCheck {
  readonly operations: readonly PodOperation[];
  readonly check: PodCheck;
}

function operationOf({ operation, resource, subResource = '' }: AdmissionRequest): PodOperation | undefined {
  if (resource.group !== '' || resource.resource !== 'pods') return undefined;
  if (subResource === 'eviction') return operation === 'CREATE' ? 'Evict' : undefined;
  if (subResource === 'resize') return operation === 'UPDATE' ? 'Resize' : undefined;
  if (subResource !== '') return undefined;
  return operation === 'UPDATE' ? 'Update' : operation === 'DELETE' ? 'Delete' : undefined;
}

const podOf = (object: AdmissionRequest['object']): Pod | undefined => (isWellFormedPod(object) ? object : undefined);

/** What is asked; a text for a request that does not hold what it must. */
function askedOf(request: AdmissionRequest, operation: PodOperation): PodOperationRequest | string {
  if (operation === 'Evict') return { operation, pod: undefined, evicted: {}, request };
  const pod = podOf(request.oldObject);
  if (operation === 'Delete') return { operation, pod, request };
  const next = podOf(request.object);
  return pod === undefined || next === undefined ? 'the request holds no Pod' : { operation, pod, next, request };
}

async function ask(check: PodCheck, asked: PodOperationRequest, signal: AbortSignal): Promise<PodCheckResult> {
  try {
    return await check.check(asked, signal);
  } catch (error) {
    if (error instanceof ApiError) return { kind: 'Refused', code: 400, message: `${check.name}: ${error.message}` };
    throw error;
  }
}

const refused = ({ code = 403, message }: { readonly code?: 400 | 403; readonly message: string }): Decision =>
  code === 403 ? { kind: 'Denied', message } : { kind: 'Failed', code, message };

async function decide(request: AdmissionRequest, checks: readonly DefinedCheck[], signal: AbortSignal): Promise<Decision> {
  const operation = operationOf(request);
  if (operation === undefined) return allowed;
  const asked = askedOf(request, operation);
  if (typeof asked === 'string') return { kind: 'Failed', code: 400, message: asked };
  const warnings: string[] = [];
  for (const { operations, check } of checks) {
    if (!operations.includes(operation)) continue;
    const result = await ask(check, asked, signal);
    if (result.kind === 'Refused') return refused(result);
    if (result.kind === 'NotYet') return result;
    warnings.push(...(result.warnings ?? []));
  }
  return warnings.length === 0 ? allowed : { ...allowed, warnings };
}

/** Operations that come with the Pod as it is; an eviction has a webhook of its own. */
const isAboutPod = ({ operations }: DefinedCheck): boolean => operations.some((operation) => operation !== 'Evict');
const isAboutEviction = ({ operations }: DefinedCheck): boolean => operations.includes('Evict');

/** An eviction says no more of its Pod than the namespace. */
const ofEviction = ({ reason, namespaceSelector, failurePolicy }: RequestNeed): RequestNeed => ({
  reason,
  ...(failurePolicy === undefined ? {} : { failurePolicy }),
  ...(namespaceSelector === undefined ? {} : { namespaceSelector }),
});

const evictionsOf = (needs: CheckNeeds): readonly RequestNeed[] => needs.ofEvictions?.() ?? needs.current().map(ofEviction);

/** What some checks together need of one webhook; nothing is known when one of them does not say. */
function needsOfWebhook(
  webhook: string,
  checks: readonly DefinedCheck[],
  narrowing: (needs: readonly CheckNeeds[]) => ReturnType<HandlerNeeds['current']>,
): readonly HandlerNeeds[] {
  const all = checks.map(({ check }) => check.needs);
  const given = all.filter((needs) => needs !== undefined);
  if (given.length < all.length) return [];
  return [
    {
      webhook,
      isReady: () => given.every((needs) => needs.isReady?.() !== false),
      current: () => narrowing(given),
      watch: (changed) => given.forEach((needs) => needs.watch?.(changed)),
    },
  ];
}

const needsOf = (checks: readonly DefinedCheck[]): readonly HandlerNeeds[] => [
  ...needsOfWebhook(validatePodWebhook, checks.filter(isAboutPod), (all) => ({
    subject: 'oldObject',
    needs: all.flatMap((one) => one.current()),
  })),
  ...needsOfWebhook(evictPodWebhook, checks.filter(isAboutEviction), (all) => ({ needs: all.flatMap(evictionsOf) })),
];

/** @param checks in the order in which they are asked */
export const validatePod = (checks: readonly DefinedCheck[]): AdmissionHandler => ({
  path: validatePodPath,
  needs: needsOf(checks),
  decide: (request, signal) => decide(request, checks, signal),
});
