/** What the rules about an object have in common. */
import { objectsAt, type JsonObject } from '@kruise/objects';
import type { AnyObject, Seen } from '../seen.ts';
import type { Cause } from './cause.ts';

/** One rule about the object. */
export type ObjectRule = (object: AnyObject, seen: Seen) => Cause | undefined;

/** Returns a condition of the object in the given status. */
export const conditionOf = (object: unknown, type: string, status = 'True'): JsonObject | undefined =>
  objectsAt(object, 'status', 'conditions').find((one) => one['type'] === type && one['status'] === status);
