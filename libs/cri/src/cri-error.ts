/** The one class that CRI calls throw, and the one place that converts a gRPC code to a failure that callers decide on. */
import { status } from '@grpc/grpc-js';

/**
 * Why a call failed.
 * `Unavailable`: there is no answer at the socket (runtime stopped, starting or replaced). The call may or may not have taken effect.
 * `DeadlineExceeded`: no answer in time. The call may or may not have taken effect.
 * `Aborted`: the caller's signal.
 * `Unimplemented`: the runtime does not serve this method, or not CRI v1 at all.
 * `InvalidAnswer`: the answer is no such message.
 * `Refused`: any other answer of the runtime; `code` is the gRPC code.
 */
export type CriFailure =
  | { readonly kind: 'NotFound' | 'Unavailable' | 'DeadlineExceeded' | 'Aborted' | 'Unimplemented' | 'InvalidAnswer' }
  | { readonly kind: 'Refused'; readonly code: number };

/** `message` is one line that names the method and contains the message of the runtime. */
export class CriError extends Error {
  override readonly name = 'CriError';
  readonly failure: CriFailure;

  constructor(message: string, failure: CriFailure, cause?: unknown) {
    super(message, { cause });
    this.failure = failure;
  }
}

/** Returns whether `error` is a {@link CriError} whose failure is of one of these kinds. */
export const isCriFailure = (error: unknown, ...kinds: readonly CriFailure['kind'][]): error is CriError =>
  error instanceof CriError && kinds.includes(error.failure.kind);

const kindsOfCode: Readonly<Partial<Record<number, CriFailure>>> = {
  [status.NOT_FOUND]: { kind: 'NotFound' },
  [status.UNAVAILABLE]: { kind: 'Unavailable' },
  // Not caused by us, see below: the runtime dropped the call, as it does when it ends.
  [status.CANCELLED]: { kind: 'Unavailable' },
  [status.DEADLINE_EXCEEDED]: { kind: 'DeadlineExceeded' },
  [status.UNIMPLEMENTED]: { kind: 'Unimplemented' },
};

/**
 * Returns the failure of a gRPC code.
 *
 * @param aborted whether the caller had aborted the call: a runtime may answer that with any code
 */
export const failureOfCode = (code: number, aborted: boolean): CriFailure =>
  aborted ? { kind: 'Aborted' } : (kindsOfCode[code] ?? { kind: 'Refused', code });
