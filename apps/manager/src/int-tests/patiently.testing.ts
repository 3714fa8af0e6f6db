/** Writes that a manager may ask a client to repeat. */
import { ApiError } from '@kruise/kube';

const mostAttempts = 4;

/**
 * Does the work, and repeats it while the manager asks for that: on a busy machine it may take too long to widen the Pod webhook for an object that
 * Pods need the webhook for.
 *
 * @throws any other failure at once, and the last one of the fourth attempt
 */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === mostAttempts || !(error instanceof ApiError) || !error.message.includes('please try again')) throw error;
    }
  }
}
