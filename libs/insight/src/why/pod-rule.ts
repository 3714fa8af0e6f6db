/** What the rules about a Pod have in common. */
import { parseTime, type Pod } from '@kruise/objects';
import type { Seen } from '../seen.ts';
import type { Cause } from './cause.ts';

/** How long a Pod may start, become ready or end before something must be wrong. */
const patienceMs = 60_000;

/** One rule about one Pod. */
export type PodRule = (pod: Pod, seen: Seen) => Cause | undefined;

/** Returns a reason and a message as one text; either may be absent. */
export const joined = (reason: string | undefined, message: string | undefined): string =>
  [reason ?? '', message ?? ''].filter((text) => text !== '').join(': ');

/** Returns whether the time is longer ago than the patience; true for an unknown time. */
export const isLongAgo = (time: string | null | undefined, seen: Seen, ms = patienceMs): boolean =>
  (parseTime(time ?? undefined) ?? 0) + ms <= seen.now;
