import { isFailure } from './api-error.ts';

/**
 * Awaits `call`; an object that is not there any more is as good as done.
 *
 * @returns undefined when it is gone
 * @throws every other failure
 */
export async function unlessGone<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isFailure(error, 'NotFound')) return undefined;
    throw error;
  }
}
