/** Failures that a user caused or can mend, and the text and exit code of each failure. */
import type { ApiError } from '@kruise/kube';

/** Printed as `error: <message>`, or as it is with `plain`. */
export class UserError extends Error {
  override readonly name = 'UserError';
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** A command line that cannot be understood; the hint says where the help is. */
export class UsageError extends UserError {
  readonly hint: string;

  constructor(message: string, commandPath: string) {
    super(message);
    this.hint = `See '${commandPath} -h' for help and examples`;
  }
}

/** Ends the program with a code, without a word: what there is to say has been said. */
export class Exit extends Error {
  override readonly name = 'Exit';
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`exit ${exitCode}`);
    this.exitCode = exitCode;
  }
}

/** By name, so that `--help` does not load the client. */
const isApiError = (error: unknown): error is ApiError => error instanceof Error && error.name === 'ApiError';

/** The message of the API server without the request that the client puts before it. */
export const serverMessage = (error: Error): string => (isApiError(error) ? error.said : error.message);

function apiFailure(error: ApiError): string {
  const { failure, reason } = error;
  const message = serverMessage(error);
  switch (failure.kind) {
    case 'Unreachable':
      return `Unable to connect to the server: ${message}`;
    case 'Unauthorized':
      return 'error: You must be logged in to the server (Unauthorized)';
    case 'Aborted':
      return `error: ${message}`;
    case 'Invalid': {
      const { kind, name } = error.details ?? { kind: '', name: '' };
      if (kind === '' || failure.causes.length === 0) return `Error from server (Invalid): ${message}`;
      const causes = failure.causes.map((cause) => `${cause.field}: ${cause.message}`);
      return causes.length === 1
        ? `The ${kind} "${name}" is invalid: ${causes[0]}`
        : [`The ${kind} "${name}" is invalid: `, ...causes.map((cause) => `* ${cause}`)].join('\n');
    }
    default:
      return reason === '' ? `Error from server: ${message}` : `Error from server (${reason}): ${message}`;
  }
}

/** Several failures as one; a single one as it is. */
export const joined = (failures: readonly unknown[]): unknown => (failures.length === 1 ? failures[0] : new AggregateError(failures));

/** What stderr says of a failure, without a line break at the end; '' for nothing. */
export function failureText(error: unknown): string {
  if (error instanceof UsageError) return `error: ${error.message}\n${error.hint}`;
  if (error instanceof AggregateError)
    return [...new Set((error.errors as unknown[]).map(failureText))].filter((text) => text !== '').join('\n');
  if (error instanceof UserError) return `error: ${error.message}`;
  if (error instanceof Exit) return '';
  if (isApiError(error)) return apiFailure(error);
  return `error: ${error instanceof Error ? error.message : String(error)}`;
}

/** The exit code of a failure. @param own that of the command, for failures without one */
export function failureCode(error: unknown, own = 1): number {
  if (error instanceof Exit) return error.exitCode;
  return error instanceof UserError && error.exitCode !== 1 ? error.exitCode : own;
}
