/** The core/v1 Event as this recorder writes it. This file is pure. */
import { formatTime, type Instant, type KubeObject, type ResourceType } from '@kruise/objects';

/** The object that an event refers to. */
export interface ObjectReference {
  readonly apiVersion?: string;
  readonly kind: string;
  /** Absent or '' for cluster-scoped objects. */
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly fieldPath?: string;
}

/** `Warning` is for what a user may have to act on. */
export type EventType = 'Normal' | 'Warning';

/** An event as it is stored. A repetition raises `count` and sets `lastTimestamp`. */
export interface CoreEvent extends KubeObject {
  readonly involvedObject: ObjectReference;
  readonly reason: string;
  readonly message: string;
  readonly source: { readonly component: string; readonly host?: string };
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  readonly count: number;
  readonly type: EventType;
  readonly reportingComponent: string;
  readonly reportingInstance: string;
}

/** The resource type of events of core/v1; not those of events.k8s.io. */
export const coreEvents: ResourceType<CoreEvent> = { group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true };

/** Longest message in bytes of UTF-8. */
export const longestMessage = 1024;
const longestName = 253;

/** Returns a message that the API server accepts: cut between characters, with an ellipsis where something is missing. */
export function fittingMessage(message: string): string {
  if (Buffer.byteLength(message) <= longestMessage) return message;
  const bytes = Buffer.from(message).subarray(0, longestMessage - 3);
  // A cut character ends in the replacement character, which is not part of the message.
  return `${bytes.toString('utf8').replace(/\uFFFD$/, '')}...`;
}

/** Returns the reference of an object, undefined for an object without kind or name: an event could not refer to it. */
export function referenceTo(target: KubeObject | ObjectReference): ObjectReference | undefined {
  const reference = 'metadata' in target ? referenceOf(target) : target;
  return reference.kind === '' || reference.name === '' ? undefined : reference;
}

function referenceOf({ apiVersion, kind, metadata }: KubeObject): ObjectReference {
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    kind: kind ?? '',
    name,
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}

/** Returns `<object>.<hex of nanoseconds>`. `serial` distinguishes events of the same millisecond. */
export function eventName(objectName: string, now: Instant, serial: number): string {
  const suffix = (BigInt(Math.floor(now)) * 1_000_000n + BigInt(serial % 1_000_000)).toString(16);
  return `${objectName.slice(0, longestName - suffix.length - 1).replace(/[^a-z0-9]+$/, '')}.${suffix}`;
}

export interface EventFacts {
  readonly about: ObjectReference;
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
  readonly component: string;
  readonly host?: string | undefined;
}

/** Returns a new event. Events about cluster-scoped objects are in namespace `default`. */
export function newEvent(facts: EventFacts, now: Instant, serial: number): CoreEvent {
  const { about, type, reason, component, host } = facts;
  const time = formatTime(now);
  const namespace = about.namespace === undefined || about.namespace === '' ? 'default' : about.namespace;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: eventName(about.name, now, serial), namespace },
    involvedObject: about,
    reason,
    message: fittingMessage(facts.message),
    source: { component, ...(host === undefined ? {} : { host }) },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    type,
    reportingComponent: component,
    reportingInstance: host ?? '',
  };
}
