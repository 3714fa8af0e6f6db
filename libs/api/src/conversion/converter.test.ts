import { describe, expect, it } from '@jest/globals';
import { metadataValue, parseInt32, withMetadataValues } from './converter.ts';
import { deepFreeze } from './round-trip.testing.ts';

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

describe('an int32', () => {
  it.each([
    { text: '2147483647', then: 2147483647 },
    { text: '2147483648', then: undefined },
    { text: '-2147483648', then: -2147483648 },
    { text: '-2147483649', then: undefined },
    { text: '+5', then: 5 },
    { text: '-0', then: 0 },
    { text: '5 ', then: undefined },
    { text: '', then: undefined },
  ])('of "$text" is $then', ({ text, then }) => {
    expect(parseInt32(text)).toBe(then);
  });
});
