import { describe, expect, it } from '@jest/globals';
import type { CloneSet } from '@kruise/api';
import { plan } from './plan.ts';
import { aCloneSet, aSnapshot, aContext } from './testing.ts';
import { examine } from './examine.ts';

const { spec: good } = aCloneSet();
const withSpec = (spec: unknown): CloneSet => ({ ...aCloneSet(), spec }) as CloneSet;

describe('objects that went past admission', () => {
  it('are malformed when the rules cannot work with them', () => {
    expect(examine(withSpec({ ...good, replicas: -3 }))).toEqual({ kind: 'Malformed', why: expect.stringMatching(/^spec\.replicas/) });
  });

  it.each<[string, object]>([
    ['a text for the strategy', { updateStrategy: 'text' }],
    [
      'texts for the limits',
      { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 'most', partition: [], maxSurge: {} } } },
    ],
    ['texts for the hooks', { lifecycle: { preDelete: 'text', inPlaceUpdate: 3 } }],
  ])('are read leniently where that is safe: %s', (_, change) => {
    const cloneSet = withSpec({ ...good, ...change });
    const examined = examine(cloneSet);
    if (examined.kind !== 'WellFormed') throw new Error(examined.why);
    expect(() => plan({ ...aSnapshot(cloneSet, [], []), selector: examined.selector }, aContext())).not.toThrow();
  });
});
