import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '@kruise/objects';
import { Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { ObjectSharing } from './object-sharing.ts';

interface Loose extends KubeObject {
  readonly spec?: unknown;
  readonly status?: unknown;
}

const parsed = (value: unknown): Loose => JSON.parse(JSON.stringify(value)) as Loose;

const aPod = (name: string, extra: object = {}) =>
  parsed({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      uid: `uid-${name}`,
      resourceVersion: '1',
      labels: { app: 'web', tier: 'front' },
      ownerReferences: [{ kind: 'ReplicaSet', uid: 'owner' }],
    },
    spec: {
      containers: [{ name: 'main', image: 'registry/web:1', ports: [{ containerPort: 80 }], env: [{ name: 'POD', value: name }] }],
      tolerations: [{ key: 'x', operator: 'Exists' }],
    },
    status: {
      containerStatuses: [{ name: 'main', containerID: `containerd://${name}`, state: { running: { startedAt: '2025-01-01T00:00:00Z' } } }],
    },
    ...extra,
  });

const isDeeplyFrozen = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen));

type Parts = { containers: { ports: unknown; env: unknown }[]; tolerations: unknown };
const spec = (object: Loose): Parts => object.spec as Parts;

describe('adopt', () => {
  it('keeps the value as it was', () => {
    const sharing = new ObjectSharing(16);
    for (const value of [aPod('a'), aPod('b'), parsed({ metadata: { name: 'x', a: [1, -1, 1.5, true, false, null, '', 'é', [], {}] } })]) {
      const copy = structuredClone(value);
      expect(sharing.adopt(value)).toEqual(copy);
    }
  });

  it('makes equal parts of different objects one', () => {
    const sharing = new ObjectSharing();
    const [a, b] = [sharing.adopt(aPod('a')), sharing.adopt(aPod('b'))];
    expect(a.metadata.labels).toBe(b.metadata.labels);
    expect(a.metadata.ownerReferences).toBe(b.metadata.ownerReferences);
    expect(spec(a).containers[0]?.ports).toBe(spec(b).containers[0]?.ports);
    expect(spec(a).tolerations).toBe(spec(b).tolerations);
    expect(spec(a).containers[0]?.env).not.toBe(spec(b).containers[0]?.env);
  });

  it('shares whole specs that are equal', () => {
    const sharing = new ObjectSharing();
    const [a, b] = ['a', 'b'].map((name) => sharing.adopt(aPod(name, { spec: { x: [{ y: 1 }] } })));
    expect(a?.spec).toBe(b?.spec);
  });

  it('freezes everything', () => {
    expect(isDeeplyFrozen(new ObjectSharing().adopt(aPod('a')))).toBe(true);
  });

  it.each<{ name: string; a: unknown; b: unknown }>([
    { name: 'another value', a: { k: 'v' }, b: { k: 'w' } },
    { name: 'another key', a: { k: 'v' }, b: { l: 'v' } },
    { name: 'one member more', a: { k: 'v' }, b: { k: 'v', l: 'w' } },
    { name: 'a number for a text', a: { k: 1 }, b: { k: '1' } },
    { name: 'false for null', a: { k: false }, b: { k: null } },
    { name: 'a list for a record', a: [], b: {} },
    { name: 'another order of a list', a: ['a', 'b'], b: ['b', 'a'] },
    { name: 'an inherited name', a: {}, b: { toString: 'x' } },
  ])('does not confuse $name', ({ a, b }) => {
    const sharing = new ObjectSharing(4);
    const first = sharing.adopt(parsed({ metadata: { name: 'a' }, spec: a }));
    const second = sharing.adopt(parsed({ metadata: { name: 'b' }, spec: b }));
    expect(first.spec).toEqual(a);
    expect(second.spec).toEqual(b);
  });

  it('keeps a member called __proto__ a member', () => {
    const text = '{"metadata":{"name":"a"},"spec":{"__proto__":{"deep":["x","y"]}}}';
    const sharing = new ObjectSharing();
    sharing.adopt(JSON.parse(text) as Loose);
    const second = sharing.adopt(JSON.parse(text) as Loose);
    expect(JSON.stringify(second)).toBe(text);
    expect(Object.getPrototypeOf(second.spec)).toBe(Object.prototype);
  });

  it('survives hostile nesting', () => {
    let deep = '0';
    for (let depth = 0; depth < 5000; depth++) deep = `[${deep}]`;
    const object = JSON.parse(`{"metadata":{"name":"a"},"spec":${deep}}`) as Loose;
    let levels = 0;
    for (let part = new ObjectSharing().adopt(object).spec; Array.isArray(part); part = part[0] as unknown) levels++;
    expect(levels).toBe(5000);
  });

  it('takes objects that are frozen already, as they are', () => {
    const sharing = new ObjectSharing();
    sharing.adopt(aPod('a'));
    const own = Object.freeze({
      metadata: Object.freeze({ name: 'b', labels: Object.freeze({ app: 'web', tier: 'front' }) }),
      spec: { open: ['x'] },
    });
    const adopted = sharing.adopt(own);
    expect(adopted).toBe(own);
    expect(Object.isFrozen(adopted.spec.open)).toBe(true);
  });

  it('goes on sharing what repeats while much passes that does not', () => {
    const sharing = new ObjectSharing(1 << 10);
    const first = sharing.adopt(aPod('first'));
    sharing.adopt(aPod('second'));
    for (let at = 0; at < 20_000; at++) sharing.adopt(aPod(`pod-${at}`, { spec: { unique: [at, { at }], other: `text ${at}` } }));
    expect(sharing.adopt(aPod('last')).metadata.labels).toBe(first.metadata.labels);
  });

  it('shares all that is equal with an earlier version and with one of the same owner, in new records too', () => {
    const sharing = new ObjectSharing(4);
    const first = sharing.adopt(aPod('a'));
    const same = sharing.adopt(aPod('a'), first);
    const sibling = sharing.adopt(aPod('b'), first);
    expect([same.spec, same.status]).toEqual([first.spec, first.status]);
    expect(same.spec).toBe(first.spec);
    expect(sibling).toEqual(aPod('b'));
    expect(spec(sibling).tolerations).toBe(spec(first).tolerations);
    expect(spec(sibling).containers[0]?.ports).toBe(spec(first).containers[0]?.ports);
    expect(spec(sibling).containers[0]?.env).not.toBe(spec(first).containers[0]?.env);
  });

  it('shares a change that many objects make', () => {
    const sharing = new ObjectSharing();
    const relabelled = (name: string): Loose => {
      const pod = aPod(name);
      return sharing.adopt({ ...pod, metadata: { ...pod.metadata, labels: { app: 'web', tier: 'back' } } }, sharing.adopt(aPod(name)));
    };
    expect(relabelled('a').metadata.labels).toBe(relabelled('b').metadata.labels);
  });

  it('keeps every value as it was, whatever it is compared with', () => {
    const key = fc.constantFrom('a', 'b', 'containerID', 'rawJSON', '__proto__', 'toString', '0');
    const leaf = fc.constantFrom('x', 'y', 'a longer text', '', 0, 1, true, false, null);
    const entry = fc.letrec((tie) => ({
      node: fc.oneof({ maxDepth: 4 }, leaf, fc.array(tie('node'), { maxLength: 3 }), fc.dictionary(key, tie('node'), { maxKeys: 3 })),
    })).node;
    const seen = new Occurrences();
    fc.assert(
      fc.property(fc.array(fc.tuple(entry, entry, fc.dictionary(key, entry, { maxKeys: 2 })), { maxLength: 6 }), (versions) => {
        const sharing = new ObjectSharing(8);
        const texts = versions.map(([labels, spec, more]) =>
          JSON.stringify({ metadata: { name: 'a', uid: 'u', labels, ...more }, spec, ...more }),
        );
        const adopted: Loose[] = [];
        for (const text of texts) adopted.push(sharing.adopt(JSON.parse(text) as Loose, adopted.at(-1)));
        expect(adopted.map((object) => JSON.stringify(object))).toEqual(texts);
        expect(adopted.every(isDeeplyFrozen)).toBe(true);
        expect(Object.isFrozen(Object.prototype)).toBe(false);
        const specs = adopted.map(({ spec }) => spec).filter((spec) => typeof spec === 'object' && spec !== null);
        seen.note('two versions share a part', new Set(specs).size < specs.length);
        seen.note('a part changes', new Set(texts).size > 1);
      }),
      { numRuns: 500 },
    );
    seen.expectAtLeast({ 'two versions share a part': 3, 'a part changes': 100 });
  });

  it('keeps integers beyond 2^53, and tells them apart', () => {
    const object = (value: unknown): Loose => ({ metadata: { name: 'a', uid: 'u' }, spec: { value } });
    const sharing = new ObjectSharing();
    const first = sharing.adopt(object(9007199254740993n));
    expect(first.spec).toEqual({ value: 9007199254740993n });
    expect(sharing.adopt(object(9007199254740995n), first).spec).toEqual({ value: 9007199254740995n });
    expect(sharing.adopt(object(9007199254740993n)).spec).toEqual(first.spec);
  });

  it('remembers nothing that is long, but takes it from a known version', () => {
    const sharing = new ObjectSharing();
    const adopt = (spec: object, like?: Loose): Loose => sharing.adopt(parsed({ metadata: { name: 'a', uid: 'u' }, spec }), like);
    const values = (count: number, length: number): object => ({
      part: Array.from({ length: count }, (_, at) => `${at}`.padEnd(length, 'x')),
    });
    const isShared = (spec: object): boolean => adopt(spec).spec === adopt(spec).spec;
    expect(isShared(values(1, 1024))).toBe(true);
    expect(isShared(values(1, 1025))).toBe(false);
    // Eight for the record, for the array and for each string.
    expect(isShared(values(4, 500))).toBe(true);
    expect(isShared(values(4, 501))).toBe(false);
    expect(isShared({ a: values(2, 500), b: values(2, 501) })).toBe(false);
    const first = adopt(values(8, 1000));
    expect(adopt(values(8, 1000), first).spec).toBe(first.spec);
  });

  it('refuses a number of slots that is no power of two', () => {
    expect(() => new ObjectSharing(1000)).toThrow(RangeError);
  });
});

