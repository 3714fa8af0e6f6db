/** Writes to every object of a type while managers may still start: a write that fails is repeated, and one that is refused is named. */
import { ApiError, unlessDeleted, type Client, type Clock } from '@kruise/kube';
import { milliseconds, type KubeObject, type ResourceType } from '@kruise/objects';

/** Whom a migration asks, and until when. */
export interface MigrationParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** What became of the objects of a type. */
export interface Written {
  /** Number of objects that were written. */
  readonly objects: number;
  /** Why objects could not be written, a line for each. */
  readonly failures: readonly string[];
}

const pageSize = 100;
const retryPause = milliseconds(2000);
/** Two minutes; a refusal may look like a webhook that does not answer. */
const mostTries = 60;

/** While managers start their webhooks fail, and an object may be changed at the same time: both pass. */
const passes = (error: unknown): boolean =>
  !(error instanceof ApiError) || !['Invalid', 'Forbidden', 'BadRequest'].includes(error.failure.kind);

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Tries until it is done, fails for good, or has failed for two minutes. */
export async function insist<T>({ clock, signal }: MigrationParts, attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (signal.aborted || tries === mostTries || !passes(error)) throw error;
      await clock.sleep(retryPause, signal);
    }
  }
}

/** Reads metadata alone, page by page: migrations need no more, and Secrets are among the objects. */
async function* objectsOf(parts: MigrationParts, type: ResourceType): AsyncGenerator<KubeObject, void, void> {
  let position: string | undefined;
  do {
    const { items, metadata } = await insist(parts, () =>
      parts.client.list(type, {
        limit: pageSize,
        part: 'Metadata',
        signal: parts.signal,
        ...(position === undefined ? {} : { continue: position }),
      }),
    );
    yield* items;
    position = metadata.continue === '' ? undefined : metadata.continue;
  } while (position !== undefined);
}

/**
 * Calls `write` for every object of a type. An object that is deleted meanwhile counts as written.
 *
 * @param write gets the metadata of the object; resolves to whether there was something to write
 * @throws ApiError when the signal aborted, or the objects cannot be listed
 */
export async function writeEach(
  parts: MigrationParts,
  type: ResourceType,
  write: (object: KubeObject) => Promise<boolean>,
): Promise<Written> {
  const failures: string[] = [];
  let objects = 0;
  for await (const object of objectsOf(parts, type)) {
    const { namespace = '', name } = object.metadata;
    try {
      if ((await insist(parts, () => unlessDeleted(write(object)))) !== false) objects++;
    } catch (error) {
      if (parts.signal.aborted) throw error;
      failures.push(`${type.plural} ${namespace === '' ? '' : `${namespace}/`}${name}: ${messageOf(error)}`);
    }
  }
  return { objects, failures };
}
