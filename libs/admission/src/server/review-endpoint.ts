/**
 * Answers AdmissionReviews of known callers: reads one within the limits of all, asks the handler while the caller waits, and reports the answer.
 * @see spec/manager.md 4.1
 */
import { orAborted, type Logger } from '@kruise/kube';
import { admissionLimits } from '@kruise/objects';
import { formatAdmissionReview, parseAdmissionReview, tooLarge } from '../review/admission-review.ts';
import type { AdmissionHandler, Decision } from '../review/decision.ts';
import { endWithoutDecision, isUndecided, refuseForNow, refuseUnknown } from './answers.ts';
import type { EventLoopTurns } from './event-loop-turns.ts';
import { CallerGone } from './caller.ts';
import { addressOf, callerIn, type BodyTimes, type Exchange } from './exchange.ts';
import { MemoryShare, type ShareLimits } from './memory-share.ts';
import { abandonBody, readBody, type Body } from './read-body.ts';

/**
 * How a request ended: the HTTP status of the answer, as controller-runtime counts it, with two exceptions. 499 is a caller that disconnected before
 * the answer. 500 is a handler that threw, whose answer has status 200 and a refusal in it, or a request that did not arrive in time.
 */
type AnswerCode = 200 | 401 | 429 | 499 | 500 | 503;

/** The metrics of the server. The label value `path` is the URL path. */
export interface WebhookMetrics {
  started(path: string): void;
  /** Reports an answer: 200 for any decision, 401 for an unknown caller, 429 for too many reviews at once, 503 for no decision in time. */
  finished(path: string, code: AnswerCode, seconds: number): void;
  panicked(): void;
}

export interface ReviewEndpointOptions {
  readonly metrics: WebhookMetrics;
  readonly logger: Logger;
  /** Limit of one review, in bytes. */
  readonly bytes: number;
  /** Limits of all reviews in progress; those of `admissionLimits` where absent. */
  readonly share: Partial<ShareLimits> | undefined;
  readonly times: BodyTimes;
  readonly turns: EventLoopTurns;
  readonly stopping: AbortSignal;
}

/** Limits of reviews, including those that are still being sent: any client that reaches the port may send them. */
const defaultShare: ShareLimits = {
  bytes: admissionLimits.reviewShareBytes.value,
  holderBytes: admissionLimits.addressShareBytes.value,
  smallBytes: admissionLimits.smallReviewBytes.value,
  requests: admissionLimits.reviews.value,
  holderRequests: admissionLimits.reviews.value / 2,
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export class ReviewEndpoint {
  readonly #options: ReviewEndpointOptions;
  readonly #share: MemoryShare;
  #hasWarned = false;

  constructor(options: ReviewEndpointOptions) {
    this.#options = options;
    this.#share = new MemoryShare({ ...defaultShare, ...options.share });
  }

  /** Warns of the next unknown caller again: the authorities have changed. */
  warnAgain(): void {
    this.#hasWarned = false;
  }

  /** Refuses an unknown caller. */
  refuse({ path }: AdmissionHandler, { request, response }: Exchange): void {
    const { metrics, logger } = this.#options;
    const fields = { path, address: request.socket.remoteAddress };
    const message = 'Refused a caller without a known client certificate';
    if (this.#hasWarned) logger.debug(fields, message);
    else logger.warn(fields, `${message}; further ones are logged at a higher verbosity`);
    this.#hasWarned = true;
    metrics.started(path);
    abandonBody(request, response);
    refuseUnknown(request, response);
    metrics.finished(path, 401, 0);
  }

  /** @throws CallerGone, and what keeps the answer from being sent */
  async answer(handler: AdmissionHandler, exchange: Exchange): Promise<void> {
    const { metrics, stopping, bytes, times } = this.#options;
    const { request, response } = exchange;
    const began = performance.now();
    const caller = callerIn(exchange, stopping);
    metrics.started(handler.path);
    let code: AnswerCode = 500;
    const holding = this.#share.open(addressOf(exchange));
    try {
      const grow = (more: number): boolean => holding?.grow(more) === true;
      const body: Body = holding === undefined ? { kind: 'Refused' } : await readBody(request, { bytes, ...times, grow });
      if (body.kind !== 'Read') abandonBody(request, response);
      if (body.kind === 'Refused') {
        code = 429;
        return refuseForNow(response, 'reviews');
      }
      const answer = await this.#review(handler, body, { contentType: request.headers['content-type'], signal: caller.signal });
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer.text);
      code = answer.code;
    } catch (error) {
      if (error instanceof CallerGone) code = 499;
      if (!isUndecided(error)) throw error;
      endWithoutDecision(request, response, error);
      code = 503;
    } finally {
      holding?.release();
      caller.end();
      metrics.finished(handler.path, code, (performance.now() - began) / 1000);
    }
  }

  /**
   * Answers one review.
   * @throws CallerGone when the caller no longer waits for the answer; OutOfTime or Stopping when there was no decision in time
   */
  async #review(
    handler: AdmissionHandler,
    body: Exclude<Body, { kind: 'Refused' }>,
    { contentType, signal }: { readonly contentType: string | undefined; readonly signal: AbortSignal },
  ): Promise<{ readonly code: 200 | 500; readonly text: string }> {
    if (body.kind !== 'Read') return { code: 200, text: tooLarge(this.#options.bytes) };
    // When reviews have piled up, the loop first notices which callers have disconnected.
    await this.#options.turns.take();
    signal.throwIfAborted();
    const review = parseAdmissionReview(body.bytes, contentType);
    if (review.kind === 'Faulty')
      return {
        code: 200,
        text: formatAdmissionReview(review.apiVersion, review.uid, { kind: 'Failed', code: 400, message: review.message }),
      };
    const { apiVersion, request } = review;
    try {
      const decision = await orAborted((async () => handler.decide(request, signal))(), signal);
      return { code: 200, text: formatAdmissionReview(apiVersion, request.uid, decision, request) };
    } catch (error) {
      // A handler that gives up with an error of its own has reached no decision either.
      signal.throwIfAborted();
      const decision: Decision = { kind: 'Failed', code: 500, message: this.#failureOf(handler, error) };
      return { code: 500, text: formatAdmissionReview(apiVersion, request.uid, decision, request) };
    }
  }

  #failureOf({ path }: AdmissionHandler, error: unknown): string {
    const { metrics, logger } = this.#options;
    metrics.panicked();
    logger.error({ error, path, stack: error instanceof Error ? error.stack : undefined }, 'Admission handler threw');
    return `panic: ${messageOf(error)} [recovered]`;
  }
}
