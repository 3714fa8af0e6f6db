import { describe, expect, it } from '@jest/globals';
import { secretCopyName } from '@kruise/api';
import { agentLimits, type Secret } from '@kruise/objects';
import { planReads, serves } from './plan-secrets.ts';

const namespace = 'kruise-daemon-config';
const copy = (name: string, source?: string): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace, ...(source === undefined ? {} : { annotations: { 'imagepulljobs.kruise.io/source-key': source } }) },
});
const secrets = [copy('of-a', 'a/pull'), copy('of-b', 'b/pull'), copy('original'), copy('odd', 'no-namespace'), copy('of-ab', 'ab/pull')];
const byName = new Map(secrets.map((secret) => [secret.metadata.name, secret]));
const reference = (name: string) => ({ namespace, name });
const named = (tenant: string, name: string) => reference(secretCopyName({ namespace: tenant, name }, 0));
const nothing = () => undefined;

it.each<[string, readonly string[], readonly string[]]>([
  ['of one namespace', ['a'], ['of-a', 'original', 'odd']],
  ['of several namespaces', ['b', 'a'], ['of-a', 'of-b', 'original', 'odd']],
  ['that no job asks for', [], ['original', 'odd']],
  ['of a namespace without secrets', ['c'], ['original', 'odd']],
])('a tag %s is pulled with the copies of its namespaces and with Secrets that are no copies', (_name, tenants, names) => {
  expect(secrets.filter((secret) => serves(tenants, secret)).map(({ metadata }) => metadata.name)).toEqual(names);
  const { serving } = planReads(
    secrets.map(({ metadata }) => reference(metadata.name)),
    tenants,
    ({ name }) => byName.get(name),
  );
  expect(serving.map(({ name }) => name)).toEqual(names);
});

describe('what is read for a tag', () => {
  const bound = agentLimits.secretsOfPull.value;
  const many = (tenant: string, count: number) => Array.from({ length: count }, (_, index) => named(tenant, `s${index}`));
  const foreign = copy('x', 'b/pull');

  it.each<{
    name: string;
    references: ReturnType<typeof many>;
    tenants: string[];
    counts: [serving: number, unsure: number, leftOut: number];
  }>([
    { name: 'is nothing when the image names no secret', references: [], tenants: ['a'], counts: [0, 0, 0] },
    { name: 'includes what has the name of a copy', references: many('a', 3), tenants: ['c', 'a'], counts: [3, 0, 0] },
    { name: 'includes the metadata of all others first', references: many('b', 3), tenants: ['a'], counts: [0, 3, 0] },
    { name: 'has a maximum', references: many('a', bound + 5), tenants: ['a'], counts: [bound, 0, 5] },
    { name: 'gives the rest to others', references: [...many('b', bound), ...many('a', 3)], tenants: ['a'], counts: [3, bound - 3, 3] },
    {
      name: 'is shared between namespaces',
      references: [...many('a', bound), ...many('b', 7)],
      tenants: ['a', 'b'],
      counts: [bound, 0, 7],
    },
  ])('$name', ({ references, tenants, counts }) => {
    const { serving, unsure, leftOut } = planReads(references, tenants, nothing);
    expect([serving.length, unsure.length, leftOut]).toEqual(counts);
    if (tenants.length > 1 && counts[2] > 0) expect(serving).toEqual(expect.arrayContaining(many('b', 7)));
  });

  it('excludes what is known to belong to another namespace, and does not count it', () => {
    const references = [...many('b', 2 * bound), ...many('c', 2)];
    const known = new Set(many('b', 2 * bound).map(({ name }) => name));
    expect(planReads(references, ['a'], ({ name }) => (known.has(name) ? foreign : undefined))).toEqual({
      serving: [],
      unsure: many('c', 2),
      leftOut: 0,
    });
  });

  it('compares names with a maximum number of namespaces, and reads the metadata of the others', () => {
    const tenants = Array.from({ length: 1000 }, (_, index) => `n${index}`);
    const references = [...many('n0', 2), ...many('n999', 2), ...many('other', 996)];
    expect(planReads(references, tenants, nothing)).toMatchObject({
      serving: many('n0', 2),
      unsure: [...many('n999', 2), ...many('other', bound - 4)],
    });
  });
});
