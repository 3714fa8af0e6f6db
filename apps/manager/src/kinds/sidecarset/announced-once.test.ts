/** When an event of a SidecarSet is given. @see spec/sidecarset.md 3 */
import { describe, expect, it } from '@jest/globals';
import type { Announcement } from '@kruise/kinds/sidecarset';
import { aSidecarSet } from '@kruise/kinds/sidecarset/testing';
import { AnnouncedOnce } from './announced-once.ts';

describe('an event', () => {
  const setUp = () => {
    const given: string[] = [];
    const once = new AnnouncedOnce({ event: (_object, type, reason, message) => void given.push(`${type} ${reason} ${message}`) });
    return { given, once };
  };
  const announcement = (message: string, isNews = false): Announcement => ({ type: 'Warning', reason: 'No', message, isNews });
  const at = (generation: number, uid = 'a') => {
    const sidecarSet = aSidecarSet();
    return { ...sidecarSet, metadata: { ...sidecarSet.metadata, uid, generation } };
  };

  it('is given once for a reason in a generation, and again when it is news', () => {
    const { given, once } = setUp();
    once.announce(at(1), [announcement('first'), announcement('second')]);
    once.announce(at(1), [announcement('third'), announcement('news', true)]);
    once.announce(at(2), [announcement('next')]);
    once.announce(at(2, 'b'), [announcement('of another one')]);
    expect(given).toEqual(['Warning No first', 'Warning No news', 'Warning No next', 'Warning No of another one']);
  });

  it('is given again once the object was deleted', () => {
    const { given, once } = setUp();
    once.announce(at(1), [announcement('first')]);
    once.forget('a');
    once.announce(at(1), [announcement('again')]);
    expect(given).toEqual(['Warning No first', 'Warning No again']);
  });
});
