import { expect, it } from '@jest/globals';
import type { Secret } from '@kruise/objects';
import { secretsFor } from './plan-secrets.ts';

const copy = (name: string, source?: string): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name,
    namespace: 'kruise-daemon-config',
    ...(source === undefined ? {} : { annotations: { 'imagepulljobs.kruise.io/source-key': source } }),
  },
});
const secrets = [copy('of-a', 'a/pull'), copy('of-b', 'b/pull'), copy('original'), copy('odd', 'no-namespace'), copy('of-ab', 'ab/pull')];

it.each<[string, readonly string[], readonly string[]]>([
  ['of one namespace', ['a'], ['of-a', 'original', 'odd']],
  ['of several namespaces', ['b', 'a'], ['of-a', 'of-b', 'original', 'odd']],
  ['that no job asks for', [], ['original', 'odd']],
  ['of a namespace without secrets', ['c'], ['original', 'odd']],
])('a tag %s is pulled with the copies of its namespaces and with Secrets that are no copies', (_name, tenants, names) => {
  expect(secretsFor(tenants, secrets).map(({ metadata }) => metadata.name)).toEqual(names);
});
