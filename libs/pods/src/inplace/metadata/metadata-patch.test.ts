import { describe, expect, it } from '@jest/globals';
import type { ObjectMeta, TemplateMeta } from '@kruise/objects';
import { mergeMetadataPatches, metadataPatchBetween, patchMetadata, withMetadata, withoutAnnotations } from './metadata-patch.ts';
import type { MetadataPatch } from '../spec/update-spec.ts';

const patch = (metadata: object): MetadataPatch => ({ metadata: metadata as MetadataPatch['metadata'] });

describe('the patch from one metadata to another', () => {
  it.each<{ name: string; before: TemplateMeta; after: TemplateMeta; then: object | undefined }>([
    { name: 'is absent where nothing differs', before: { labels: { a: '1' } }, after: { labels: { a: '1' } }, then: undefined },
    {
      name: 'is absent between absent and empty maps',
      before: {},
      after: { labels: {}, annotations: {}, finalizers: [] },
      then: undefined,
    },
    {
      name: 'names removed keys one by one when the whole map was removed',
      before: { labels: { a: '1', b: '2' }, annotations: { c: '3' } },
      after: {},
      then: { labels: { a: null, b: null }, annotations: { c: null } },
    },
    {
      name: 'distinguishes an empty value from a removed key',
      before: { labels: { a: '1' } },
      after: { labels: { a: '' } },
      then: { labels: { a: '' } },
    },
    { name: 'only adds finalizers', before: { finalizers: ['a'] }, after: { finalizers: ['a', 'b'] }, then: { finalizers: ['b'] } },
    {
      name: 'only removes finalizers',
      before: { finalizers: ['a', 'b'] },
      after: {},
      then: { '$deleteFromPrimitiveList/finalizers': ['a', 'b'] },
    },
    {
      name: 'ignores another order of finalizers',
      before: { finalizers: ['a', 'b'] },
      after: { finalizers: ['b', 'a'] },
      then: undefined,
    },
  ])('$name', ({ before, after, then }) => {
    expect(metadataPatchBetween(before, after)).toEqual(then === undefined ? undefined : { metadata: then });
  });
});

describe('patched metadata', () => {
  const held: ObjectMeta = { name: 'p', labels: { a: '1', own: 'x' }, annotations: { n: '1' }, finalizers: ['f', 'g'] };

  it.each<{ name: string; given?: ObjectMeta; by: object; then: Partial<ObjectMeta> }>([
    { name: 'keeps what the patch does not name', by: { labels: { b: '2' } }, then: { ...held, labels: { a: '1', own: 'x', b: '2' } } },
    {
      name: 'loses keys that are null',
      by: { labels: { a: null }, annotations: { n: null } },
      then: { ...held, labels: { own: 'x' }, annotations: {} },
    },
    { name: 'ignores the removal of missing keys', by: { labels: { z: null } }, then: held },
    { name: 'keeps a map for which the patch contains no object', by: { labels: null, annotations: 'x' }, then: held },
    { name: 'keeps values whose replacement is no string', by: { labels: { a: 7 } }, then: held },
    {
      name: 'gets maps and finalizers that it did not have',
      given: { name: 'p' },
      by: { labels: { a: '1' }, finalizers: ['f'] },
      then: { name: 'p', labels: { a: '1' }, finalizers: ['f'] },
    },
    { name: 'gets no members that the patch does not name', given: { name: 'p' }, by: {}, then: { name: 'p' } },
    { name: 'has each finalizer once', by: { finalizers: ['g', 'h'] }, then: { ...held, finalizers: ['f', 'g', 'h'] } },
    { name: 'loses finalizers', by: { '$deleteFromPrimitiveList/finalizers': ['f', 'z'] }, then: { ...held, finalizers: ['g'] } },
    {
      name: 'keeps a finalizer that is removed and added',
      by: { finalizers: ['f'], '$deleteFromPrimitiveList/finalizers': ['f'] },
      then: { ...held, finalizers: ['g', 'f'] },
    },
    { name: 'accepts only strings as finalizers', by: { finalizers: [7, 'h'] }, then: { ...held, finalizers: ['f', 'g', 'h'] } },
    { name: 'keeps finalizers for which the patch contains no list', by: { finalizers: 'h' }, then: held },
  ])('$name', ({ given = held, by, then }) => {
    expect(patchMetadata(given, patch(by))).toStrictEqual(then);
  });

  it('is set and removed by name, with everything else unchanged', () => {
    expect(withMetadata(held, { labels: { a: '2' } })).toStrictEqual({ ...held, labels: { a: '2', own: 'x' } });
    expect(withMetadata({ name: 'p' }, { annotations: { n: '2' } })).toStrictEqual({ name: 'p', annotations: { n: '2' } });
    expect(withMetadata({ name: 'p' }, { labels: { a: '2' } })).toStrictEqual({ name: 'p', labels: { a: '2' } });
    expect(withMetadata(held, {})).toStrictEqual(held);
    expect(withoutAnnotations({ ...held, annotations: { n: '1', m: '2', o: '3' } }, 'n', 'o', 'z').annotations).toEqual({ m: '2' });
    expect(withoutAnnotations(held, 'm')).toBe(held);
    const bare: ObjectMeta = { name: 'p' };
    expect(withoutAnnotations(bare, 'm')).toBe(bare);
  });
});

