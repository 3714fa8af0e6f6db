/**
 * Answers ConversionReviews of any caller: an API server has no certificate to present for them, and they change nothing.
 * @see spec/manager.md 4.8
 */
import { answerConversionReview, type Convert } from '../review/conversion-review.ts';
import { answerText, endWithoutDecision, isUndecided, refuseForNow } from './answers.ts';
import { send, type Caller } from './caller.ts';
import type { EventLoopTurns } from './event-loop-turns.ts';
import { addressOf, callerIn, type BodyTimes, type Exchange } from './exchange.ts';
import { MemoryShare, type Holding } from './memory-share.ts';
import { abandonBody, readBody } from './read-body.ts';

export interface ConversionEndpointOptions {
  readonly convert: Convert;
  /** Limit of one ConversionReview, in bytes. All in progress may have twice as many. */
  readonly bytes: number;
  /** Limit of one object, in bytes. */
  readonly objectBytes: number;
  readonly times: BodyTimes;
  readonly turns: EventLoopTurns;
  readonly stopping: AbortSignal;
}

/** This many small ones are converted beside any large ones. */
const smallConversions = { smallBytes: 256 * 1024, requests: 256, holderRequests: 128 };

export class ConversionEndpoint {
  readonly #options: ConversionEndpointOptions;
  readonly #share: MemoryShare;

  constructor(options: ConversionEndpointOptions) {
    this.#options = options;
    this.#share = new MemoryShare({ bytes: 2 * options.bytes, ...smallConversions });
  }

  /** @throws CallerGone, and what keeps the answer from being sent */
  async answer(exchange: Exchange): Promise<void> {
    const { request, response } = exchange;
    const caller = callerIn(exchange, this.#options.stopping);
    const holding = this.#share.open(addressOf(exchange));
    try {
      if (holding === undefined) refuseForNow(response, 'conversions');
      else await this.#convert(exchange, caller, holding);
    } catch (error) {
      if (!isUndecided(error) || response.headersSent) throw error;
      endWithoutDecision(request, response, error);
    } finally {
      holding?.release();
      caller.end();
    }
  }

  async #convert({ request, response }: Exchange, { signal }: Caller, holding: Holding): Promise<void> {
    const { convert, bytes, objectBytes: objectLimit, times, turns } = this.#options;
    const body = await readBody(request, { bytes, ...times, grow: (more) => holding.grow(more) });
    if (body.kind !== 'Read') abandonBody(request, response);
    if (body.kind === 'Refused') return refuseForNow(response, 'conversions');
    if (body.kind === 'TooLarge') return answerText(response, 413, `the ConversionReview is too large: it has more than ${bytes} bytes`);
    const turn = async (): Promise<void> => {
      await turns.take();
      signal.throwIfAborted();
    };
    await turn();
    const answer = await answerConversionReview(body.bytes, { convert, objectLimit, turn });
    if (answer.kind === 'Faulty') return answerText(response, 400, 'expected a ConversionReview with a request');
    if (answer.kind === 'TooLarge') return answerText(response, 413, `the ConversionReview is too large: ${answer.why}`);
    response.writeHead(200, { 'content-type': 'application/json' });
    await send(response, answer.pieces, signal);
  }
}
