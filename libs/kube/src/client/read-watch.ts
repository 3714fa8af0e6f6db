/** Reads a watch: one JSON event a line, `{"type":"ADDED","object":{...}}`. */
import { parseJsonText, type KubeObject, type ResourceType } from '@kruise/objects';
import type { WatchEvent } from './client.ts';
import { errorFromStatus } from './transport/error-from-answer.ts';
import { findMember } from './bodies/json-walk.ts';
import { metadataOnly, type ObjectPart } from './bodies/metadata-only.ts';
import { parseJson, parseObject } from './bodies/parse-json.ts';
import { readChunks, takeChunks, TimeSlice } from './bodies/read-body.ts';
import { LineSplitter } from './bodies/split-lines.ts';
import { TransportError, type WireResponse } from './transport/transport.ts';

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

export interface WatchReading {
  readonly type: ResourceType;
  readonly part?: ObjectPart | undefined;
  readonly keepManagedFields: boolean;
  /** The request, for messages. */
  readonly asked: string;
}

/** Yields the events of `answer` in order and ends when the server ends it. Throws `ApiError` for an ERROR event, `TransportError` for a break. */
export async function* readWatch<T extends KubeObject>(answer: WireResponse, how: WatchReading): AsyncGenerator<WatchEvent<T>, void, void> {
  const lines = new LineSplitter();
  const slice = new TimeSlice();
  for await (const chunk of readChunks(answer)) {
    for (const line of lines.push(chunk)) {
      yield parseEvent<T>(line, how);
      if (slice.over()) await slice.pause();
    }
  }
  checkEnd(lines);
}

/**
 * Reads as {@link readWatch} does and passes each event to `take` as soon as its bytes have arrived.
 *
 * @param take may return a promise, which is awaited before the next event. What it throws ends the watch and is thrown unchanged.
 */
export async function takeWatch<T extends KubeObject>(
  answer: WireResponse,
  how: WatchReading,
  take: (event: WatchEvent<T>) => Promise<void> | undefined,
): Promise<void> {
  const lines = new LineSplitter();
  const takeLines = (given: Iterator<Buffer, void>): Promise<void> | undefined => {
    for (let next = given.next(); next.done !== true; next = given.next()) {
      const pause = take(parseEvent<T>(next.value, how));
      if (pause !== undefined) return pause.then(() => (answer.body.destroyed ? undefined : takeLines(given)));
    }
    return undefined;
  };
  await takeChunks(answer, (chunk) => takeLines(lines.push(chunk)));
  checkEnd(lines);
}

function checkEnd(lines: LineSplitter): void {
  if (lines.pendingBytes > 0) throw new TransportError('Unknown', new Error('the watch ended in the middle of an event'));
}

/** Parses one event from its line. Throws `ApiError` for an ERROR event, `SyntaxError` for anything that is no event. */
export function parseEvent<T extends KubeObject>(line: Buffer, how: WatchReading): WatchEvent<T> {
  const { type, object } = splitEvent(line);
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type, object: partOf(parseObject<T>(object, how.keepManagedFields), how) };
    case 'BOOKMARK':
      return parseBookmark(object);
    case 'ERROR':
      throw errorFromStatus(parseJson(object), how.asked);
    default:
      throw new SyntaxError(`the watch sent an event of the unknown type ${JSON.stringify(type)}`);
  }
}

const partOf = <T extends KubeObject>(object: T, { type, part }: WatchReading): T =>
  part === undefined ? object : metadataOnly(object, type as ResourceType<T>);

function parseBookmark(bytes: Buffer): Extract<WatchEvent<never>, { type: 'BOOKMARK' }> {
  const bookmark = parseObject(bytes, false) as Partial<KubeObject> | null;
  const metadata = bookmark?.metadata ?? undefined;
  if (metadata === undefined) throw new SyntaxError('the watch sent a bookmark without metadata');
  const initialEventsEnd = metadata.annotations?.[INITIAL_EVENTS_END] === 'true';
  return { type: 'BOOKMARK', resourceVersion: metadata.resourceVersion ?? '', initialEventsEnd };
}

function splitEvent(line: Buffer): { readonly type: unknown; readonly object: Buffer } {
  const type = findMember(line, 0, 'type');
  const object = findObject(line);
  if (type === undefined || type === -1 || object === undefined) throw new SyntaxError('the watch sent a line that is not an event');
  return { type: parseJsonText(line.toString('utf8', type.valueStart, type.valueEnd)), object };
}

const OBJECT_KEY = Buffer.from('"object":');
/** Behind the longest type. A later comma is not the one after the type. */
const LATEST_KEY = 32;

/**
 * Returns the bytes of the event's object. The API server writes `object` as the second and last field, so its end is the end of the line and need
 * not be searched.
 */
function findObject(line: Buffer): Buffer | undefined {
  const start = line.indexOf(0x2c) + 1;
  const end = line.length - 1;
  if (start < LATEST_KEY && line[end] === 0x7d && line.subarray(start, start + OBJECT_KEY.length).equals(OBJECT_KEY)) {
    return line.subarray(start + OBJECT_KEY.length, end);
  }
  const member = findMember(line, 0, 'object');
  return member === undefined || member === -1 ? undefined : line.subarray(member.valueStart, member.valueEnd);
}
