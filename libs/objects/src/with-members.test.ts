import { describe, expect, it } from '@jest/globals';
import { deepFreeze } from './json/copy.ts';
import { metadataValue, withMetadataValues } from './with-members.ts';

describe('labels and annotations', () => {
  const object = deepFreeze({ metadata: { labels: { a: 'x', b: 7 }, annotations: null } });

  it('are texts; what is none is not there', () => {
    expect(metadataValue(object, 'labels', 'a')).toBe('x');
    expect(metadataValue(object, 'labels', 'b')).toBeUndefined();
    expect(metadataValue(object, 'annotations', 'a')).toBeUndefined();
  });

  it('are unchanged when there is none to set', () => {
    expect(withMetadataValues(object, 'annotations', {})).toBe(object);
  });
});
