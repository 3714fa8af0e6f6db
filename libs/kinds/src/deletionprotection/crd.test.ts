/** @see spec/deletion-protection.md 4, 6 */
import { expect, it } from '@jest/globals';
import { resourceOfCrd } from './crd.ts';

const names = { kind: 'Game', plural: 'games' };
const crd = (spec: object) => ({ spec: { group: 'example.org', names, ...spec } }) as never;
const game = (version: string, namespaced: boolean) => ({
  kind: 'Served',
  type: { group: 'example.org', version, kind: 'Game', plural: 'games', namespaced },
});
const v1 = { name: 'v1', served: true, storage: true };
const v2 = { name: 'v2', served: true, storage: false };

it.each<{ name: string; spec: object; resource: object }>([
  { name: 'in its storage version', spec: { scope: 'Namespaced', versions: [v2, v1] }, resource: game('v1', true) },
  { name: 'of the whole cluster', spec: { scope: 'Cluster', versions: [v1] }, resource: game('v1', false) },
  {
    name: 'in another version that is served',
    spec: { scope: 'Cluster', versions: [{ ...v1, served: false }, v2] },
    resource: game('v2', false),
  },
  { name: 'in a served version where none is stored', spec: { versions: [v2] }, resource: game('v2', true) },
  { name: 'in the one version that an old CRD has', spec: { scope: 'Cluster', version: 'v3' }, resource: game('v3', false) },
  { name: 'in a listed version rather than that', spec: { version: 'v3', versions: [v1] }, resource: game('v1', true) },
  { name: 'in what can be read of its versions', spec: { versions: ['v0', null, v1] }, resource: game('v1', true) },
  {
    name: 'in none, as none is served: the message names the stored one',
    spec: {
      versions: [
        { ...v2, served: false },
        { ...v1, served: false },
      ],
    },
    resource: { kind: 'NotServed', gvk: 'example.org/v1, Kind=Game' },
  },
  { name: 'in none, as it has none', spec: { versions: [] }, resource: { kind: 'NotServed', gvk: 'example.org/, Kind=Game' } },
  {
    name: 'in none, as nothing can be read',
    spec: { group: 7, names: null, versions: 'v1', version: 1 },
    resource: { kind: 'NotServed', gvk: '/, Kind=' },
  },
])('objects of a CRD are listed $name', ({ spec, resource }) => {
  expect(resourceOfCrd(crd(spec))).toEqual(resource);
});
