import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '@kruise/objects';
import { planRelease } from './field-ownership.ts';

const entry = (manager: string, operation: string, time = '2026-01-01T00:00:10Z'): object => ({ manager, operation, time, fieldsV1: {} });
const owned = (...managedFields: readonly object[]): KubeObject => ({ metadata: { name: 'c', managedFields } as KubeObject['metadata'] });
const second = Date.parse('2026-01-01T00:00:00Z') / 1000;
const dueAt = (object: KubeObject): number | undefined => {
  const plan = planRelease(object, 'kruise-manager');
  return plan === undefined ? undefined : plan.dueAtMs / 1000 - second;
};

describe('the release of fields', () => {
  it.each<{ name: string; object: KubeObject }>([
    { name: 'nothing is noted', object: { metadata: { name: 'c' } } },
    { name: 'only others have written', object: owned(entry('helm', 'Apply'), entry('kubectl', 'Update')) },
    { name: 'it has applied them', object: owned(entry('kruise-manager', 'Apply')) },
  ])('is not planned when $name', ({ object }) => {
    expect(planRelease(object, 'kruise-manager')).toBeUndefined();
  });

  it('keeps what others have written', () => {
    const plan = planRelease(
      owned(entry('helm', 'Apply'), entry('kruise-manager', 'Update'), entry('kubectl', 'Update')),
      'kruise-manager',
    );
    expect(plan?.released).toEqual(owned(entry('helm', 'Apply'), entry('kubectl', 'Update')));
  });

  it('is due two seconds after the last write', () => {
    const [early, late] = ['2026-01-01T00:00:03Z', '2026-01-01T00:00:07Z'].map((time) => entry('kruise-manager', 'Update', time));
    expect(dueAt(owned(early!, late!))).toBe(9);
  });

  it('is due immediately when the time of the write is not noted', () => {
    expect(dueAt(owned({ manager: 'kruise-manager', operation: 'Update' }))).toBeLessThan(0);
  });
});
