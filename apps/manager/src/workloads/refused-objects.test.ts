import { describe, expect, it } from '@jest/globals';
import { ApiError } from '@kruise/kube';
import { apiFailures } from '@kruise/kube/testing';
import { pods } from '@kruise/objects';
import { RefusedObjects, retriedWithin } from './refused-objects.ts';

const all = (): ReadonlySet<string> => new Set(['a', 'b', 'c']);
const fail = (error: Error) => (): Promise<void> => Promise.reject(error);
const refused = new Error('denied');

describe('refusals', () => {
  it('are noted with their order, and end with the next success', async () => {
    const refusals = new RefusedObjects();
    for (const subject of ['b', 'a', 'b']) await refusals.attempt('set', [subject], fail(refused)).catch(() => undefined);
    const noted = refusals.of('set', all);
    expect([noted.get('a'), noted.get('b')]).toEqual([2, 3]);
    await refusals.attempt('set', ['a'], () => Promise.resolve());
    expect([...['a', 'b'].map((subject) => refusals.of('set', all).has(subject))]).toEqual([false, true]);
    expect(noted.has('a')).toBe(true);
  });

  it('are passed on', async () => {
    await expect(new RefusedObjects().attempt('set', ['a'], fail(refused))).rejects.toBe(refused);
    await expect(new RefusedObjects().attempt('set', [], fail(refused))).rejects.toBe(refused);
  });

  it('are no conflicts, and nothing about an object that is gone', async () => {
    const refusals = new RefusedObjects();
    for (const error of [apiFailures.conflict(pods, 'a', 'changed'), apiFailures.notFound(pods, 'a')])
      await refusals.attempt('set', ['a'], fail(error)).catch(() => undefined);
    expect(refusals.of('set', all).size).toBe(0);
  });

  it('leave with their object, and with the owner', () => {
    const refusals = new RefusedObjects();
    for (const subject of ['a', 'b']) refusals.note('set', subject);
    refusals.note('other', 'c');
    expect(refusals.of('set', () => new Set(['b'])).size).toBe(1);
    expect(refusals.of('set', all).has('a')).toBe(false);
    refusals.forget('set');
    expect(['set', 'other'].map((owner) => refusals.of(owner, all).size)).toEqual([0, 1]);
  });
});

const forbidden = (message: string): ApiError => new ApiError(message, { kind: 'Forbidden' }, { code: 403, reason: 'Forbidden' });

describe('the next pass after refusals comes', () => {
  it.each<[string, string | undefined, Error, number]>([
    ['soon, when an object was refused for the first time', 'a', forbidden('denied by policy'), 1000],
    ['within a minute, when it was refused before', 'b', forbidden('denied by policy'), 60_000],
    ['within a minute, when a quota would refuse the others as well', 'a', forbidden('exceeded quota: few'), 60_000],
    ['within a minute, when the server fails', 'a', apiFailures.serverError(), 60_000],
    ['within a minute, when the write is for no object', undefined, forbidden('denied by policy'), 60_000],
  ])('%s', (_name, subject, error, expected) => {
    const stages = new Map([['update', { failures: [{ action: { subject }, error }] }]]);
    expect(retriedWithin(stages, (action) => action.subject, new Map([['b', 1]]))).toBe(expected);
  });
});
