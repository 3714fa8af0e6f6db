import { isFailure } from '../api-error.ts';
import type { Client } from '../client/client.ts';

/**
 * Returns a client that reports every write that took effect, or may have. A write without an answer counts, one that the server refused does not.
 *
 * @param onWrite called before the caller receives the answer
 */
export function witnessedClient(client: Client, onWrite: () => void): Client {
  async function write<R>(call: Promise<R>): Promise<R> {
    try {
      const answer = await call;
      onWrite();
      return answer;
    } catch (error) {
      if (isFailure(error, 'Unreachable', 'Aborted')) onWrite();
      throw error;
    }
  }

  return {
    get: (type, key, options) => client.get(type, key, options),
    list: (type, options) => client.list(type, options),
    watch: (type, options) => client.watch(type, options),
    getScale: (type, key, options) => client.getScale(type, key, options),
    create: (type, object, options) => write(client.create(type, object, options)),
    update: (type, object, options) => write(client.update(type, object, options)),
    updateStatus: (type, object, options) => write(client.updateStatus(type, object, options)),
    patch: (type, key, patch, options) => write(client.patch(type, key, patch, options)),
    delete: (type, key, options) => write(client.delete(type, key, options)),
    updateScale: (type, key, scale, options) => write(client.updateScale(type, key, scale, options)),
    evict: (key, options) => write(client.evict(key, options)),
    raw: (path, options) => ((options?.method ?? 'GET') === 'GET' ? client.raw(path, options) : write(client.raw(path, options))),
    close: () => client.close(),
  };
}
