import { describe, expect, it } from '@jest/globals';
import { configMaps, type ConfigMap } from '@kruise/objects';
import { FakeApi, type FakeCall } from './fake-api.ts';
import { deathsAtEveryStep, deathTimes, Lifetime, type Death } from './lifetime.ts';

const configMap = (name: string): ConfigMap => ({ metadata: { name, namespace: 'default' } });
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const namesOn = (api: FakeApi): readonly string[] => api.peekAll(configMaps).map(({ metadata }) => metadata.name);

/** Creates some objects at the same time, in this order, and returns the results. */
async function createTogether(names: readonly string[], death?: Death) {
  const api = new FakeApi();
  const lifetime = new Lifetime(death);
  const client = lifetime.connect(api, 'manager');
  const results = await Promise.allSettled(names.map((name) => client.create(configMaps, configMap(name))));
  return { api, lifetime, client, answered: results.filter(({ status }) => status === 'fulfilled').length };
}

describe('a process', () => {
  it.each<{ when: Death['when']; there: readonly string[] }>([
    { when: 'before', there: [] },
    { when: 'after', there: ['a', 'b', 'c'] },
    { when: 'alone', there: ['c'] },
  ])('that dies at a write among others that run together receives no answer to any of them ($when)', async ({ when, there }) => {
    const { api, lifetime, answered } = await createTogether(['a', 'b', 'c', 'd'], { at: 3, when });
    expect({ there: namesOn(api), dead: lifetime.dead, steps: lifetime.steps, answered }).toEqual({
      there,
      dead: true,
      steps: 3,
      answered: 0,
    });
  });

  it.each(deathTimes)('that is dead neither reads nor writes (%s)', async (when) => {
    const { api, client } = await createTogether(['a'], { at: 1, when });
    const there = namesOn(api);
    await expect(client.get(configMaps, { namespace: 'default', name: 'a' })).rejects.toMatchObject({ failure: { kind: 'Unreachable' } });
    await expect(client.list(configMaps)).rejects.toMatchObject({ failure: { kind: 'Unreachable' } });
    await expect(client.create(configMaps, configMap('z'))).rejects.toMatchObject({ failure: { kind: 'Unreachable' } });
    expect(namesOn(api)).toEqual(there);
  });

  it('that dies receives neither the answer it was waiting for nor the pending events of its watches, while those of others continue', async () => {
    const api = new FakeApi();
    const lifetime = new Lifetime({ at: 1, when: 'after' });
    const [mine, other] = [lifetime.connect(api, 'manager'), api.connect('other')];
    const seen: string[] = [];
    const stop = new AbortController();
    const watch = async (client: FakeApi): Promise<void> => {
      for await (const event of client.watch(configMaps, { signal: stop.signal, resourceVersion: '1' }))
        if ('object' in event) seen.push(`${client.name} ${event.object.metadata.name}`);
    };
    const [dying, living] = [watch(mine), watch(other)];
    const ended = expect(dying).rejects.toMatchObject({ failure: { kind: 'Unreachable' } });
    await settle();
    api.seed(configMaps, configMap('a'));
    await settle();
    const reading = mine.list(configMaps);
    const [read, written] = await Promise.allSettled([reading, mine.create(configMaps, configMap('b'))]);
    expect([read.status, written.status]).toEqual(['rejected', 'rejected']);
    await ended;
    await settle();
    expect(seen).toEqual(['manager a', 'other a', 'other b']);
    stop.abort();
    await expect(living).rejects.toMatchObject({ failure: { kind: 'Aborted' } });
  });

  it('counts a write that a test refuses, and not what it only reads', async () => {
    const api = new FakeApi();
    const lifetime = new Lifetime();
    const refuse = ({ verb }: FakeCall): void => {
      if (verb === 'create') throw new Error('refused');
    };
    const client = lifetime.connect(api, 'manager', { before: refuse });
    await expect(client.create(configMaps, configMap('a'))).rejects.toThrow('refused');
    await client.list(configMaps);
    expect([lifetime.steps, lifetime.dead, namesOn(api)]).toEqual([1, false, []]);
  });

  it.each<{ when: Death['when']; done: readonly string[] }>([
    { when: 'before', done: ['a'] },
    { when: 'after', done: ['a', 'b'] },
    { when: 'alone', done: ['a', 'b'] },
  ])('dies at its other steps as well ($when)', ({ when, done }) => {
    const lifetime = new Lifetime({ at: 2, when });
    const seen: string[] = [];
    const act = (what: string): unknown =>
      lifetime.carryOut(
        () => seen.push(what),
        () => new Error('no answer'),
      );
    act('a');
    expect(() => act('b')).toThrow('no answer');
    expect(() => act('c')).toThrow('no answer');
    expect([seen, lifetime.dead, lifetime.steps]).toEqual([done, true, 2]);
  });

  it('that is killed between two steps has nothing in transit carried out', async () => {
    const api = new FakeApi();
    const lifetime = new Lifetime({ at: 5, when: 'after' });
    const creating = lifetime.connect(api, 'manager', { before: () => lifetime.kill() }).create(configMaps, configMap('a'));
    await expect(creating).rejects.toMatchObject({ failure: { kind: 'Unreachable' } });
    expect([namesOn(api), lifetime.dead]).toEqual([[], true]);
  });
});

describe('a death at every step', () => {
  it.each(deathTimes)('happens as often as an undisturbed process has steps (%s)', async (when) => {
    const deaths: number[] = [];
    const count = await deathsAtEveryStep(when, async (death) => {
      const { lifetime } = await createTogether(['a', 'b', 'c', 'd'], death);
      if (lifetime.dead) deaths.push(death.at);
      return lifetime;
    });
    expect([count, deaths]).toEqual([4, [1, 2, 3, 4]]);
  });

  it.each([
    { first: 1, every: 3, then: [1, 4] },
    { first: 2, every: 3, then: [2, 3, 4] },
    { first: 3, every: 3, then: [3, 4] },
    { first: 2, every: 2, then: [2, 4] },
    { first: 6, every: 3, then: [1, 2, 3, 4] },
  ])('happens at chosen steps only, from $first every $every, and still finds the last one', async ({ then, ...choice }) => {
    const deaths: number[] = [];
    const run = async (death: Death): Promise<Lifetime> => {
      const { lifetime } = await createTogether(['a', 'b', 'c', 'd'], death);
      if (lifetime.dead) deaths.push(death.at);
      return lifetime;
    };
    expect([await deathsAtEveryStep('after', run, choice), deaths]).toEqual([4, then]);
  });
});
