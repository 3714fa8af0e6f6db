/** Events about an object. They expire after an hour and do not say when their cause is over, so only recent ones count. */
import { memoized, numberAt, parseTime, stringAt } from '@kruise/objects';
import type { AnyObject, Seen } from '../seen.ts';
import type { Evidence } from './cause.ts';

/** An older event may be about something that is over. */
const recentMs = 10 * 60_000;

/** What an event says. */
export interface Said {
  readonly reason: string;
  readonly message: string;
  readonly evidence: Evidence;
}

const timeOf = (event: AnyObject): string | undefined =>
  stringAt(event, 'lastTimestamp') ??
  stringAt(event, 'series', 'lastObservedTime') ??
  stringAt(event, 'eventTime') ??
  stringAt(event, 'firstTimestamp');

function saidBy(event: AnyObject, kind: string, name: string): Said {
  const [reason, message] = [stringAt(event, 'reason') ?? '', stringAt(event, 'message') ?? ''];
  const time = timeOf(event);
  const count = numberAt(event, 'count') ?? 1;
  const text = count > 1 ? `${message} (${count} times)` : message;
  return {
    reason,
    message,
    evidence: { object: `${kind} ${name}`, field: `event ${reason}`, text, ...(time === undefined ? {} : { time }) },
  };
}

const aboutOf = (kind: string, name: string): string => `${kind} ${name}`;

/** Recent warnings by the object that they are about, newest first. Sorted once: rules request every Pod. */
const warnings = memoized((seen: Seen): ReadonlyMap<string, readonly AnyObject[]> => {
  const at = (event: AnyObject): number => parseTime(timeOf(event)) ?? 0;
  const recent = seen.all('/Event').filter((event) => stringAt(event, 'type') === 'Warning' && at(event) + recentMs > seen.now);
  return Map.groupBy(
    recent.toSorted((a, b) => at(b) - at(a)),
    (event) => aboutOf(stringAt(event, 'involvedObject', 'kind') ?? '', stringAt(event, 'involvedObject', 'name') ?? ''),
  );
});

/** Returns the warnings of the last ten minutes about an object, newest first. */
export const recentEvents = (seen: Seen, { kind, name }: { readonly kind: string; readonly name: string }): readonly Said[] =>
  (warnings(seen).get(aboutOf(kind, name)) ?? []).map((event) => saidBy(event, kind, name));
