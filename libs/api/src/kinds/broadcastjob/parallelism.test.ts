import { describe, expect, it } from '@jest/globals';
import { parallelPods } from './parallelism.ts';

describe('parallelism of BroadcastJobs', () => {
  it.each<{ name: string; value: unknown; desired: number; then: number | undefined }>([
    { name: 'a number is a number of Pods', value: 2, desired: 5, then: 2 },
    { name: 'a percentage is rounded up', value: '50%', desired: 5, then: 3 },
    { name: 'a text is a percentage without its sign, too', value: '50', desired: 5, then: 3 },
    { name: 'wherever the sign is', value: '%5%0', desired: 4, then: 2 },
    { name: 'more than all', value: '200%', desired: 3, then: 6 },
    { name: 'nothing of nothing', value: '100%', desired: 0, then: 0 },
    { name: 'less than nothing', value: '-10%', desired: 10, then: -1 },
    { name: 'a little less than nothing is nothing', value: '-1%', desired: 10, then: 0 },
    { name: 'a sign may precede it', value: '+10%', desired: 10, then: 1 },
    { name: 'no fraction of a percent', value: '1.5%', desired: 10, then: undefined },
    { name: 'no word', value: 'all', desired: 10, then: undefined },
    { name: 'no empty text', value: '', desired: 10, then: undefined },
    { name: 'no number beyond counting', value: '99999999999999999999', desired: 1, then: undefined },
    { name: 'no fraction', value: 1.5, desired: 10, then: undefined },
    { name: 'no object', value: {}, desired: 10, then: undefined },
  ])('$name', ({ value, desired, then }) => expect(parallelPods(value, desired)).toBe(then));
});
