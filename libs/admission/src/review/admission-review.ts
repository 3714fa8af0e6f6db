/**
 * Reads and writes AdmissionReviews.
 * @see spec/manager.md 4.1; Kubernetes "Dynamic Admission Control"
 */
import { admissionLimits, createJsonPatch, isJsonObject, parseLossless, stringifyLossless } from '@kruise/objects';
import type { AdmissionRequest, Decision } from './decision.ts';
import { maxNesting, nestingOf } from './nesting.ts';

const versions = new Set(['admission.k8s.io/v1', 'admission.k8s.io/v1beta1']);

export type ParsedReview =
  | { readonly kind: 'Parsed'; readonly apiVersion: string; readonly request: AdmissionRequest }
  /** `uid` is '' when it could not be read. */
  | { readonly kind: 'Faulty'; readonly apiVersion: string; readonly uid: string; readonly message: string };

const faulty = (message: string, apiVersion = 'admission.k8s.io/v1', uid = ''): ParsedReview => ({
  kind: 'Faulty',
  apiVersion,
  uid,
  message,
});

/** Reads one review; never throws. Objects keep integers beyond 2^53 (see `parseLossless`). */
export function parseAdmissionReview(body: Buffer, contentType: string | undefined): ParsedReview {
  if (body.length === 0) return faulty('request body is empty');
  if (!/^application\/json\s*(;|$)/i.test(contentType ?? '')) return faulty(`contentType=${contentType ?? ''}, expected application/json`);
  if (nestingOf(body, maxNesting) > maxNesting) return faulty(`the object is nested deeper than ${maxNesting} levels`);
  let review: unknown;
  try {
    review = parseLossless(body.toString('utf8'));
  } catch (error) {
    return faulty(`couldn't decode the review: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (
    !isJsonObject(review) ||
    typeof review['apiVersion'] !== 'string' ||
    !versions.has(review['apiVersion']) ||
    review['kind'] !== 'AdmissionReview'
  ) {
    return faulty('expected an AdmissionReview of admission.k8s.io/v1 or v1beta1');
  }
  return parseRequest(review['apiVersion'], review['request']);
}

const isTriple = (value: unknown, ...members: readonly string[]): boolean =>
  isJsonObject(value) && members.every((member) => typeof value[member] === 'string');
const isObjectOrNothing = (value: unknown): boolean =>
  value === undefined || value === null || (isJsonObject(value) && (value['metadata'] === undefined || isJsonObject(value['metadata'])));

function parseRequest(apiVersion: string, request: unknown): ParsedReview {
  if (!isJsonObject(request)) return faulty('the review has no request', apiVersion);
  const uid = typeof request['uid'] === 'string' ? request['uid'] : '';
  if (!isTriple(request['kind'], 'version', 'kind') || !isTriple(request['resource'], 'version', 'resource'))
    return faulty('request.kind and request.resource must be given', apiVersion, uid);
  if (!isObjectOrNothing(request['object']) || !isObjectOrNothing(request['oldObject']))
    return faulty('request.object and request.oldObject must be objects', apiVersion, uid);
  return { kind: 'Parsed', apiVersion, request: { userInfo: {}, ...request, uid } as unknown as AdmissionRequest };
}

/** More than the API server passes on: 4,096 characters together. */
const mostWarnings = admissionLimits.warnings.value;

/** Returns the `response` field for a decision, without apiVersion and kind around it. */
function responseOf(uid: string, decision: Decision, request: AdmissionRequest | undefined): object {
  const shown = (decision.warnings ?? []).slice(0, mostWarnings);
  const warnings = shown.length === 0 ? {} : { warnings: shown };
  switch (decision.kind) {
    case 'Allowed':
      return { uid, allowed: true, status: { code: 200 }, ...warnings };
    case 'Changed': {
      const patch = createJsonPatch(request?.object, decision.object);
      if (patch.length === 0) return { uid, allowed: true, status: { code: 200 }, ...warnings };
      return {
        uid,
        allowed: true,
        status: { code: 200 },
        patchType: 'JSONPatch',
        patch: Buffer.from(stringifyLossless(patch)).toString('base64'),
        ...warnings,
      };
    }
    case 'Denied':
      return { uid, allowed: false, status: { code: 403, reason: 'Forbidden', message: decision.message }, ...warnings };
    case 'NotYet': {
      const { message, cause } = decision;
      return { uid, allowed: false, status: { code: 429, reason: 'TooManyRequests', message, details: { causes: [cause] } }, ...warnings };
    }
    case 'Failed':
      return { uid, allowed: false, status: { code: decision.code, message: decision.message }, ...warnings };
  }
}

/** Returns the text of a review. The HTTP status of an answer is always 200; the result is in `response`. */
export const formatAdmissionReview = (apiVersion: string, uid: string, decision: Decision, request?: AdmissionRequest): string =>
  JSON.stringify({ kind: 'AdmissionReview', apiVersion, response: responseOf(uid, decision, request) });

/** Returns the answer to a body that exceeds the allowed size, which is not read to its end. */
export const tooLarge = (limitBytes: number): string =>
  JSON.stringify({
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    response: { uid: '', allowed: false, status: { code: 413, message: `request entity is too large; limit is ${limitBytes} bytes` } },
  });
