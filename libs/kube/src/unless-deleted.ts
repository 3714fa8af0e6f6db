import { isFailure } from './api-error.ts';

/**
 * Awaits `call` and treats an object that does not exist as success.
 *
 * @returns undefined when the object does not exist
 * @throws every other failure
 */
export async function unlessDeleted<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isFailure(error, 'NotFound')) return undefined;
    throw error;
  }
}
