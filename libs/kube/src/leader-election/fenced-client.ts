import type { CallOptions, Client } from '../client/client.ts';
import type { LeadershipGuard } from './leadership.ts';

/**
 * Returns a client whose writes end with the leadership. Each write checks the guard when it is called and again before every attempt is sent. It is
 * aborted with `guard.leading` while it waits in a queue, for a retry or for its answer. Reads and watches are unchanged.
 *
 * @param guard when it does not lead, writes fail with an ApiError of kind `Aborted`
 */
export function fencedClient(client: Client, guard: LeadershipGuard): Client {
  const ask = (): void => guard.assertLeading();

  async function write<O extends CallOptions, R>(options: O | undefined, call: (fenced: O & CallOptions) => Promise<R>): Promise<R> {
    guard.assertLeading();
    const own = options?.beforeSend;
    const beforeSend = own === undefined ? ask : (): void => (ask(), own());
    const both = options?.signal === undefined ? undefined : linked(options.signal, guard.leading);
    try {
      return await call({ ...(options as O), signal: both?.signal ?? guard.leading, beforeSend });
    } finally {
      both?.unlink();
    }
  }

  return {
    get: (type, key, options) => client.get(type, key, options),
    list: (type, options) => client.list(type, options),
    watch: (type, options) => client.watch(type, options),
    getScale: (type, key, options) => client.getScale(type, key, options),
    create: (type, object, options) => write(options, (fenced) => client.create(type, object, fenced)),
    update: (type, object, options) => write(options, (fenced) => client.update(type, object, fenced)),
    updateStatus: (type, object, options) => write(options, (fenced) => client.updateStatus(type, object, fenced)),
    patch: (type, key, patch, options) => write(options, (fenced) => client.patch(type, key, patch, fenced)),
    delete: (type, key, options) => write(options, (fenced) => client.delete(type, key, fenced)),
    updateScale: (type, key, scale, options) => write(options, (fenced) => client.updateScale(type, key, scale, fenced)),
    evict: (key, options) => write(options, (fenced) => client.evict(key, fenced)),
    raw: (path, options) =>
      (options?.method ?? 'GET') === 'GET' ? client.raw(path, options) : write(options, (fenced) => client.raw(path, fenced)),
    close: () => client.close(),
  };
}

/** Combines both signals for the time of one call. `AbortSignal.any` costs several times as much and leaves more to the garbage collector. */
function linked(a: AbortSignal, b: AbortSignal): { readonly signal: AbortSignal; readonly unlink: () => void } {
  const joined = new AbortController();
  const onA = (): void => joined.abort(a.reason);
  const onB = (): void => joined.abort(b.reason);
  if (a.aborted) onA();
  a.addEventListener('abort', onA);
  b.addEventListener('abort', onB);
  return {
    signal: joined.signal,
    unlink: () => {
      a.removeEventListener('abort', onA);
      b.removeEventListener('abort', onB);
    },
  };
}
