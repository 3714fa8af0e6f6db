import { beforeEach, describe, expect, it } from '@jest/globals';
import { referenceLimits } from '@kruise/objects';
import { ApiError } from '@kruise/kube';
import { FakeApi, FakeClock } from '@kruise/kube/testing';
import { KindMapper, UnknownKind } from './kind-mapper.ts';

const { signal } = new AbortController();

describe('the resource that a kind is served as', () => {
  let api: FakeApi;
  let clock: FakeClock;
  let mapper: KindMapper;
  const asked = (): number => api.calls.length;
  const resource = (name: string, kind: string, namespaced = true) => ({ name, kind, namespaced, verbs: ['get'] });

  beforeEach(() => {
    api = new FakeApi();
    clock = new FakeClock();
    mapper = new KindMapper(api, clock);
    api.rawAnswers.set('/apis/game.example.com/v1', {
      resources: [
        resource('gamesets/status', 'GameSet'),
        resource('gamesets', 'GameSet'),
        resource('gamesets/scale', 'Scale'),
        resource('worlds', 'World', false),
      ],
    });
    api.rawAnswers.set('/api/v1', { resources: [resource('pods', 'Pod'), resource('pods/scale', 'Scale')] });
  });

  it('is returned with its scope, and whether it has a Scale', async () => {
    const of = { group: 'game.example.com', version: 'v1' };
    expect(await mapper.map('game.example.com/v1', 'GameSet', signal)).toEqual({
      type: { ...of, kind: 'GameSet', plural: 'gamesets', namespaced: true },
      isScaled: true,
    });
    expect(await mapper.map('game.example.com/v1', 'World', signal)).toEqual({
      type: { ...of, kind: 'World', plural: 'worlds', namespaced: false },
      isScaled: false,
    });
    expect((await mapper.map('v1', 'Pod', signal)).type).toMatchObject({ group: '', version: 'v1', plural: 'pods' });
  });

  it('is believed for a minute, of each kind and version', async () => {
    for (const ms of [0, 30_000, 29_999]) {
      await clock.step(ms);
      await mapper.map('game.example.com/v1', 'GameSet', signal);
    }
    expect(asked()).toBe(1);
    await mapper.map('game.example.com/v1', 'World', signal);
    expect(asked()).toBe(2);
    await clock.step(1);
    await mapper.map('game.example.com/v1', 'GameSet', signal);
    expect(asked()).toBe(3);
  });

  it.each([
    ['game.example.com/v1', 'Other'],
    ['game.example.com/v2', 'GameSet'],
    ['none.example.com/v1', 'GameSet'],
    ['game.example.com/v1', 'Scale'],
  ])('of %s %s is none, which is believed for a second, and twice as long each time, up to a minute', async (apiVersion, kind) => {
    const isNone = (options?: { afresh: boolean }) =>
      expect(mapper.map(apiVersion, kind, signal, options)).rejects.toThrow(new UnknownKind(`kind ${kind} of ${apiVersion} is not served`));
    await isNone();
    for (const [times, seconds] of [1, 2, 4, 8, 16, 32, 60, 60].entries()) {
      await clock.step(1000 * seconds - 1);
      await isNone();
      expect(asked()).toBe(times + 1);
      await clock.step(1);
      await isNone();
      expect(asked()).toBe(times + 2);
    }
    await isNone({ afresh: true });
    expect(asked()).toBe(10);
  });

  it.each(['v1%2Fsecrets', 'v1?watch=1', '..', 'apps/..', 'apps/v1/secrets', 'apps/', '/v1', '', 'v1#', 'a b/v1'])(
    'of apiVersion %p is none, for which nothing is sent',
    async (apiVersion) => {
      api.rawAnswers.set('/api/v1%2Fsecrets', { resources: [resource('gamesets', 'GameSet')] });
      await expect(mapper.map(apiVersion, 'GameSet', signal)).rejects.toThrow(UnknownKind);
      expect(asked()).toBe(0);
    },
  );

  it('that is served no more is none for a second first', async () => {
    await mapper.map('game.example.com/v1', 'GameSet', signal);
    api.rawAnswers.delete('/apis/game.example.com/v1');
    await clock.step(60_000);
    for (const ms of [0, 999, 1]) {
      await clock.step(ms);
      await expect(mapper.map('game.example.com/v1', 'GameSet', signal)).rejects.toThrow(UnknownKind);
    }
    expect(asked()).toBe(3);
  });

  it('is forgotten, the oldest first, once more kinds are named than the manager remembers', async () => {
    const named = (count: number) => `none-${String(count)}.example.com/v1`;
    await mapper.map('game.example.com/v1', 'GameSet', signal);
    const most = referenceLimits.rememberedKinds.value;
    for (let count = 1; count < most; count += 1) await mapper.map(named(count), 'Other', signal).catch(() => undefined);
    await mapper.map('game.example.com/v1', 'GameSet', signal);
    expect(asked()).toBe(most);
    await mapper.map(named(most), 'Other', signal).catch(() => undefined);
    await mapper.map('game.example.com/v1', 'GameSet', signal);
    expect(asked()).toBe(most + 2);
  });

  it('is not taken for unknown if the API server does not answer', async () => {
    api.faults = {
      before: () => {
        throw new ApiError('no answer', { kind: 'Unreachable', cause: undefined });
      },
    };
    const failure: unknown = await mapper.map('game.example.com/v1', 'GameSet', signal).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ApiError);
  });
});
