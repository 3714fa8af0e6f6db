/** Errors of unknown origin. */
import { types } from 'node:util';

/** Returns an Error, also for errors of another realm (a VM context), which `instanceof` does not recognise. */
export const asError = (reason: unknown): Error => (types.isNativeError(reason) ? reason : new Error(String(reason)));
