import { afterAll, describe, expect, it } from '@jest/globals';
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

/** What the cases of the property covered. */
const seen = new Occurrences();
afterAll(() => seen.expectAtLeast({ 'two versions share a part': 3, 'a part changes': 100 }));

describe('adopt', () => {
  it('keeps the value unchanged', () => {
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

  it('freezes deep parts, down to a thousand levels', () => {
    const nested = (levels: number, open: string, close: string): Loose =>
      JSON.parse(`{"metadata":{"name":"a"},"spec":${open.repeat(levels)}null${close.repeat(levels)}}`) as Loose;
    for (const object of [nested(1500, '[', ']'), nested(1500, '{"a":', '}')]) {
      let frozen = 0;
      for (let part = new ObjectSharing().adopt(object).spec; Object.isFrozen(part) && part !== null;) {
        frozen++;
        [part] = Object.values(part as object) as unknown[];
      }
      expect(frozen).toBe(1000);
    }
  });

  it('shares parts down to forty levels, with others and with an earlier version', () => {
    const nested = (levels: number, leaf: string): Loose =>
      JSON.parse(`{"metadata":{"name":"a","uid":"u"},"spec":${'['.repeat(levels)}${leaf}${']'.repeat(levels)}}`) as Loose;
    const deepest = (levels: number, { spec: whole }: Loose): unknown => {
      let part = whole;
      for (let level = 0; level < levels; level++) [part] = part as unknown[];
      return part;
    };
    const long = JSON.stringify({ text: 'x'.repeat(3000) });
    const isShared = (levels: number, leaf: string, withKnown: boolean): boolean => {
      const sharing = new ObjectSharing();
      const first = sharing.adopt(nested(levels, leaf));
      const second = sharing.adopt(nested(levels, leaf), withKnown ? first : undefined);
      return deepest(levels, first) === deepest(levels, second);
    };
    expect([39, 40].map((levels) => isShared(levels, '{"a":1}', false))).toEqual([true, false]);
    expect([39, 40].map((levels) => isShared(levels, long, true))).toEqual([true, false]);
  });

  it.each<{ name: string; a: (n: number) => unknown; b: (n: number) => unknown }>([
    { name: 'another value', a: (n) => ({ k: n }), b: (n) => ({ k: n + 100 }) },
    { name: 'another key', a: (n) => ({ [`k${n}`]: 'v' }), b: (n) => ({ [`l${n}`]: 'v' }) },
    { name: 'one member more', a: (n) => ({ k: n }), b: (n) => ({ k: n, l: 'w' }) },
    { name: 'a number for a string', a: (n) => ({ k: n }), b: (n) => ({ k: String(n) }) },
    { name: 'false for null', a: (n) => ({ n, k: false }), b: (n) => ({ n, k: null }) },
    { name: 'true for false', a: (n) => ({ n, k: true }), b: (n) => ({ n, k: false }) },
    { name: 'nothing for a record', a: (n) => ({ n, k: {} }), b: (n) => ({ n, k: null }) },
    { name: 'a number for a record', a: (n) => ({ n, k: {} }), b: (n) => ({ n, k: 5 }) },
    { name: 'a string for a record', a: (n) => ({ n, k: {} }), b: (n) => ({ n, k: '' }) },
    { name: 'a list for a record', a: () => [], b: () => ({}) },
    { name: 'a list for a record of its positions', a: (n) => [n], b: (n) => ({ 0: n }) },
    { name: 'another order of a list', a: (n) => ['a', n], b: (n) => [n, 'a'] },
    { name: 'one item more', a: (n) => [n], b: (n) => [n, 'b'] },
    { name: 'one part more', a: (n) => [{ n }], b: (n) => [{ n }, { n }] },
    { name: 'another item', a: (n) => ['a', n], b: (n) => ['b', n] },
    { name: 'another string beside a part', a: (n) => ({ k: 'v', part: [n] }), b: (n) => ({ k: 'w', part: [n] }) },
    { name: 'another string beside another part', a: (n) => ({ k: 'v', part: [n] }), b: (n) => ({ k: 'w', part: ['x', n] }) },
    { name: 'an inherited name', a: (n) => ({ n }), b: (n) => ({ n, toString: 'x' }) },
  ])('does not confuse $name', ({ a, b }) => {
    for (let n = 0; n < 16; n++) {
      for (const [before, after] of [
        [a(n), b(n)],
        [b(n), a(n)],
      ]) {
        const sharing = new ObjectSharing(4);
        const first = sharing.adopt(parsed({ metadata: { name: 'a', uid: 'u' }, spec: before }));
        expect(sharing.adopt(parsed({ metadata: { name: 'b' }, spec: after })).spec).toStrictEqual(parsed(after));
        expect(sharing.adopt(parsed({ metadata: { name: 'a', uid: 'u' }, spec: after }), first).spec).toStrictEqual(parsed(after));
        expect(first.spec).toStrictEqual(parsed(before));
      }
    }
  });

  it('does not confuse a member that is undefined with one that is absent', () => {
    const sharing = new ObjectSharing();
    const adopt = (spec: object, like?: Loose): Loose => sharing.adopt<Loose>({ metadata: { name: 'a', uid: 'u' }, spec }, like);
    const second = adopt({ l: undefined }, adopt({ k: undefined }));
    expect(Object.keys(second.spec as object)).toEqual(['l']);
  });

  it('keeps a field called __proto__ a field', () => {
    const text = '{"metadata":{"name":"a"},"spec":{"__proto__":{"deep":["x","y"]}}}';
    const sharing = new ObjectSharing();
    sharing.adopt(JSON.parse(text) as Loose);
    const second = sharing.adopt(JSON.parse(text) as Loose);
    expect(JSON.stringify(second)).toBe(text);
    expect(Object.getPrototypeOf(second.spec)).toBe(Object.prototype);
    // What an object inherits under this name is none of its fields.
    const known = sharing.adopt({ metadata: { name: 'b', uid: 'u' }, spec: { a: ['x'] } });
    const withEmpty = '{"metadata":{"name":"b","uid":"u"},"spec":{"__proto__":{}}}';
    expect(JSON.stringify(sharing.adopt(JSON.parse(withEmpty) as Loose, known))).toBe(withEmpty);
  });

  it.each([
    { name: 'lists', open: '[', close: ']' },
    { name: 'records', open: '{"a":', close: '}' },
  ])('survives hostile nesting of $name, also with an earlier version', ({ open, close }) => {
    const depth = 20_000;
    const text = `{"metadata":{"name":"a","uid":"u"},"spec":${open.repeat(depth)}0${close.repeat(depth)}}`;
    const sharing = new ObjectSharing();
    const first = sharing.adopt(JSON.parse(text) as Loose);
    for (const object of [first, sharing.adopt(JSON.parse(text) as Loose, first)]) {
      let levels = 0;
      for (let part = object.spec; typeof part === 'object' && part !== null; [part] = Object.values(part) as unknown[]) levels++;
      expect(levels).toBe(depth);
    }
  });

  it('accepts objects that are frozen already, unchanged', () => {
    const sharing = new ObjectSharing();
    sharing.adopt(aPod('a'));
    const other = sharing.adopt({ metadata: { name: 'a' }, spec: { open: ['x'] } });
    const own = Object.freeze({
      metadata: Object.freeze({ name: 'b', labels: Object.freeze({ app: 'web', tier: 'front' }) }),
      spec: { open: ['x'], more: 1 },
    });
    const adopted = sharing.adopt(own);
    expect(adopted).toBe(own);
    expect(Object.isFrozen(adopted.spec.open)).toBe(true);
    expect(adopted.spec.open).toBe(other.spec.open);
  });

  it('accepts unfrozen objects with parts that are frozen already', () => {
    const sharing = new ObjectSharing();
    const other = sharing.adopt({ metadata: { name: 'a' }, spec: { list: ['x'], open: ['y'] } });
    const frozen = Object.freeze({ list: Object.freeze(['x']) });
    const adopted = sharing.adopt({ metadata: { name: 'b' }, spec: { frozen, open: ['y'] } });
    expect(adopted.spec.frozen).toBe(frozen);
    expect(adopted.spec.open).toBe(other.spec.open);
    expect(isDeeplyFrozen(adopted)).toBe(true);
    expect(sharing.adopt({ metadata: { name: 'c' }, spec: { frozen: { text: 'x' } } }).spec).toEqual({ frozen: { text: 'x' } });
  });

  it('replaces parts by a frozen one that is equal to the last field', () => {
    const sharing = new ObjectSharing();
    const labels = Object.freeze({ app: 'web', tier: 'front' });
    const items = Object.freeze(['one', 'two']);
    sharing.adopt(Object.freeze({ metadata: { name: 'a', labels }, spec: items }));
    const open = sharing.adopt(parsed({ metadata: { name: 'b', labels }, spec: items }));
    expect(open.metadata.labels).toBe(labels);
    expect(open.spec).toBe(items);
  });

  it.each<{ name: string; of: () => object; frozen: object }>([
    { name: 'record', of: () => ({ x: [1] }), frozen: Object.freeze({ x: Object.freeze([1]) }) },
    { name: 'list', of: () => [[1]], frozen: Object.freeze([Object.freeze([1])]) },
  ])('keeps the shared $name in its place when a frozen one with parts of its own is adopted', ({ of, frozen }) => {
    const sharing = new ObjectSharing();
    const first = sharing.adopt(parsed({ metadata: { name: 'a' }, spec: of() }));
    sharing.adopt(Object.freeze({ metadata: { name: 'b' }, spec: frozen }));
    expect(sharing.adopt(parsed({ metadata: { name: 'c' }, spec: of() })).spec).toBe(first.spec);
  });

  it('keeps metadata for each object, and shares no part that contains a containerID with another one', () => {
    const sharing = new ObjectSharing();
    const object = (containerID: unknown): Loose => parsed({ metadata: { name: 'a', uid: 'u' }, status: { containerID } });
    const [first, second] = [sharing.adopt(object('x')), sharing.adopt(object('x'))];
    expect(second.metadata).not.toBe(first.metadata);
    expect(second.status).not.toBe(first.status);
    const version = sharing.adopt(object('x'), first);
    expect(version.metadata).not.toBe(first.metadata);
    expect(version.status).toBe(first.status);
    expect(isDeeplyFrozen(sharing.adopt(object({ odd: ['x'] })))).toBe(true);
  });

  it('keeps sharing what repeats while many values are adopted that do not', () => {
    const sharing = new ObjectSharing(1 << 10);
    const first = sharing.adopt(aPod('first'));
    sharing.adopt(aPod('second'));
    for (let at = 0; at < 5_000; at++) sharing.adopt(aPod(`pod-${at}`, { spec: { unique: [at, { at }], other: `text ${at}` } }));
    expect(sharing.adopt(aPod('last')).metadata.labels).toBe(first.metadata.labels);
  });

  it('shares all that is equal with an earlier version and with one of the same owner, also in new records', () => {
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

  it.each<{ name: string; a: object; b: object; kin: boolean }>([
    { name: 'of the same uid', a: { uid: 'x' }, b: { uid: 'x' }, kin: true },
    { name: 'of another uid', a: { uid: 'x' }, b: { uid: 'y' }, kin: false },
    { name: 'without uid and owner', a: {}, b: {}, kin: false },
    { name: 'of which one has a uid', a: { uid: 'x' }, b: {}, kin: false },
    { name: 'of which the other has a uid', a: {}, b: { uid: 'x' }, kin: false },
    {
      name: 'of the same first owner',
      a: { ownerReferences: [{ uid: 'o' }, { uid: 'p' }] },
      b: { ownerReferences: [{ uid: 'o' }] },
      kin: true,
    },
    { name: 'of another first owner', a: { ownerReferences: [{ uid: 'o' }] }, b: { ownerReferences: [{ uid: 'p' }] }, kin: false },
    { name: 'of which one has an owner', a: { ownerReferences: [{ uid: 'o' }] }, b: {}, kin: false },
    { name: 'of which the other has an owner', a: {}, b: { ownerReferences: [{ uid: 'o' }] }, kin: false },
    { name: 'of which one has an empty list of owners', a: { ownerReferences: [{ uid: 'o' }] }, b: { ownerReferences: [] }, kin: false },
    {
      name: 'of which the other has an empty list of owners',
      a: { ownerReferences: [] },
      b: { ownerReferences: [{ uid: 'o' }] },
      kin: false,
    },
    { name: 'with empty lists of owners', a: { ownerReferences: [] }, b: { ownerReferences: [] }, kin: false },
    { name: 'with owners without uid', a: { ownerReferences: [{}] }, b: { ownerReferences: [{}] }, kin: false },
  ])('compares objects $name: $kin', ({ a, b, kin }) => {
    // Too long to be remembered, so only a comparison finds it.
    const long = { text: 'x'.repeat(3000) };
    const sharing = new ObjectSharing();
    const first = sharing.adopt(parsed({ metadata: { name: 'a', ...a }, spec: long }));
    expect(sharing.adopt(parsed({ metadata: { name: 'b', ...b }, spec: long }), first).spec === first.spec).toBe(kin);
  });

  it('replaces what is equal to the known object inside what is not, and looks up lists and records without parts', () => {
    const long = { text: 'x'.repeat(3000) };
    const sharing = new ObjectSharing();
    const first = sharing.adopt(
      parsed({ metadata: { name: 'a', uid: 'u' }, spec: [long, { n: 1 }, [1], [[1], 7]], status: { a: [1], b: 1 } }),
    );
    const again = (spec: unknown, status: unknown): { spec: unknown[]; status: { a: unknown } } =>
      sharing.adopt(parsed({ metadata: { name: 'a', uid: 'u' }, spec, status }), first) as never;
    const second = again([long, { n: 2 }, [2], [[2], 7]], { a: [2], b: 1 });
    const third = again([long, { n: 2 }, [2], [[2], 7]], { a: [2], b: 1 });
    expect(second.spec[0]).toBe((first.spec as unknown[])[0]);
    expect(third.spec[1]).toBe(second.spec[1]);
    expect(third.spec[2]).toBe(second.spec[2]);
    expect(third.status.a).toBe(second.status.a);
    // The parts around a difference are not looked up.
    expect(third.spec[3]).not.toBe(second.spec[3]);
    expect(third.status).not.toBe(second.status);
  });

  it('shares a change that many objects make', () => {
    const sharing = new ObjectSharing();
    const relabelled = (name: string): Loose => {
      const pod = aPod(name);
      return sharing.adopt({ ...pod, metadata: { ...pod.metadata, labels: { app: 'web', tier: 'back' } } }, sharing.adopt(aPod(name)));
    };
    expect(relabelled('a').metadata.labels).toBe(relabelled('b').metadata.labels);
  });

  it('keeps every value unchanged, whatever it is compared with', () => {
    const key = fc.constantFrom('a', 'b', 'containerID', 'rawJSON', '__proto__', 'toString', '0');
    const leaf = fc.constantFrom('x', 'y', 'a longer text', '', 0, 1, true, false, null);
    const entry = fc.letrec((tie) => ({
      node: fc.oneof({ maxDepth: 4 }, leaf, fc.array(tie('node'), { maxLength: 3 }), fc.dictionary(key, tie('node'), { maxKeys: 3 })),
    })).node;
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
  });

  it('keeps integers beyond 2^53, and distinguishes them', () => {
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
    expect(isShared({ text: 'x'.repeat(1024) })).toBe(true);
    expect(isShared({ text: 'x'.repeat(1025), more: 1 })).toBe(false);
    expect(isShared({ text: 'x'.repeat(1025) })).toBe(false);
    const first = adopt(values(8, 1000));
    expect(adopt(values(8, 1000), first).spec).toBe(first.spec);
  });

  it.each([-4, 0, 1, 2, 1000])('refuses %d slots: too few, or not a power of two', (slots) => {
    expect(() => new ObjectSharing(slots)).toThrow(RangeError);
  });
});

describe('the slots of the tables', () => {
  const adoptMany = (sharing: ObjectSharing, objects: number): void => {
    for (let at = 0; at < objects; at++) sharing.adopt(parsed({ metadata: { name: `o-${at}` }, spec: { text: `t-${at}` } }));
  };

  it('follow the held objects, up to the limit', () => {
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
    sharing.hold(2_000_000);
    expect(sharing.adopt(parsed({ metadata: { name: 'c' }, spec: { text: 'both' } })).spec).toBe(a?.spec);
  });

  const adoptOne = (sharing: ObjectSharing, spec: unknown): unknown => sharing.adopt(parsed({ metadata: { name: 'a' }, spec })).spec;

  it('keep two parts that repeat, whatever their hashes, while others are adopted', () => {
    for (let n = 0; n < 32; n++) {
      const sharing = new ObjectSharing(4);
      const adoptBoth = (): unknown[] => [adoptOne(sharing, [n]), adoptOne(sharing, [n + 1])];
      for (const part of [[n], [n], [n + 1], [n + 1]]) adoptOne(sharing, part);
      const first = adoptBoth();
      for (let round = 0; round < 4; round++) expect(adoptBoth().every((part, at) => part === first[at])).toBe(true);
      const [kept] = adoptBoth();
      adoptOne(sharing, [n]);
      for (let other = 0; other < 20; other++) adoptOne(sharing, [1000 + other]);
      expect(adoptOne(sharing, [n])).toBe(kept);
    }
  });

  it('are not taken by values that cannot be shared', () => {
    const sharing = new ObjectSharing(4);
    const first = adoptOne(sharing, [1]);
    adoptOne(sharing, JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`));
    adoptOne(sharing, [[[['x'.repeat(1025)]]]]);
    adoptOne(sharing, { a: { b: { c: { containerID: 'x' } } } });
    expect(adoptOne(sharing, [1])).toBe(first);
  });

  const manyBits = Array.from({ length: 256 }, (_, n) => n.toString(2).padStart(8, '0'));
  const many = Array.from({ length: 256 }, (_, n) => String.fromCharCode(0x61 + (n % 16), 0x61 + Math.floor(n / 16)));
  it.each<{ name: string; parts: readonly unknown[] }>([
    { name: 'short strings', parts: many.map((text) => ({ text })) },
    { name: 'the beginning of short strings', parts: many.map((two) => ({ text: `${two} and the same` })) },
    { name: 'the middle of strings of 32 characters', parts: many.map((two) => ({ text: `${'x'.repeat(15)}${two}${'x'.repeat(15)}` })) },
    { name: 'the beginning of long strings', parts: many.map((two) => ({ text: `${two}${'x'.repeat(100)}` })) },
    { name: 'the end of long strings', parts: many.map((two) => ({ text: `${'x'.repeat(100)}${two}` })) },
    { name: 'the length of long strings', parts: many.map((_, n) => ({ text: 'x'.repeat(100 + n) })) },
    { name: 'numbers', parts: many.map((_, n) => ({ n })) },
    { name: 'true and false', parts: manyBits.map((bits) => [...bits].map((bit) => bit === '1')) },
    { name: 'true and null', parts: manyBits.map((bits) => [...bits].map((bit) => (bit === '1' ? true : null))) },
    { name: 'false and null', parts: manyBits.map((bits) => [...bits].map((bit) => (bit === '1' ? false : null))) },
    { name: 'the beginning and the end of keys', parts: many.map((two) => ({ [`${two[0] ?? ''}key${two[1] ?? ''}`]: 1 })) },
    { name: 'the length of keys', parts: many.map((_, n) => ({ ['k'.repeat(n)]: 1 })) },
    { name: 'parts of parts', parts: many.map((_, n) => ({ a: [{ b: n }] })) },
    { name: 'orders', parts: many.map((_, n) => Array.from({ length: 8 }, (_item, at) => ((n >> at) & 1 ? 'b' : 'a'))) },
  ])('distinguish nearly all of many parts that differ in $name', ({ parts }) => {
    const sharing = new ObjectSharing();
    // The second time moves a part to the first slot of its pair, where it remains.
    const first = parts.map((part) => [adoptOne(sharing, part), adoptOne(sharing, part)][0]);
    expect(parts.filter((part, at) => adoptOne(sharing, part) === first[at]).length).toBeGreaterThan(230);
  });

  it('do not follow objects that are created and deleted', () => {
    const sharing = new ObjectSharing();
    adoptMany(sharing, 10_000);
    for (let at = 0; at < 10_000; at++) {
      sharing.hold(1);
      sharing.hold(-1);
    }
    expect(sharing.slots).toBe(1 << 12);
  });
});
