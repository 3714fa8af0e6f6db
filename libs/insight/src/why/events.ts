/** Events about an object. They expire after an hour and do not say when their cause is over, so only recent ones count. */
import { numberAt, parseTime, stringAt } from '@kruise/objects';
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

/** Returns the warnings of the last ten minutes about an object, newest first. */
export function recentEvents(seen: Seen, { kind, name }: { readonly kind: string; readonly name: string }): readonly Said[] {
  return seen
    .all('/Event')
    .filter((event) => stringAt(event, 'type') === 'Warning')
    .filter((event) => stringAt(event, 'involvedObject', 'kind') === kind && stringAt(event, 'involvedObject', 'name') === name)
    .filter((event) => (parseTime(timeOf(event)) ?? 0) + recentMs > seen.now)
    .toSorted((a, b) => (parseTime(timeOf(b)) ?? 0) - (parseTime(timeOf(a)) ?? 0))
    .map((event) => saidBy(event, kind, name));
}
