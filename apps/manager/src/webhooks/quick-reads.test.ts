import { describe, expect, it } from '@jest/globals';
import type { CallOptions } from '@kruise/kube';
import { pods } from '@kruise/objects';
import { quickReads } from './quick-reads.ts';

const { signal } = new AbortController();

describe('a read of a handler', () => {
  it.each<[string, CallOptions | undefined, CallOptions]>([
    ['takes 2 s at most', undefined, { timeoutMs: 2000 }],
    ['takes less where the handler says so, and ends with its review', { timeoutMs: 500, signal }, { timeoutMs: 500, signal }],
    ['takes no more where the handler would wait for longer', { timeoutMs: 4000 }, { timeoutMs: 2000 }],
  ])('%s', async (_name, options, expected) => {
    const asked: unknown[] = [];
    const answer = (...args: readonly unknown[]): Promise<never> => Promise.resolve(asked.push(args.at(-1)) as never);
    const reads = quickReads({ get: answer, list: answer });
    await reads.get(pods, { namespace: 'ns', name: 'p' }, options);
    await reads.list(pods, options);
    expect(asked).toEqual([expected, expected]);
  });
});
