import { describe, expect, it } from '@jest/globals';
import type { Pod } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { isExempt, relatedPubOf, withRelatedPub } from './related-pub.ts';

const [name, legacy, noProtect] = ['pub.kruise.io/related-pub', 'kruise.io/related-pub', 'pub.kruise.io/no-protect'];
const pod = (annotations?: Readonly<Record<string, string>>): Pod =>
  aPod({ name: 'p', ...(annotations === undefined ? {} : { annotations }) });

describe('the budget of a Pod (3)', () => {
  it.each<{ annotations: Readonly<Record<string, string>> | undefined; then: string }>([
    { annotations: undefined, then: '' },
    { annotations: { [name]: 'a' }, then: 'a' },
    { annotations: { [legacy]: 'b' }, then: 'b' },
    { annotations: { [name]: 'a', [legacy]: 'b' }, then: 'a' },
    { annotations: { [name]: '', [legacy]: 'b' }, then: 'b' },
    { annotations: { [name]: 1 as unknown as string }, then: '' },
  ])('of $annotations is "$then"', ({ annotations, then }) => {
    expect(relatedPubOf(pod(annotations))).toBe(then);
  });

  it('is written under both names, and stays unchanged if it exists', () => {
    const named = withRelatedPub(pod({ a: 'b', [name]: 'old' }), 'new');
    expect(named.metadata.annotations).toEqual({ a: 'b', [name]: 'new', [legacy]: 'new' });
    expect(withRelatedPub(named, 'new')).toBe(named);
    expect(withRelatedPub(pod({ [name]: 'new' }), 'new').metadata.annotations).toEqual({ [name]: 'new', [legacy]: 'new' });
    expect(withRelatedPub(pod(), 'new').metadata.annotations).toEqual({ [name]: 'new', [legacy]: 'new' });
  });
});

describe('a Pod is out of protection (3)', () => {
  it.each(['1', 't', 'T', 'true', 'TRUE', 'True'])('with %s', (value) => expect(isExempt(pod({ [noProtect]: value }))).toBe(true));
  it.each(['', '0', 'false', 'yes', 'tRUE', ' true'])('not with "%s"', (value) =>
    expect(isExempt(pod({ [noProtect]: value }))).toBe(false),
  );
});
