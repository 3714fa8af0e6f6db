/** Reports that something has changed without keeping it: for objects that are read when they are used and are too large or too secret to cache. */
import type { Client, Clock, Logger } from '@kruise/kube';
import { milliseconds, type KubeObject, type ResourceType } from '@kruise/objects';

/** The watched objects, and the callback. */
export interface TriggerOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly namespace?: string;
  readonly fieldSelector?: string;
  /** Called for each change from now on, and after each gap in the watch (something may have been missed). */
  readonly onChange: (object: KubeObject | undefined) => void;
}

const betweenWatches = milliseconds(1000);

/** Opens one watch, from now until it ends or breaks. @param isResumed whether changes may have been missed before */
async function watchOnce(type: ResourceType, options: TriggerOptions, isResumed: boolean, signal: AbortSignal): Promise<void> {
  const { client, namespace, fieldSelector, onChange } = options;
  const scope = { ...(namespace === undefined ? {} : { namespace }), ...(fieldSelector === undefined ? {} : { fieldSelector }), signal };
  const { metadata } = await client.list(type, { ...scope, limit: 1 });
  if (isResumed) onChange(undefined);
  for await (const event of client.watch(type, { ...scope, resourceVersion: metadata.resourceVersion, timeoutSeconds: 600 })) {
    if (event.type !== 'BOOKMARK') onChange(event.object);
  }
}

/** Watches until `signal` aborts; never throws. A watch that ends or breaks is opened again after a second. */
export async function watchForChanges(type: ResourceType, options: TriggerOptions, signal: AbortSignal): Promise<void> {
  const { clock } = options;
  const logger = options.logger.child({ logger: 'webhook-controller' });
  for (let isResumed = false; !signal.aborted; isResumed = true) {
    try {
      await watchOnce(type, options, isResumed, signal);
    } catch (error) {
      if (!signal.aborted) logger.debug({ error, resource: type.plural }, 'Watch for changes ended with an error');
    }
    await clock.sleep(betweenWatches, signal).catch(() => undefined);
  }
}
