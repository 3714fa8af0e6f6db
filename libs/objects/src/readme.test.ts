import { describe, expect, it } from '@jest/globals';
import { disruptionsAllowed } from './readme.testing.ts';

describe('the example of the README', () => {
  const objects = ['web', 'web', 'web', 'db'].map((app, i) => ({ metadata: { name: `o-${i}`, labels: { app } } }));
  const web = { matchLabels: { app: 'web' } };

  it('rounds a percentage of the matching objects down', () => {
    expect(disruptionsAllowed(objects, web, '50%')).toBe(1);
    expect(disruptionsAllowed(objects, web, 2)).toBe(2);
  });

  it('reports the fault of a field', () => {
    expect(() => disruptionsAllowed(objects, web, '5')).toThrow('maxUnavailable must be an integer or a percentage');
    expect(() => disruptionsAllowed(objects, { matchExpressions: [{ key: 'app', operator: 'Near' }] }, 1)).toThrow('operator');
  });
});