describe('the slots of the tables', () => {
  const adoptMany = (sharing: ObjectSharing, objects: number): void => {
    for (let at = 0; at < objects; at++) sharing.adopt(parsed({ metadata: { name: `o-${at}` }, spec: { text: `t-${at}` } }));
  };

  it('follow the objects that are held, up to the limit', () => {
    const sharing = new ObjectSharing(1 << 15);
    const slotsWith = (objects: number): number => {
      sharing.hold(objects);
      return sharing.slots;
    };
    expect(slotsWith(2048)).toBe(1 << 12);
    expect(slotsWith(1)).toBe(1 << 14);
    expect(slotsWith(6144)).toBe(1 << 15);
    expect(slotsWith(1_000_000)).toBe(1 << 15);
    expect(slotsWith(-1_000_000)).toBe(1 << 15);
    const [a, b] = ['a', 'b'].map((name) => sharing.adopt(parsed({ metadata: { name }, spec: { text: 'both' } })));
    expect(a?.spec).toBe(b?.spec);
  });

  it('do not follow what only passes through', () => {
    const sharing = new ObjectSharing();
    adoptMany(sharing, 50_000);
    for (let at = 0; at < 10_000; at++) {
      sharing.hold(1);
      sharing.hold(-1);
    }
    expect(sharing.slots).toBe(1 << 12);
  });
});
