import { describe, expect, it } from '@jest/globals';
import type { ImageTagSpec, NodeImage } from '@kruise/api';
import { deepFreeze } from '@kruise/objects';
import { aNodeImage, aTag, ownerOf } from './builders.testing.ts';
import {
  hasOwner,
  imageAt,
  imagesOf,
  ownersOf,
  tagAt,
  tagsOf,
  tagStatusAt,
  tagStatusesOf,
  byTaskOwner,
  versionOf,
  withImage,
} from './node-image-tags.ts';

const nodeImage = deepFreeze(
  aNodeImage({
    images: {
      nginx: { tags: [aTag(), aTag({ tag: '2', version: 3 })] },
      redis: { tags: [aTag({ ownerReferences: [ownerOf('b'), ownerOf('a')] })] },
    },
    statuses: {
      nginx: [
        { tag: '2', phase: 'Pulling' },
        { tag: '1', phase: 'Succeeded' },
      ],
    },
  }),
);

describe('a task in a NodeImage', () => {
  it('is found by its image and its tag', () => {
    expect(tagAt(nodeImage, { name: 'nginx', tag: '2' })?.version).toBe(3);
    expect(tagAt(nodeImage, { name: 'nginx', tag: '3' })).toBeUndefined();
    expect(tagAt(nodeImage, { name: 'toString', tag: '1' })).toBeUndefined();
    expect(imageAt(nodeImage, 'toString')).toBeUndefined();
  });

  it('has the status of its tag', () => {
    expect(tagStatusAt(nodeImage, { name: 'nginx', tag: '1' })?.phase).toBe('Succeeded');
    expect(tagStatusAt(nodeImage, { name: 'nginx', tag: '3' })).toBeUndefined();
    expect(tagStatusesOf(nodeImage, 'redis')).toEqual([]);
    expect(tagStatusesOf(nodeImage, 'toString')).toEqual([]);
    expect(tagStatusesOf(aNodeImage(), 'nginx')).toEqual([]);
  });

  it('is the first of its tag when it has no version', () => {
    expect([versionOf({}), versionOf({ version: 0 }), versionOf({ version: 7 })]).toEqual([0, 0, 7]);
  });

  it('has any of its owners', () => {
    const tag = aTag({ ownerReferences: [ownerOf('a'), ownerOf('b')] });
    expect(['uid-of-a', 'uid-of-b', 'uid-of-c'].map((uid) => hasOwner(tag, uid))).toEqual([true, true, false]);
    expect(hasOwner({ tag: '1' }, 'uid-of-a')).toBe(false);
  });
});

describe('the index of owners', () => {
  it('holds each of all that want a tag, once', () => {
    expect(byTaskOwner.valuesOf(nodeImage)).toEqual(['uid-of-pull', 'uid-of-b', 'uid-of-a']);
  });

  it('skips owners without an identity', () => {
    const { uid: _uid, ...nameless } = ownerOf('a');
    const tags = [aTag({ ownerReferences: [nameless] }), aTag({ tag: '2' })];
    expect(byTaskOwner.valuesOf(aNodeImage({ images: { nginx: { tags } } }))).toStrictEqual(['uid-of-pull']);
    expect(byTaskOwner.valuesOf(aNodeImage())).toEqual([]);
  });
});

describe('an object past admission', () => {
  it('has the entries that are objects', () => {
    const tags = [aTag(), null, 'x', aTag({ tag: '2' })] as unknown as readonly ImageTagSpec[];
    expect(tagsOf({ tags })).toEqual([aTag(), aTag({ tag: '2' })]);
    expect(tagsOf({ tags: [null, 7] as unknown as readonly ImageTagSpec[] })).toEqual([]);
    expect(tagsOf({ tags: 'x' as never })).toEqual([]);
    expect(ownersOf({ tag: '1', ownerReferences: [null, ownerOf()] as never })).toEqual([ownerOf()]);
  });

  it('without a spec holds no images', () => {
    expect(imagesOf({ metadata: { name: 'n1' } } as NodeImage)).toEqual({});
  });

  it('that is whole is not copied', () => {
    const { tags } = imageAt(nodeImage, 'nginx')!;
    expect(tagsOf({ tags })).toBe(tags);
  });
});

describe('an image', () => {
  const one = { tags: [aTag({ tag: '9' })] };
  it('is added, replaced or taken out, and all else stays', () => {
    expect(withImage(nodeImage, 'busybox', one)).toEqual({ ...nodeImage, spec: { images: { ...imagesOf(nodeImage), busybox: one } } });
    expect(withImage(nodeImage, 'nginx', one)).toEqual({ ...nodeImage, spec: { images: { ...imagesOf(nodeImage), nginx: one } } });
    expect(Object.keys(imagesOf(withImage(nodeImage, 'nginx', undefined)))).toEqual(['redis']);
  });
});
