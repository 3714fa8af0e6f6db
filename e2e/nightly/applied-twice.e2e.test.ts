/** Manifests of StatefulSets and PersistentPodStates that kubectl applies repeatedly: nothing changes, and no field manager takes a field from another one. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { persistentPodStates, persistentPodStatesV1Alpha1, statefulSets, statefulSetsV1Alpha1 } from '@kruise/api';
import type { KubeObject, ResourceType } from '@kruise/objects';
import { statefulSetOf, type StatefulSetFixture } from '../../apps/manager/src/int-tests/fixtures/statefulset-fixture.testing.ts';
import { kubectl } from '../support/programs.ts';
import { closeFixture, images, openStatefulSets } from '../support/fixture.ts';

const host = 'kubernetes.io/hostname';
const claimTemplate = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
};

interface Manifest {
  readonly kind: string;
  readonly type: ResourceType;
  readonly version: string;
  readonly specFor: (name: string) => object;
}

const setSpec = (more: object) => (name: string) => ({
  ...statefulSetOf('', { name, replicas: 2, image: images.first, parallel: true, rollingUpdate: { maxUnavailable: '50%' } }).spec,
  volumeClaimTemplates: [claimTemplate],
  ...more,
});
const stateSpec = (topology: object) => (name: string) => ({
  targetRef: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'StatefulSet', name },
  ...topology,
});

const manifests: readonly Manifest[] = [
  {
    kind: 'StatefulSet',
    type: statefulSets,
    version: 'v1beta1',
    specFor: setSpec({
      reserveOrdinals: [1, '3-4'],
      scaleStrategy: { maxUnavailable: 2 },
      lifecycle: { preDelete: { labelsHandler: { a: 'b' } } },
    }),
  },
  { kind: 'StatefulSet', type: statefulSetsV1Alpha1, version: 'v1alpha1', specFor: setSpec({}) },
  {
    kind: 'PersistentPodState',
    type: persistentPodStates,
    version: 'v1beta1',
    specFor: stateSpec({ preferredPersistentTopology: [{ weight: 100, preference: { keys: [host] } }] }),
  },
  {
    kind: 'PersistentPodState',
    type: persistentPodStatesV1Alpha1,
    version: 'v1alpha1',
    specFor: stateSpec({ requiredPersistentTopology: { nodeTopologyKeys: [host] } }),
  },
];

describe('a manifest that is applied twice', () => {
  let fixture: StatefulSetFixture;
  let folder: string;
  beforeAll(async () => {
    fixture = await openStatefulSets('applied-twice');
    folder = await mkdtemp(join(tmpdir(), 'kruise-applied-'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
    await closeFixture(fixture);
  });

  const cases = manifests.flatMap((one) => [
    { ...one, way: 'by the client', flags: [] },
    { ...one, way: 'on the server', flags: ['--server-side'] },
  ]);
  it.each(cases)('$way, a $kind in $version, is of its first generation, and shows no difference', async (one) => {
    const { kind, type, version, flags, specFor } = one;
    const name = `${kind}-${version}-${flags.length}`.toLowerCase();
    const { namespace } = fixture;
    const file = join(folder, `${name}.json`);
    await writeFile(
      file,
      JSON.stringify({ apiVersion: `apps.kruise.io/${version}`, kind, metadata: { name, namespace }, spec: specFor(name) }),
    );
    const apply = (): Promise<string> => kubectl('apply', ...flags, '-f', file);
    const held = (): Promise<KubeObject> => fixture.client.get(type, { namespace, name });
    const isObserved = async (): Promise<boolean> => {
      const { status } = (await held()) as KubeObject & { readonly status?: { readonly observedGeneration?: number } };
      return status?.observedGeneration === 1;
    };
    await apply();
    await fixture.eventually(isObserved, `${name} is looked at`);
    if (kind === 'StatefulSet') await fixture.untilAvailable(name);
    expect(await kubectl('diff', ...flags, '-f', file)).toBe('');
    await apply();
    expect((await held()).metadata.generation).toBe(1);
    expect(await kubectl('diff', ...flags, '-f', file)).toBe('');
  });
});
