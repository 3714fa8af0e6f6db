import { describe, expect, it } from '@jest/globals';
import { examineBy } from './examined.ts';

describe('the examination of a workload', () => {
  const object = { spec: { selector: { matchLabels: { app: 'a' } } } };

  it('reports the obstacle', () => {
    expect(examineBy(() => 'spec: faulty')(object)).toEqual({ kind: 'Malformed', why: 'spec: faulty' });
  });

  it('returns the selector when there is none', () => {
    const examined = examineBy(() => undefined)(object);
    if (examined.kind !== 'WellFormed') throw new Error(examined.why);
    expect([examined.selector.matches({ app: 'a' }), examined.selector.matches({ app: 'b' })]).toEqual([true, false]);
  });
});
