import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@kruise/objects';
import type { Untyped } from '../objects/untyped.ts';
import { planRollback, type Revision } from './revisions.ts';

const hashed = (hash: string | undefined, others: Readonly<Record<string, string>> = {}): JsonObject =>
  hash === undefined ? others : { ...others, 'apps.kruise.io/config-hash': hash };
const template = (image: string, annotations: JsonObject = {}): JsonObject => ({
  metadata: { labels: { app: 'web' }, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) },
  spec: { containers: [{ name: 'main', image }] },
});
const workload = (of: JsonObject): Untyped => ({ metadata: { name: 'web' }, spec: { template: of } });
const revision = (number: number, of: JsonObject): Revision => ({
  number,
  changeCause: '<none>',
  template: of,
  object: { metadata: { name: `web-${number}` } },
});

describe('the rollback of a workload whose revisions have the hash of named ConfigMaps', () => {
  it.each<{ name: string; given: JsonObject; target: JsonObject; then: JsonObject | 'Skip' }>([
    {
      name: 'restores the template without the hash',
      given: template('app:2'),
      target: template('app:1', hashed('h1')),
      then: template('app:1'),
    },
    {
      name: 'keeps other annotations',
      given: template('app:2'),
      target: template('app:1', hashed('h1', { a: 'b' })),
      then: template('app:1', { a: 'b' }),
    },
    {
      name: 'has nothing to do where only the contents differ',
      given: template('app:1'),
      target: template('app:1', hashed('h1')),
      then: 'Skip',
    },
    {
      name: 'restores a hash that the user wrote',
      given: template('app:1', hashed('h2')),
      target: template('app:1', hashed('h1')),
      then: template('app:1', hashed('h1')),
    },
    {
      name: 'restores a template without annotations',
      given: template('app:2', { a: 'b' }),
      target: template('app:1'),
      then: template('app:1'),
    },
  ])('$name', ({ given, target, then }) => {
    const plan = planRollback(workload(given), [revision(1, target), revision(2, given)], 1);
    expect(plan.kind === 'Skip' ? 'Skip' : plan.template).toEqual(then);
  });
});
