import { beforeEach, describe, expect, it } from '@jest/globals';
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

  it('is told with its scope, and whether it has a Scale', async () => {
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
  ])('of %s %s is none, and is asked for again', async (apiVersion, kind) => {
    for (let time = 0; time < 2; time += 1)
      await expect(mapper.map(apiVersion, kind, signal)).rejects.toThrow(new UnknownKind(`kind ${kind} of ${apiVersion} is not served`));
    expect(asked()).toBe(2);
  });

  it('is not taken for unknown where nobody answers', async () => {
    api.faults = {
      before: () => {
        throw new ApiError('no answer', { kind: 'Unreachable', cause: undefined });
      },
    };
    const failure: unknown = await mapper.map('game.example.com/v1', 'GameSet', signal).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ApiError);
  });
});
