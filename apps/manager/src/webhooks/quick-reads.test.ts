import { urlPath } from '@kruise/kube';
import { describe, expect, it } from '@jest/globals';
import {
  persistentPodStateDeclaration,
  persistentPodStates,
  workloadSpreadDeclaration,
  workloadSpreads,
  type WorkloadSpread,
} from '@kruise/api';
import type { CallOptions } from '@kruise/kube';
import { pods } from '@kruise/objects';
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
    await reads.list(pods, options);
    expect(asked).toEqual([expected, expected]);
  });
});

it('a read of a path is never anything but a read', async () => {
  const asked: unknown[] = [];
  const never = (): never => {
    throw new Error('not asked for');
  };
  const reads = quickReads({ get: never, list: never, raw: (path, options) => Promise.resolve(asked.push([path, options])) });
  await reads.raw(urlPath`/apis/apps/v1`, { method: 'DELETE', body: {}, signal });
  expect(asked).toEqual([['/apis/apps/v1', { method: 'GET', signal, timeoutMs: 2000 }]]);
});

describe('a write of a handler', () => {
  const spread = { metadata: { name: 'w', namespace: 'ns' } } as WorkloadSpread;
  const written: unknown[] = [];
  const writes = quickWrites({ updateStatus: (_type, object, options) => (written.push(options), Promise.resolve(object)) }, [
    workloadSpreadDeclaration,
    persistentPodStateDeclaration,
  ]);

  it('is the status of a kind that counts at admission, and takes 2 s at most', async () => {
    expect(await writes.updateStatus(workloadSpreads, spread, signal)).toBe(spread);
    expect(written).toEqual([{ signal, timeoutMs: 2000 }]);
  });

  it('is none of another kind', () => {
    expect(() => writes.updateStatus(persistentPodStates, spread as never)).toThrow('never writes a PersistentPodState');
  });
});
