import { describe, expect, it } from '@jest/globals';
import { ApiError, type WithStatus } from '@kruise/kube';
import { FakeApi, FakeClock } from '@kruise/kube/testing';
import { type ResourceType } from '@kruise/objects';
import { StatusLedger } from './status-ledger.ts';

interface Counter extends WithStatus {
  readonly status?: { readonly left: number };
}
const counters: ResourceType<Counter> = { group: 'example.com', version: 'v1', kind: 'Counter', plural: 'counters', namespaced: true };
const key = { namespace: 'default', name: 'c' };
const { signal } = new AbortController();

/** A ledger whose store knows `left`, beside a server that has `left` of its own. */
function begin({ known, onServer = known }: { known: number | undefined; onServer?: number | undefined }) {
  const api = new FakeApi();
  const clock = new FakeClock();
  let held = known === undefined ? undefined : api.seed(counters, { metadata: key, status: { left: known } });
  if (onServer !== known && onServer !== undefined)
    api.seed(counters, { metadata: api.peek(counters, key)?.metadata ?? key, status: { left: onServer } });
  const reads = { live: 0 };
  const ledger = new StatusLedger<Counter>({
    store: { get: () => held },
    read: async () => {
      reads.live++;
      return api.peek(counters, key);
    },
    write: async (object) => (held = await api.updateStatus(counters, object)),
    clock,
  });
  const take = (until: AbortSignal = signal, uid?: string) =>
    ledger.change(
      { ...key, uid },
      (copy) => {
        const left = copy?.status?.left ?? 0;
        return left > 0
          ? { result: 'taken', status: { left: left - 1 } }
          : { result: copy === undefined ? 'gone' : 'refused', isInDoubt: true };
      },
      until,
    );
  return { ledger, api, clock, take, reads, left: () => api.peek(counters, key)?.status?.left };
}

const writes = (api: FakeApi): number => api.calls.filter(({ verb }) => verb === 'update').length;

/** Lets the waits of the ledger pass. */
async function settled<T>(clock: FakeClock, work: Promise<T>): Promise<T> {
  for (let i = 0; i < 20; i++) await clock.step(1000);
  return work;
}

describe('a ledger', () => {
  it('writes what was decided on the newest copy that is known, without a read', async () => {
    const { take, left, reads } = begin({ known: 2 });
    expect([await take(), left(), reads.live]).toEqual(['taken', 1, 0]);
  });

  it('gives as many as there are to those who come at once', async () => {
    const { api, clock, take, left } = begin({ known: 3 });
    const answers = await settled(clock, Promise.all(Array.from({ length: 8 }, () => take())));
    expect([answers.filter((answer) => answer === 'taken').length, left()]).toEqual([3, 0]);
    expect(writes(api)).toBe(2);
  });

  it('decides again on the copy of the server when that is another', async () => {
    const { clock, take, left, reads } = begin({ known: 5, onServer: 1 });
    expect(await settled(clock, take())).toBe('taken');
    expect([left(), reads.live]).toEqual([0, 1]);
  });

  it('asks the server before it refuses', async () => {
    const { take, left, reads } = begin({ known: 0, onServer: 1 });
    expect([await take(), left(), reads.live]).toEqual(['taken', 0, 1]);
  });

  it('asks the server before it takes an object for gone', async () => {
    const { take, reads } = begin({ known: undefined });
    expect([await take(), reads.live]).toEqual(['gone', 1]);
  });

  it('an object that is deleted while it is written counts as deleted', async () => {
    const { api, take } = begin({ known: 1 });
    await api.delete(counters, key);
    expect(await take()).toBe('gone');
  });

  it('ends with the conflict when others are always faster', async () => {
    const { api, clock, take } = begin({ known: 1 });
    api.faults = {
      before: ({ verb }) => {
        if (verb === 'update') throw new ApiError('changed', { kind: 'Conflict' });
      },
    };
    const refused = expect(take()).rejects.toMatchObject({ failure: { kind: 'Conflict' } });
    await settled(clock, refused);
  });

  it('does not write for callers that have left meanwhile, and forgets an object without a waiting caller', async () => {
    const { ledger, api, take, left } = begin({ known: 2 });
    const aborted = new AbortController();
    const first = take();
    const second = expect(take(aborted.signal)).rejects.toThrow('gone');
    aborted.abort(new Error('gone'));
    await second;
    expect([await first, left(), writes(api)]).toEqual(['taken', 1, 1]);
    await Promise.resolve();
    expect(ledger.size).toBe(0);
  });

  it('takes another object of the name for none', async () => {
    const { api, take } = begin({ known: 1 });
    expect(await take(signal, 'another')).toBe('gone');
    expect(await take(signal, api.peek(counters, key)?.metadata.uid)).toBe('taken');
  });

  it('fails with what keeps it from deciding, and serves the next', async () => {
    const { ledger, take } = begin({ known: 1 });
    const failing = ledger.change(key, () => Promise.reject(new Error('cannot know')), signal);
    await expect(failing).rejects.toThrow('cannot know');
    expect(await take()).toBe('taken');
  });
});
