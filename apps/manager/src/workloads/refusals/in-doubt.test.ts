import { describe, expect, it } from '@jest/globals';
import { ApiError, type Client, type StoreReader } from '@kruise/kube';
import { instant, seconds, type Pod } from '@kruise/objects';
import { aPod, epoch } from '@kruise/testing';
import { InDoubt } from './in-doubt.ts';

const timeout = seconds(300);
const made = aPod();
const pod: Pod = { ...made, metadata: { ...made.metadata, uid: 'u', resourceVersion: '1' } };
const newer: Pod = { ...pod, metadata: { ...pod.metadata, resourceVersion: '2' } };
const never = new AbortController().signal;

/** @param held what the store has  @param served what the server has */
function remains(held: Pod | undefined, served: Pod | Error, after = 1000): Promise<boolean> {
  let inStore: Pod | undefined = pod;
  const inDoubt = new InDoubt({ get: () => inStore } as unknown as StoreReader<Pod>, timeout);
  inDoubt.add('set', pod, epoch);
  inStore = held;
  const get = (): Promise<Pod> => (served instanceof Error ? Promise.reject(served) : Promise.resolve(served));
  return inDoubt.remains('set', { get } as unknown as Client, instant(epoch + after), never);
}

describe('a write without an answer', () => {
  it('is in doubt while the server has what the store has not', () => expect(remains(pod, newer)).resolves.toBe(true));
  it('never happened where the server has what was written over', () => expect(remains(pod, pod)).resolves.toBe(false));
  it('is known once the store has a newer version', () => expect(remains(newer, newer)).resolves.toBe(false));
  it('is in doubt while the store has a Pod that no longer exists', () =>
    expect(remains(pod, new ApiError('gone', { kind: 'NotFound' }))).resolves.toBe(true));
  it('is known once the store has no Pod', () => expect(remains(undefined, newer)).resolves.toBe(false));
  it('is given up after the timeout', () => expect(remains(pod, newer, timeout)).resolves.toBe(false));
  it('is unknown while the API server is silent', () =>
    expect(remains(pod, new ApiError('no answer', { kind: 'Unreachable', cause: undefined }))).rejects.toThrow('no answer'));

  it('is of one owner, and forgotten with it', async () => {
    const inDoubt = new InDoubt({ get: () => pod } as unknown as StoreReader<Pod>, timeout);
    const client = { get: () => Promise.resolve(newer) } as unknown as Client;
    inDoubt.add('set', pod, epoch);
    await expect(inDoubt.remains('other', client, epoch, never)).resolves.toBe(false);
    inDoubt.forget('set');
    await expect(inDoubt.remains('set', client, epoch, never)).resolves.toBe(false);
  });
});
