import { beforeEach, describe, expect, it } from '@jest/globals';
import { FakeApi, FakeClock, silentLogger } from '@kruise/kube/testing';
import { agentLimits, milliseconds, secrets, seconds } from '@kruise/objects';
import { FairSlots } from '@kruise/process';
import { SecretReads, type SecretReadsParts } from './secret-reads.ts';

const reference = { namespace: 'config', name: 's' };
let api: FakeApi;
let clock: FakeClock;
let logger: ReturnType<typeof silentLogger>;
let reads: SecretReads;
const readsWith = (parts: Partial<SecretReadsParts> = {}): SecretReads =>
  new SecretReads({ client: api, clock, logger, random: () => 0, ...parts }, { slots: new FairSlots(agentLimits.secretReads.value) });
beforeEach(() => {
  [api, clock, logger] = [new FakeApi(), new FakeClock(), silentLogger()];
  reads = readsWith();
});
const create = () => api.seed(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: reference });
const warnings = () => logger.lines.filter(({ level }) => level === 'warn').length;

describe('reads of pull secrets', () => {
  it('are read once in 5 to 10 minutes, also by several callers at a time', async () => {
    create();
    await Promise.all([reads.read(reference, []), reads.read(reference, [])]);
    clock.freeze(seconds(299));
    expect(await reads.read(reference, [])).toBeDefined();
    expect(api.calls).toHaveLength(1);
    clock.freeze(seconds(2));
    await reads.read(reference, []);
    expect(api.calls.map(({ verb }) => verb)).toEqual(['get', 'get']);
  });

  it('that are missing are logged once, read again soon, and logged again after they existed in between', async () => {
    expect(await reads.read(reference, [])).toBeUndefined();
    clock.freeze(seconds(11));
    expect(await reads.read(reference, [])).toBeUndefined();
    expect(warnings()).toBe(1);
    create();
    clock.freeze(seconds(11));
    expect(await reads.read(reference, [])).toBeDefined();
    await api.delete(secrets, reference);
    clock.freeze(seconds(301));
    expect(await reads.read(reference, [])).toBeUndefined();
    expect(warnings()).toBe(2);
  });

  it('that could not be read are read again once a pull failed without them; the others are kept', async () => {
    expect(await reads.read(reference, [])).toBeUndefined();
    create();
    expect(await reads.read(reference, [])).toBeUndefined();
    reads.forgetUnreadable([reference]);
    expect(await reads.read(reference, [])).toBeDefined();
    reads.forgetUnreadable([reference]);
    expect(await reads.read(reference, [])).toBeDefined();
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
    const reader = readsWith({ client });
    const of = (name: string, count: number) =>
      Array.from({ length: count }, (_, index) => ({ namespace: 'config', name: `${name}-${index}` }));
    const many = Promise.all(of('many', 100).map((each) => reader.read(each, ['many'])));
    await clock.settle();
    expect(begun).toHaveLength(8);
    const few = Promise.all(of('few', 1).map((each) => reader.read(each, ['few'])));
    for (const answer of answers.splice(0, 2)) answer();
    await clock.settle();
    expect(begun.slice(8)).toContain('few-0');
    while (begun.length < 101 || answers.length > 0) {
      answers.shift()?.();
      await clock.settle();
    }
    expect([await many, await few].map(({ length }) => length)).toEqual([100, 1]);
  });

  it('are kept up to 16 MiB; those read first are removed first', async () => {
    const bytes = agentLimits.heldSecretBytes.value;
    const names = ['a', 'b', 'c'];
    for (const name of names)
      api.seed(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { ...reference, name }, data: { x: 'A'.repeat(bytes * 0.4) } });
    for (const name of [...names, 'b', 'c', 'a']) await reads.read({ ...reference, name }, []);
    expect(api.calls.map(({ key }) => key?.name)).toEqual(['a', 'b', 'c', 'a']);
  });

  it('are removed when the spec no longer names them', async () => {
    await reads.read(reference, []);
    reads.retain(new Set());
    await reads.read(reference, []);
    expect(api.calls).toHaveLength(2);
    expect(warnings()).toBe(2);
  });

  it('are read again when a registry refused them, unless they are newer than that pull', async () => {
    create();
    await reads.read(reference, []);
    const tried = clock.monotonic();
    clock.freeze(seconds(1));
    reads.forgetOlder([reference], tried);
    await reads.read(reference, []);
    reads.forgetOlder([reference], tried);
    await reads.read(reference, []);
    expect(api.calls).toHaveLength(2);
  });

  it('are kept for up to 10 minutes', async () => {
    reads = readsWith({ random: () => 0.999 });
    create();
    await reads.read(reference, []);
    clock.freeze(seconds(599));
    await reads.read(reference, []);
    expect(api.calls).toHaveLength(1);
    clock.freeze(seconds(1));
    await reads.read(reference, []);
    expect(api.calls).toHaveLength(2);
  });

  it('that are missing are not read again within 10 s', async () => {
    await reads.read(reference, []);
    clock.freeze(milliseconds(9_999));
    await reads.read(reference, []);
    expect(api.calls).toHaveLength(1);
    clock.freeze(milliseconds(1));
    await reads.read(reference, []);
    expect(api.calls).toHaveLength(2);
  });

  it('that are missing and still named are not logged again', async () => {
    await reads.read(reference, []);
    reads.retain(new Set(['config/s']));
    clock.freeze(seconds(11));
    await reads.read(reference, []);
    expect(warnings()).toBe(1);
  });

  it('that were never read may be refused', async () => {
    create();
    reads.forgetOlder([reference], clock.monotonic());
    expect(await reads.read(reference, [])).toBeDefined();
  });

  it('that are still named are kept', async () => {
    create();
    await reads.read(reference, []);
    reads.retain(new Set(['config/s']));
    await reads.read(reference, []);
    expect(api.calls).toHaveLength(1);
  });
});
