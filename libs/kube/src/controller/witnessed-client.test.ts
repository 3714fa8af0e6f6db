import { describe, expect, it } from '@jest/globals';
import { namespaces, type KubeObject } from '@kruise/objects';
import type { ApiError } from '../api-error.ts';
import type { Client } from '../client/client.ts';
import { FakeApi, apiFailures } from '../testing.ts';
import { witnessedClient } from './witnessed-client.ts';

const key = { namespace: '', name: 'first' };
const labelled = { metadata: { labels: { owner: 'a-team' } } };

/** Returns how many writes a call reports on a server that answers it with `failure`, if any. */
async function reported(call: (client: Client) => Promise<unknown>, failure?: ApiError): Promise<number> {
  let writes = 0;
  const api = new FakeApi();
  api.seed(namespaces, { metadata: { name: 'first' } });
  const connection = api.connect('controller', {
    before: () => {
      if (failure !== undefined) throw failure;
    },
  });
  await call(witnessedClient(connection, () => writes++)).catch(() => undefined);
  return writes;
}

const patch = (client: Client): Promise<KubeObject> => client.patch(namespaces, key, labelled, { type: 'merge' });

describe('a witnessed client', () => {
  it.each<{ name: string; call: (client: Client) => Promise<unknown>; failure?: ApiError; writes: number }>([
    { name: 'reports a patch', call: patch, writes: 1 },
    { name: 'reports a deletion', call: (client) => client.delete(namespaces, key), writes: 1 },
    { name: 'reports a write without an answer, which may have taken effect', call: patch, failure: apiFailures.unreachable(), writes: 1 },
    { name: 'reports no write that was refused', call: patch, failure: apiFailures.conflict(namespaces, 'first', 'changed'), writes: 0 },
    { name: 'reports no read', call: (client) => client.get(namespaces, key), writes: 0 },
    {
      name: 'reports no read without an answer',
      call: (client) => client.list(namespaces),
      failure: apiFailures.unreachable(),
      writes: 0,
    },
  ])('$name', async ({ call, failure, writes }) => {
    expect(await reported(call, failure)).toBe(writes);
  });
});
