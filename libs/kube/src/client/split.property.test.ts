import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LineSplitter } from './split-lines.ts';
import { ListSplitter, ListSyntaxError } from './split-list.ts';

/** `text` cut at the given places, which are fractions of its length. */
function chunksOf(text: string, cuts: readonly number[]): Buffer[] {
  const whole = Buffer.from(text);
  const at = [...new Set([0, ...cuts.map((cut) => Math.floor(cut * whole.length)), whole.length])].sort((a, b) => a - b);
  return at.slice(0, -1).map((from, index) => Buffer.from(whole.subarray(from, at[index + 1])));
}

const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12, size: 'max' });
const jsonText = fc.oneof(fc.string({ unit: fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', 'a', 'é', '\n') }), fc.string());
const shape = fc.record({ itemsFirst: fc.boolean(), indent: fc.constantFrom(undefined, 1), at: cuts });
const item = fc.dictionary(
  jsonText,
  fc.oneof(jsonText, fc.integer(), fc.array(fc.dictionary(jsonText, jsonText, { maxKeys: 3 }), { maxLength: 3 })),
  { maxKeys: 4 },
);

describe('LineSplitter', () => {
  it('gives the same lines however the stream is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 }).filter((line) => !line.includes('\n'))), cuts, (lines, at) => {
        const splitter = new LineSplitter();
        const got = chunksOf(lines.map((line) => `${line}\n`).join(''), at).flatMap((chunk) => [...splitter.push(chunk)].map(String));
        expect(got).toEqual(lines);
        expect(splitter.pendingBytes).toBe(0);
      }),
    );
  });

  it('keeps a line that has not ended and refuses one without end', () => {
    const splitter = new LineSplitter(10);
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

  it('gives the items and the rest of the list however the stream is cut and whatever the order of the members', () => {
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

  it('is not misled by items inside of metadata or in a text', () => {
    const list = { metadata: { items: [{ a: 1 }], x: '"items":[{' }, kind: 'items', items: [{ items: [{ b: 2 }] }] };
    expect(split([Buffer.from(JSON.stringify(list))])).toEqual({ items: [{ items: [{ b: 2 }] }], envelope: { ...list, items: [] } });
  });

  it('takes null for no items', () => {
    expect(split([Buffer.from('{"items":null,"metadata":{}}')])).toEqual({ items: [], envelope: { items: null, metadata: {} } });
  });

  it('refuses a list that breaks off and items that are no objects', () => {
    expect(() => split([Buffer.from('{"items":[{"a":1},{"b"')])).toThrow(ListSyntaxError);
    expect(() => split([Buffer.from('{"items":[1]}')])).toThrow(ListSyntaxError);
    expect(() => split([])).toThrow(ListSyntaxError);
  });
});
