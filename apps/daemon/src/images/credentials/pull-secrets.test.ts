import { beforeEach, describe, expect, it } from '@jest/globals';
import { FakeApi, FakeClock, silentLogger } from '@kruise/kube/testing';
import { agentLimits, milliseconds, secrets, seconds } from '@kruise/objects';
import { PullSecrets } from './pull-secrets.ts';

const reference = { namespace: 'config', name: 's' };
let api: FakeApi;
let clock: FakeClock;
let logger: ReturnType<typeof silentLogger>;
let pullSecrets: PullSecrets;
beforeEach(() => {
  [api, clock, logger] = [new FakeApi(), new FakeClock(), silentLogger()];
  pullSecrets = new PullSecrets({ client: api, clock, logger, random: () => 0 });
});
const create = () => api.seed(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: reference });
const warnings = () => logger.lines.filter(({ level }) => level === 'warn').length;

describe('pull secrets', () => {
  it('are read once in 5 to 10 minutes, also by several at a time', async () => {
    create();
    await Promise.all([pullSecrets.read([reference]), pullSecrets.read([reference])]);
    clock.freeze(seconds(299));
    expect(await pullSecrets.read([reference])).toHaveLength(1);
    expect(api.calls).toHaveLength(1);
    clock.freeze(seconds(2));
    await pullSecrets.read([reference]);
    expect(api.calls.map(({ verb }) => verb)).toEqual(['get', 'get']);
  });

  it('that are missing are told of once, looked for again soon, and told of anew when they come and go', async () => {
    expect(await pullSecrets.read([reference])).toEqual([]);
    clock.freeze(seconds(11));
    expect(await pullSecrets.read([reference])).toEqual([]);
    expect(warnings()).toBe(1);
    create();
    clock.freeze(seconds(11));
    expect(await pullSecrets.read([reference])).toHaveLength(1);
    await api.delete(secrets, reference);
    clock.freeze(seconds(301));
    expect(await pullSecrets.read([reference])).toEqual([]);
    expect(warnings()).toBe(2);
  });

  it('that could not be read are looked for again once a pull failed without them; those that could are kept', async () => {
    expect(await pullSecrets.read([reference])).toEqual([]);
    create();
    expect(await pullSecrets.read([reference])).toEqual([]);
    pullSecrets.forgetUnreadable([reference]);
    expect(await pullSecrets.read([reference])).toHaveLength(1);
    pullSecrets.forgetUnreadable([reference]);
    expect(await pullSecrets.read([reference])).toHaveLength(1);
    expect(api.calls).toHaveLength(2);
  });

  it('are read 8 at a time, so that none waits longer than a read may take, and those of other namespaces in turns', async () => {
    const [begun, answers]: [string[], (() => void)[]] = [[], []];
    const client = {
      get: (_type: unknown, { name }: { readonly name: string }) => {
        begun.push(name);
        return new Promise((resolve) => answers.push(() => resolve({ metadata: { name } })));
      },
    } as unknown as FakeApi;
    const reader = new PullSecrets({ client, clock, logger, random: () => 0 });
    const of = (name: string, count: number) =>
      Array.from({ length: count }, (_, index) => ({ namespace: 'config', name: `${name}-${index}` }));
    const many = reader.read(of('many', 100), ['many']);
    await clock.settle();
    expect(begun).toHaveLength(8);
    const few = reader.read(of('few', 1), ['few']);
    for (const answer of answers.splice(0, 2)) answer();
    await clock.settle();
    expect(begun.slice(8)).toContain('few-0');
    while (begun.length < 101 || answers.length > 0) {
      answers.shift()?.();
      await clock.settle();
    }
    expect([await many, await few].map(({ length }) => length)).toEqual([100, 1]);
  });

  it('are kept up to 16 MiB; those read first leave first', async () => {
    const bytes = agentLimits.heldSecretBytes.value;
    const names = ['a', 'b', 'c'];
    for (const name of names)
      api.seed(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { ...reference, name }, data: { x: 'A'.repeat(bytes * 0.4) } });
    for (const name of [...names, 'b', 'c', 'a']) await pullSecrets.read([{ ...reference, name }]);
    expect(api.calls.map(({ key }) => key?.name)).toEqual(['a', 'b', 'c', 'a']);
  });

  it('leave with the spec', async () => {
    await pullSecrets.read([reference]);
    pullSecrets.retain([]);
    await pullSecrets.read([reference]);
    expect(api.calls).toHaveLength(2);
    expect(warnings()).toBe(2);
  });

  it('are read again when they were refused, unless they are newer than the refused try', async () => {
    create();
    await pullSecrets.read([reference]);
    const tried = clock.monotonic();
    clock.freeze(seconds(1));
    pullSecrets.forgetOlder([reference], tried);
    await pullSecrets.read([reference]);
    pullSecrets.forgetOlder([reference], tried);
    await pullSecrets.read([reference]);
    expect(api.calls).toHaveLength(2);
  });

  it('are kept for up to 10 minutes', async () => {
    pullSecrets = new PullSecrets({ client: api, clock, logger, random: () => 0.999 });
    create();
    await pullSecrets.read([reference]);
    clock.freeze(seconds(599));
    await pullSecrets.read([reference]);
    expect(api.calls).toHaveLength(1);
    clock.freeze(seconds(1));
    await pullSecrets.read([reference]);
    expect(api.calls).toHaveLength(2);
  });

  it('that are missing are not asked for again within 10 s', async () => {
    await pullSecrets.read([reference]);
    clock.freeze(milliseconds(9_999));
    await pullSecrets.read([reference]);
    expect(api.calls).toHaveLength(1);
    clock.freeze(milliseconds(1));
    await pullSecrets.read([reference]);
    expect(api.calls).toHaveLength(2);
  });

  it('come in the order in which they are named, without those that are missing', async () => {
    const other = { namespace: 'config', name: 'other' };
    create();
    api.seed(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: other });
    const missing = { namespace: 'config', name: 'missing' };
    const found = await pullSecrets.read([other, missing, reference]);
    expect(found.map(({ metadata }) => metadata.name)).toEqual(['other', 's']);
    expect(logger.lines.filter(({ level }) => level === 'warn')).toMatchObject([{ fields: { secret: 'config/missing' } }]);
  });

  it('that are missing and still named are not told of again', async () => {
    await pullSecrets.read([reference]);
    pullSecrets.retain([reference]);
    clock.freeze(seconds(11));
    await pullSecrets.read([reference]);
    expect(warnings()).toBe(1);
  });

  it('that were never read are refused without harm', async () => {
    create();
    pullSecrets.forgetOlder([reference], clock.monotonic());
    expect(await pullSecrets.read([reference])).toHaveLength(1);
  });

  it('that are still named are kept', async () => {
    create();
    await pullSecrets.read([reference]);
    pullSecrets.retain([reference]);
    await pullSecrets.read([reference]);
    expect(api.calls).toHaveLength(1);
  });
});
