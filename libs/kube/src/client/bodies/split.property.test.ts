import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LineSplitter } from './split-lines.ts';
import { ListSplitter, ListSyntaxError } from './split-list.ts';

/** Returns `text` cut at the given places, which are fractions of its length. */
function chunksOf(text: string, cuts: readonly number[]): Buffer[] {
  const whole = Buffer.from(text);
  const at = [...new Set([0, ...cuts.map((cut) => Math.floor(cut * whole.length)), whole.length])].sort((a, b) => a - b);
  return at.slice(0, -1).map((from, index) => Buffer.from(whole.subarray(from, at[index + 1])));
}

// Not doubles: nearly all of those are close to 0 or 1, which cuts nothing.
const cuts = fc.array(
  fc.nat(1000).map((part) => part / 1000),
  { maxLength: 12, size: 'max' },
);
const jsonText = fc.oneof(fc.string({ unit: fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', 'a', 'é', '\n') }), fc.string());
const shape = fc.record({ itemsFirst: fc.boolean(), indent: fc.constantFrom(undefined, 1), at: cuts });
const item = fc.dictionary(
  jsonText,
  fc.oneof(jsonText, fc.integer(), fc.array(fc.dictionary(jsonText, jsonText, { maxKeys: 3 }), { maxLength: 3 })),
  { maxKeys: 4 },
);

describe('LineSplitter', () => {
  it('returns the same lines however the stream is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 }).filter((line) => !line.includes('\n'))), cuts, (lines, at) => {
        const splitter = new LineSplitter();
        const got = chunksOf(lines.map((line) => `${line}\n`).join(''), at).flatMap((chunk) => [...splitter.push(chunk)].map(String));
        expect(got).toEqual(lines);
        expect(splitter.pendingBytes).toBe(0);
      }),
    );
  });

  it('accepts lines of 64 MiB by default', () => {
    const splitter = new LineSplitter();
    const line = Buffer.alloc(1024 * 1024, 'x');
    expect([...splitter.push(line)]).toEqual([]);
    expect([...splitter.push(Buffer.from('y\n'))].map(({ length }) => length)).toEqual([line.length + 1]);
  });

  it('returns views of the chunk', () => {
    const chunk = Buffer.alloc(4, 'ab\n\n');
    const [line] = [...new LineSplitter().push(chunk)];
    expect([String(line), line?.buffer === chunk.buffer]).toEqual(['ab', true]);
  });

  it('keeps an incomplete line and refuses one that does not end', () => {
    const splitter = new LineSplitter(10);
    expect([...splitter.push(Buffer.from('x'.repeat(10)))]).toEqual([]);
    expect([...splitter.push(Buffer.from('\n'))].map(String)).toEqual(['x'.repeat(10)]);
    expect([...splitter.push(Buffer.from('a\n\nbc'))].map(String)).toEqual(['a']);
    expect(splitter.pendingBytes).toBe(2);
    expect([...splitter.push(Buffer.from('d\n'))].map(String)).toEqual(['bcd']);
    expect(() => [...splitter.push(Buffer.from('x'.repeat(11)))]).toThrow(RangeError);
  });
});

describe('ListSplitter', () => {
  const split = (chunks: readonly Buffer[]): { items: unknown[]; envelope: unknown } => {
    const splitter = new ListSplitter();
    const items = chunks.flatMap((chunk) => [...splitter.push(chunk)].map((bytes) => JSON.parse(bytes.toString()) as unknown));
    return { items, envelope: JSON.parse(splitter.envelope().toString()) as unknown };
  };

  it('returns the items and the rest of the list however the stream is cut and whatever the order of the fields', () => {
    fc.assert(
      fc.property(fc.array(item), item, shape, (items, metadata, { itemsFirst, indent, at }) => {
        const list = itemsFirst ? { apiVersion: 'a/v1', items, kind: 'XList', metadata } : { kind: 'XList', metadata, items };
        const seen = split(chunksOf(JSON.stringify(list, undefined, indent), at));
        expect(seen.items).toEqual(JSON.parse(JSON.stringify(items)));
        expect(seen.envelope).toEqual(JSON.parse(JSON.stringify({ ...list, items: [] })));
      }),
      { numRuns: 300 },
    );
  });

  it('is not misled by items inside metadata or in a string', () => {
    const list = { metadata: { items: [{ a: 1 }], x: '"items":[{' }, kind: 'items', items: [{ items: [{ b: 2 }] }] };
    expect(split([Buffer.from(JSON.stringify(list))])).toEqual({ items: [{ items: [{ b: 2 }] }], envelope: { ...list, items: [] } });
  });

  it.each<{ name: string; list: object; items: readonly unknown[] }>([
    { name: 'another array', list: { other: [{ a: 1 }], items: [{ b: 2 }] }, items: [{ b: 2 }] },
    { name: 'an array whose key has the same end', list: { allitems: [{ a: 1 }], items: [] }, items: [] },
    { name: 'an array whose key is shorter', list: { i: [{ a: 1 }] }, items: [] },
    { name: 'an empty key before everything else', list: { '': 1, items: [{ b: 2 }] }, items: [{ b: 2 }] },
  ])('is not misled by $name', ({ list, items }) => {
    expect(split([Buffer.from(JSON.stringify(list))])).toEqual({ items, envelope: 'items' in list ? { ...list, items: [] } : list });
  });

  it('uses the first items when there are two', () => {
    expect(split([Buffer.from('{"items":[{"a":1}],"items":[{"b":2}]}')])).toEqual({ items: [{ a: 1 }], envelope: { items: [{ b: 2 }] } });
  });

  it('returns views of the chunk', () => {
    const text = '{"items":[{"a":1}]}';
    const chunk = Buffer.alloc(text.length, text);
    const [first] = [...new ListSplitter().push(chunk)];
    expect([String(first), first?.buffer === chunk.buffer]).toEqual(['{"a":1}', true]);
  });

  it('treats null as no items', () => {
    expect(split([Buffer.from('{"items":null,"metadata":{}}')])).toEqual({ items: [], envelope: { items: null, metadata: {} } });
  });

  it('refuses a list that breaks off and items that are no objects', () => {
    expect(() => split([Buffer.from('{"items":[{"a":1},{"b"')])).toThrow(ListSyntaxError);
    expect(() => split([Buffer.from('{"items":[1]}')])).toThrow(ListSyntaxError);
    expect(() => split([])).toThrow(ListSyntaxError);
    expect(() => split([Buffer.from('{"metadata":{"a":{}},"items":[{}]')])).toThrow(expect.objectContaining({ name: 'ListSyntaxError' }));
    expect(split([Buffer.from('{"items":null}')]).items).toEqual([]);
  });
});
