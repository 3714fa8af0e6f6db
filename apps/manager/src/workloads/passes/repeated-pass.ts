/** How soon a pass is repeated that could not read or write what it relies on. */
import { afterFailure, isPanic, type Outcome } from '@kruise/kube';
import { triedAgainWithin } from '../refusals/refused-objects.ts';

/** Runs a pass. One that fails is repeated with backoff, and after a minute at the latest. @throws what is a defect of the program, see {@link isPanic} */
export async function repeatedPass(pass: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await pass();
  } catch (error) {
    if (isPanic(error)) throw error;
    return afterFailure(error, triedAgainWithin);
  }
}
