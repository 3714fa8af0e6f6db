import type { CallOptions, Client } from '../client.ts';
import type { LeadershipGuard } from './leadership.ts';

/**
 * A client whose writes end with the leadership: each asks the guard before it starts, and is aborted with `guard.leading` while it waits in
 * a queue, for a retry or for its answer. Reads and watches are as before.
 *
 * @param guard not leading makes writes fail with `LeadershipLost`, an ApiError of kind `Aborted`
 */
export function fencedClient(client: Client, guard: LeadershipGuard): Client {
  const fenced = <O extends CallOptions>(options: O | undefined): O & CallOptions => {
    guard.assertLeading();
    const signal = options?.signal === undefined ? guard.leading : AbortSignal.any([options.signal, guard.leading]);
    return { ...(options as O), signal, beforeSend: () => guard.assertLeading() };
  };
  return {
    get: (type, key, options) => client.get(type, key, options),
    list: (type, options) => client.list(type, options),
    watch: (type, options) => client.watch(type, options),
    getScale: (type, key, options) => client.getScale(type, key, options),
    create: async (type, object, options) => client.create(type, object, fenced(options)),
    update: async (type, object, options) => client.update(type, object, fenced(options)),
    updateStatus: async (type, object, options) => client.updateStatus(type, object, fenced(options)),
    patch: async (type, key, patch, options) => client.patch(type, key, patch, fenced(options)),
    delete: async (type, key, options) => client.delete(type, key, fenced(options)),
    updateScale: async (type, key, scale, options) => client.updateScale(type, key, scale, fenced(options)),
    evict: async (key, options) => client.evict(key, fenced(options)),
    raw: async (path, options) => client.raw(path, (options?.method ?? 'GET') === 'GET' ? options : fenced(options)),
    close: () => client.close(),
  };
}
