import { urlPath } from '@kruise/kube';
import { describe, expect, it } from '@jest/globals';
import {
  persistentPodStateDeclaration,
  persistentPodStates,
  workloadSpreadDeclaration,
  workloadSpreads,
  type WorkloadSpread,
} from '@kruise/api';
import type { CallOptions, Client } from '@kruise/kube';
import { pods } from '@kruise/objects';
import { allLive, livePods, type ListLive } from '../module/live-lists.ts';
import { quickReads, quickWrites } from './quick-reads.ts';

const { signal } = new AbortController();

describe('a read of a handler', () => {
  it.each<[string, CallOptions | undefined, CallOptions]>([
    ['takes 2 s at most', undefined, { timeoutMs: 2000 }],
    ['takes less where the handler says so, and ends with its review', { timeoutMs: 500, signal }, { timeoutMs: 500, signal }],
    ['takes no more where the handler would wait for longer', { timeoutMs: 4000 }, { timeoutMs: 2000 }],
  ])('%s', async (_name, options, expected) => {
    const asked: unknown[] = [];
    const answer = (...args: readonly unknown[]): Promise<never> => Promise.resolve(asked.push(args.at(-1)) as never);
    const reads = quickReads({ get: answer, list: answer, raw: answer });
    await reads.get(pods, { namespace: 'ns', name: 'p' }, options);
    await reads.list(livePods, { ...options, limit: 7 });
    expect(asked).toEqual([expected, { ...expected, limit: 7 }]);
  });
});

it('a read of a path always uses GET', async () => {
  const asked: unknown[] = [];
  const never = (): never => {
    throw new Error('not asked for');
  };
  const reads = quickReads({ get: never, list: never, raw: (path, options) => Promise.resolve(asked.push([path, options])) });
  await reads.raw(urlPath`/apis/apps/v1`, { method: 'DELETE', body: {}, signal });
  expect(asked).toEqual([['/apis/apps/v1', { method: 'GET', signal, timeoutMs: 2000 }]]);
});

it('a read of a path reads no objects', async () => {
  const never = (): never => {
    throw new Error('not asked for');
  };
  const reads = quickReads({ get: never, list: never, raw: never });
  for (const path of [urlPath`/api/v1/pods`, urlPath`/apis/apps/v1/deployments`, urlPath`/apis/apps/v1/`, urlPath`/metrics`])
    expect(() => reads.raw(path)).toThrow(`admission never reads ${path}`);
});

describe('a list of a handler', () => {
  const pages = (...asked: unknown[]): { readonly asked: readonly unknown[]; readonly list: ListLive } => ({
    asked,
    list: (_type, { limit, continue: next }) => {
      asked.push([limit, next]);
      const metadata = { resourceVersion: '1', ...(asked.length < 3 ? { continue: `page ${asked.length}` } : {}) };
      return Promise.resolve({ metadata, items: [{ metadata: { name: `pod ${asked.length}` } } as never] });
    },
  });
  const never = (): never => {
    throw new Error('not asked for');
  };

  it('has a type that module/live-lists.ts names; no client of a handler may list other types', async () => {
    const reads = quickReads({ get: never, raw: never, list: pages().list });
    // @ts-expect-error a type that is not listed live
    await reads.list(pods, { limit: 1 });
    // @ts-expect-error a list whose page has no bound
    await reads.list(livePods, {});
    // @ts-expect-error a client that lists any type
    const client: Pick<Client, 'list'> = reads;
    expect(client).toBe(reads);
  });

  it('has pages of at most 500 objects', async () => {
    const { asked, list } = pages();
    await quickReads({ get: never, raw: never, list }).list(livePods, { limit: 10_000 });
    expect(asked).toEqual([[500, undefined]]);
  });

  it('is read page by page', async () => {
    const { asked, list } = pages();
    const all = await allLive(livePods, { list }, {});
    expect(all.map(({ metadata }) => metadata.name)).toEqual(['pod 1', 'pod 2', 'pod 3']);
    expect(asked).toEqual([
      [500, undefined],
      [500, 'page 1'],
      [500, 'page 2'],
    ]);
  });
});

describe('a write of a handler', () => {
  const spread = { metadata: { name: 'w', namespace: 'ns' } } as WorkloadSpread;
  const written: unknown[] = [];
  const writes = quickWrites({ updateStatus: (_type, object, options) => (written.push(options), Promise.resolve(object)) }, [
    workloadSpreadDeclaration,
    persistentPodStateDeclaration,
  ]);

  it('is a status of a kind that counts at admission, with a deadline of at most 2 s', async () => {
    expect(await writes.updateStatus(workloadSpreads, spread, signal)).toBe(spread);
    expect(written).toEqual([{ signal, timeoutMs: 2000 }]);
  });

  it('is never of another kind', () => {
    expect(() => writes.updateStatus(persistentPodStates, spread as never)).toThrow('never writes a PersistentPodState');
  });
});
