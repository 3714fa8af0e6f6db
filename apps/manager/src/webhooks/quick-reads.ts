/** What handlers read from the API server while somebody waits for them: briefly, or not at all. */
import type { CallOptions } from '@kruise/kube';
import type { LiveReads } from '../module/handler-dependencies.ts';

/** A review that waits for longer is more trouble than one that is refused, or decided by what caches hold. */
export const liveReadMs = 2000;

const quick = <O extends CallOptions>(options: O | undefined): O & CallOptions => ({
  ...(options as O),
  timeoutMs: Math.min(options?.timeoutMs ?? liveReadMs, liveReadMs),
});

/** Reads of the client that fail after 2 s. Handlers have no other calls: they never write. */
export const quickReads = (client: LiveReads): LiveReads => ({
  get: (type, key, options) => client.get(type, key, quick(options)),
  list: (type, options) => client.list(type, quick(options)),
});
