/** Reads a list answer item by item. */
import { apiVersionOf, type KubeObject, type ResourceType } from '@kruise/objects';
import type { ObjectList } from './client.ts';
import { Unrepeatable } from './caller.ts';
import { metadataOnly, type ObjectPart } from './bodies/metadata-only.ts';
import { parseJson, parseObject } from './bodies/parse-json.ts';
import { readChunks, TimeSlice } from './bodies/read-body.ts';
import { ListSplitter } from './bodies/split-list.ts';
import { TransportError, type WireResponse } from './transport/transport.ts';

export interface ListReading<T extends KubeObject> {
  readonly type: ResourceType<T>;
  readonly part?: ObjectPart | undefined;
  readonly keepManagedFields: boolean;
  /** Receives each item as it arrives; the returned list then has none. */
  readonly onItem: ((item: T) => void) | undefined;
}

interface Envelope {
  readonly metadata?: ObjectList<never>['metadata'];
}

type Writable = { apiVersion?: string; kind?: string };

/**
 * Returns the list in `answer`, parsed item by item with pauses for the rest of the program.
 * Throws `TransportError` when it breaks off, `SyntaxError` or `ListSyntaxError` when it is no list.
 */
export async function readList<T extends KubeObject>(answer: WireResponse, how: ListReading<T>): Promise<ObjectList<T>> {
  const items: T[] = [];
  const take = how.onItem ?? ((item: T): unknown => items.push(item));
  const splitter = new ListSplitter();
  const given = { any: false };
  try {
    await readItems(answer, splitter, (bytes) => {
      const read = parseObject<T>(bytes, how.keepManagedFields);
      const item = how.part === undefined ? complete(read, how.type) : metadataOnly(read, how.type);
      given.any = true;
      take(item);
    });
  } catch (error) {
    if (how.onItem === undefined || !given.any || !(error instanceof TransportError)) throw error;
    throw new TransportError(error.reach, new Unrepeatable(error.message));
  }
  const { metadata } = parseJson(splitter.envelope()) as Envelope;
  if (metadata === undefined) throw new SyntaxError('the answer is not a list');
  return { metadata, items };
}

async function readItems(answer: WireResponse, splitter: ListSplitter, take: (bytes: Buffer) => void): Promise<void> {
  const slice = new TimeSlice();
  for await (const chunk of readChunks(answer)) {
    for (const bytes of splitter.push(chunk)) {
      take(bytes);
      if (slice.over()) await slice.pause();
    }
  }
}

/** Adds apiVersion and kind, which the API server omits in list items. */
function complete<T extends KubeObject>(item: T, type: ResourceType): T {
  const writable = item as Writable;
  writable.apiVersion ??= apiVersionOf(type);
  writable.kind ??= type.kind;
  return item;
}