describe('two patches as one', () => {
  it.each<{ name: string; earlier: object; later: object; then: object }>([
    {
      name: 'the later value wins',
      earlier: { labels: { a: '1', b: '1' } },
      later: { labels: { a: '2' } },
      then: { labels: { a: '2', b: '1' } },
    },
    {
      name: 'the later removal wins',
      earlier: { annotations: { a: '1' } },
      later: { annotations: { a: null } },
      then: { annotations: { a: null } },
    },
    {
      name: 'different members are kept apart',
      earlier: { labels: { a: '1' } },
      later: { annotations: { a: '2' } },
      then: { labels: { a: '1' }, annotations: { a: '2' } },
    },
    {
      name: 'a finalizer that is added and then removed is removed',
      earlier: { finalizers: ['a', 'b'] },
      later: { '$deleteFromPrimitiveList/finalizers': ['a'] },
      then: { finalizers: ['b'], '$deleteFromPrimitiveList/finalizers': ['a'] },
    },
    {
      name: 'a finalizer that is removed and then added is added',
      earlier: { '$deleteFromPrimitiveList/finalizers': ['a', 'b'] },
      later: { finalizers: ['a'] },
      then: { finalizers: ['a'], '$deleteFromPrimitiveList/finalizers': ['b'] },
    },
    {
      name: 'a finalizer that both name is named once',
      earlier: { finalizers: ['a'], '$deleteFromPrimitiveList/finalizers': ['x'] },
      later: { finalizers: ['a'], '$deleteFromPrimitiveList/finalizers': ['x'] },
      then: { finalizers: ['a'], '$deleteFromPrimitiveList/finalizers': ['x'] },
    },
    { name: 'a member of which neither contains an object is omitted', earlier: { labels: null }, later: { labels: 'x' }, then: {} },
    {
      name: 'members that are no metadata of templates are kept',
      earlier: { generateName: 'a' },
      later: { namespace: 'n' },
      then: { generateName: 'a', namespace: 'n' },
    },
  ])('$name', ({ earlier, later, then }) => {
    expect(mergeMetadataPatches(patch(earlier), patch(later))).toStrictEqual(patch(then));
  });

  it('are the only one that exists', () => {
    const one = patch({ labels: { a: '1' } });
    expect([
      mergeMetadataPatches(one, undefined),
      mergeMetadataPatches(undefined, one),
      mergeMetadataPatches(undefined, undefined),
    ]).toEqual([one, one, undefined]);
  });
});
