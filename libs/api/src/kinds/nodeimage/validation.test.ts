import { describe, expect, it } from '@jest/globals';
import { nodeImageFault } from './validation.ts';

const tag = { tag: '1', createdAt: '2026-01-01T00:00:00Z', version: 0, pullPolicy: { ttlSecondsAfterFinished: 0 } };
const faultOf = (tags: unknown, image = 'nginx'): unknown => nodeImageFault({ spec: { images: { [image]: { tags } } } });
const images = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, i) => [`i${String(i)}`, {}]));

describe('a NodeImage', () => {
  it.each<{ name: string; object: object }>([
    { name: 'no spec', object: {} },
    { name: 'no images', object: { spec: {} } },
    { name: '256 images', object: { spec: { images: images(256) } } },
    { name: 'an image without tags', object: { spec: { images: { nginx: { tags: null } } } } },
    { name: 'an image that is no object', object: { spec: { images: { nginx: 5 } } } },
  ])('may have $name', ({ object }) => {
    expect(nodeImageFault(object as Parameters<typeof nodeImageFault>[0])).toBeUndefined();
  });

  it('may have two tags of an image, and one tag of two images', () => {
    expect(faultOf([tag, { ...tag, tag: '2', version: undefined }])).toBeUndefined();
    expect(faultOf([{ ...tag, version: '-1' }])).toBeUndefined();
    expect(nodeImageFault({ spec: { images: { a: { tags: [tag] }, b: { tags: [tag] } } } })).toBeUndefined();
  });

  it.each<{ name: string; tags: unknown; because: string }>([
    { name: 'tags that are no list', tags: 'x', because: 'tags of image nginx must be a list' },
    { name: 'a tag that is no object', tags: [tag, null], because: 'a tag of image nginx must be an object' },
    { name: 'an empty tag', tags: [{ ...tag, tag: '' }], because: 'image nginx has an empty tag' },
    { name: 'a tag that is a number', tags: [{ ...tag, tag: 1 }], because: 'image nginx has an empty tag' },
    { name: 'a tag twice', tags: [tag, tag], because: 'duplicated tag nginx/1' },
    { name: 'a tag of no time', tags: [{ ...tag, createdAt: null }], because: 'createdAt for nginx/1 must set' },
    { name: 'a negative version', tags: [{ ...tag, version: -1 }], because: 'version for nginx/1 must be 0 or more' },
    { name: 'a tag without policy', tags: [{ ...tag, pullPolicy: undefined }], because: 'pullPolicy for nginx/1 must set' },
    {
      name: 'a tag without a time to live',
      tags: [{ ...tag, pullPolicy: {} }],
      because: 'pullPolicy.ttlSecondsAfterFinished for nginx/1 must set',
    },
  ])('cannot have $name', ({ tags, because }) => {
    expect(faultOf(tags)).toBe(because);
  });

  it('cannot have an image without name, or 257 of them', () => {
    expect(faultOf([tag], '')).toBe('an image has an empty name');
    expect(nodeImageFault({ spec: { images: images(257) } })).toBe(
      'spec.images has 257 entries, 256 are allowed: remove images that the node does not need',
    );
  });
});
