/** Objects that are stored without admission: each affects itself alone, and the obstacle names the field. */
import { describe, expect, it } from '@jest/globals';
import { statefulSetObstacle } from './rules.ts';

const good = {
  replicas: 3,
  selector: { matchLabels: { app: 'sample' } },
  template: { metadata: { labels: { app: 'sample' } }, spec: { containers: [{ name: 'main', image: 'app:1' }] } },
};
const having = (more: object): { readonly spec: unknown } => ({ spec: { ...good, ...more } });

describe('a StatefulSet that cannot be worked with', () => {
  it.each([
    { more: { replicas: 1e9 }, then: 'spec.replicas' },
    { more: { replicas: '3' }, then: 'spec.replicas' },
    { more: { template: { spec: {} } }, then: 'spec.template.spec.containers' },
    { more: { volumeClaimTemplates: [3] }, then: 'spec.volumeClaimTemplates' },
    { more: { reserveOrdinals: '1' }, then: 'spec.reserveOrdinals' },
    { more: { ordinals: { start: 1.5 } }, then: 'spec.ordinals.start' },
    { more: { ordinals: { start: 2147483646 }, replicas: 5 }, then: 'leave 2 ordinals up to 2147483647' },
    { more: { reserveOrdinals: ['0-9007199254740993'] }, then: 'leave 0 ordinals up to 2147483647' },
    { more: { selector: {} }, then: 'an empty selector is invalid for a StatefulSet' },
    { more: { selector: { matchLabels: { app: 'other' } } }, then: 'does not match the labels of the template' },
  ])('is reported: $then', ({ more, then }) => {
    expect(statefulSetObstacle(having(more))).toContain(then);
  });

  it('is none that is as it should be, or lacks what is optional', () => {
    expect(statefulSetObstacle(having({}))).toBeUndefined();
    expect(statefulSetObstacle(having({ ordinals: { start: -1 }, reserveOrdinals: null, volumeClaimTemplates: null }))).toBeUndefined();
  });
});
