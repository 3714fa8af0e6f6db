/** One ConfigMap or Secret in many namespaces. @see docs/spec/resourcedistribution.md 9 */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  resourceDistributionAnnotations as annotations,
  resourceDistributions,
  resourceDistributionsV1Alpha1,
  type ResourceDistribution,
  type ResourceDistributionTargets,
} from '@kruise/api';
import { unlessDeleted } from '@kruise/kube';
import { configMaps, namespaces, secrets, type KubeObject, type ResourceType } from '@kruise/objects';
import type { CloneSetFixture } from '../../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { kubectl } from '../../support/programs.ts';
import { closeFixture, openFixture } from '../../support/fixture.ts';

const group = 'e2e.example.org/group';
const list = (...names: readonly string[]) => ({ list: names.map((name) => ({ name: `rd-${name}` })) });
const included = (...names: readonly string[]): ResourceDistributionTargets => ({ includedNamespaces: list(...names) });
const inGroup: ResourceDistributionTargets = { namespaceSelector: { matchLabels: { [group]: 'one' } } };
const configMap = (name: string, data: object = { color: 'blue' }): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});

describe('a distribution', () => {
  let fixture: CloneSetFixture;
  const made = ['ns-1', 'ns-2', 'ns-3', 'ns-4', 'ns-5', 'later', 'back'].map((name) => `rd-${name}`);
  const distributions: string[] = [];

  beforeAll(async () => {
    await kubectl('delete', 'namespace', ...made, '--ignore-not-found', '--timeout=120s');
    fixture = await openFixture('rd-world');
    for (const name of ['ns-1', 'ns-2', 'ns-3', 'ns-4']) await makeNamespace(name, { [group]: 'one' });
    await makeNamespace('ns-5');
  });
  afterAll(async () => {
    for (const name of distributions) await fixture.client.delete(resourceDistributions, key(name)).catch(() => undefined);
    await kubectl('delete', 'namespace', ...made, '--ignore-not-found', '--wait=false');
    await closeFixture(fixture);
  });

  const key = (name: string) => ({ namespace: '', name });
  const makeNamespace = (name: string, labels: Record<string, string> = {}): Promise<KubeObject> =>
    fixture.client.create(namespaces, { metadata: { name: `rd-${name}`, labels } });
  const make = async (
    name: string,
    targets: ResourceDistributionTargets,
    resource: object = configMap(name),
  ): Promise<ResourceDistribution> => {
    distributions.push(name);
    await fixture.client.delete(resourceDistributions, key(name)).catch(() => undefined);
    return fixture.client.create(resourceDistributions, { metadata: { name }, spec: { resource: resource as never, targets } });
  };
  const get = (name: string): Promise<ResourceDistribution> => fixture.client.get(resourceDistributions, key(name));
  const change = (name: string, spec: object): Promise<ResourceDistribution> =>
    fixture.client.patch(resourceDistributions, key(name), { spec }, { type: 'merge' });
  const placesOf = async (name: string, type: ResourceType = configMaps): Promise<readonly string[]> =>
    (await fixture.client.list(type, { fieldSelector: `metadata.name=${name}` })).items
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => metadata.namespace ?? '');
  const untilPlaces = (name: string, ...places: readonly string[]): Promise<void> =>
    fixture.eventually(
      async () =>
        (await placesOf(name)).toSorted().join() ===
        places
          .map((place) => `rd-${place}`)
          .toSorted()
          .join(),
      `${name} is in ${places.join()}`,
    );
  const countsOf = async (name: string): Promise<string> => {
    const { desired = 0, succeeded = 0, failed = 0 } = (await get(name)).status ?? {};
    return `${desired} ${succeeded} ${failed}`;
  };
  const untilCounts = (name: string, counts: string): Promise<void> =>
    fixture.eventually(async () => (await countsOf(name)) === counts, `${name} has ${counts}`);
  const conditionOf = async (name: string, index: number) => (await get(name)).status?.conditions?.[index];
  const refusal = (done: Promise<unknown>): Promise<string> =>
    done.then(
      () => 'none',
      (error: Error) => error.message,
    );
  const copyOf = (name: string, namespace: string) => fixture.client.get(configMaps, { namespace: `rd-${namespace}`, name });

  it('is where it should be, with the hash of what the API server sends (2, 14)', async () => {
    const data = { html: '<a href="x">&</a>', separators: '\u2028\u2029', text: 'grüße 😀' };
    await make(
      'rd-first',
      { ...included('ns-1', 'ns-2', 'ns-5'), ...inGroup, excludedNamespaces: list('ns-4') },
      configMap('rd-first', data),
    );
    await untilPlaces('rd-first', 'ns-1', 'ns-2', 'ns-3', 'ns-5');
    await untilCounts('rd-first', '4 4 0');
    const { status } = await get('rd-first');
    expect(status).not.toHaveProperty('failed');
    expect(status?.conditions?.map((one) => `${one.type} ${one.status} ${one.reason}`)).toEqual(
      [
        'GetResourceFailed',
        'CreateResourceFailed',
        'UpdateResourceFailed',
        'DeleteResourceFailed',
        'ConflictOccurred',
        'NamespaceNotExists',
      ].map((type) => `${type} False Succeeded`),
    );
    // `get --raw` prints what came.
    const text = await kubectl('get', '--raw', '/apis/apps.kruise.io/v1beta1/resourcedistributions/rd-first');
    const from = text.indexOf('"resource":') + '"resource":'.length;
    const hash = createHash('sha256')
      .update(text.slice(from, text.indexOf(',"targets":', from)), 'utf8')
      .digest('hex');
    expect((await copyOf('rd-first', 'ns-3')).metadata.annotations).toMatchObject({
      [annotations.hash]: hash,
      [annotations.from]: 'rd-first',
    });
    expect((await copyOf('rd-first', 'ns-1')).data).toEqual(data);
  });

  it('follows namespaces and their labels (3)', async () => {
    await make('rd-second', inGroup);
    await untilPlaces('rd-second', 'ns-1', 'ns-2', 'ns-3', 'ns-4');
    await makeNamespace('later', { [group]: 'one' });
    await fixture.client.patch(namespaces, key('rd-ns-5'), { metadata: { labels: { [group]: 'one' } } }, { type: 'merge' });
    await untilPlaces('rd-second', 'ns-1', 'ns-2', 'ns-3', 'ns-4', 'ns-5', 'later');
    for (const name of ['rd-ns-5', 'rd-later'])
      await fixture.client.patch(namespaces, key(name), { metadata: { labels: { [group]: null } } }, { type: 'merge' });
    await untilPlaces('rd-second', 'ns-1', 'ns-2', 'ns-3', 'ns-4');
  });

  it('is put right after an edit, and made again after a deletion (4)', async () => {
    await make('rd-third', included('ns-1', 'ns-2'));
    await untilCounts('rd-third', '2 2 0');
    const at = { namespace: 'rd-ns-1', name: 'rd-third' };
    await fixture.client.patch(configMaps, at, { data: { color: 'red' } }, { type: 'merge' });
    await fixture.eventually(async () => (await fixture.client.get(configMaps, at)).data?.['color'] === 'blue', 'the edit is undone');
    await fixture.client.delete(configMaps, { namespace: 'rd-ns-2', name: 'rd-third' });
    await untilPlaces('rd-third', 'ns-1', 'ns-2');
  });

  it('reports a namespace that no longer exists (5)', async () => {
    await makeNamespace('back');
    await make('rd-fourth', included('ns-1', 'back'));
    await untilCounts('rd-fourth', '2 2 0');
    await kubectl('delete', 'namespace', 'rd-back', '--timeout=120s');
    await untilCounts('rd-fourth', '2 1 1');
    expect(await conditionOf('rd-fourth', 5)).toMatchObject({
      status: 'True',
      failedNamespaces: ['rd-back'],
      reason: 'namespace not found or is terminating',
    });
    await makeNamespace('back');
    await untilCounts('rd-fourth', '2 2 0');
  });

  it('loses copies with targets, and all of them when it is deleted (6, 7)', async () => {
    await make('rd-fifth', included('ns-1', 'ns-2', 'ns-3'));
    await untilCounts('rd-fifth', '3 3 0');
    await change('rd-fifth', { targets: included('ns-3') });
    await untilPlaces('rd-fifth', 'ns-3');
    await untilCounts('rd-fifth', '1 1 0');
    await kubectl('delete', 'distributor', 'rd-fifth', '--cascade=foreground', '--timeout=120s');
    await untilPlaces('rd-fifth');
  });

  it('is in all namespaces but those of the system (8)', async () => {
    await make('rd-sixth', { allNamespaces: true });
    const wanted = ['default', 'rd-ns-1', 'rd-ns-5', 'kruise-system'];
    await fixture.eventually(async () => {
      const places = await placesOf('rd-sixth');
      return wanted.every((name) => places.includes(name));
    }, 'they have it');
    expect((await placesOf('rd-sixth')).filter((name) => ['kube-system', 'kube-public'].includes(name))).toEqual([]);
    await change('rd-sixth', {
      targets: { allNamespaces: null, includedNamespaces: { list: [{ name: 'kube-system' }, { name: 'rd-ns-1' }] } },
    });
    await untilPlaces('rd-sixth', 'ns-1');
    await untilCounts('rd-sixth', '1 1 0');
  });
  it('leaves an object of another owner as it is, and reports it (9)', async () => {
    await fixture.client.create(configMaps, { metadata: { namespace: 'rd-ns-2', name: 'rd-seventh' }, data: { of: 'somebody else' } });
    await make('rd-seventh', included('ns-1', 'ns-2'));
    await untilCounts('rd-seventh', '2 1 1');
    expect(await conditionOf('rd-seventh', 4)).toMatchObject({ status: 'True', failedNamespaces: ['rd-ns-2'] });
    expect((await copyOf('rd-seventh', 'ns-2')).data).toEqual({ of: 'somebody else' });
    await fixture.eventually(
      async () => (await kubectl('describe', 'distributor', 'rd-seventh')).includes('DistributeFailed'),
      'an event reports the conflict',
    );
    await fixture.client.delete(configMaps, { namespace: 'rd-ns-2', name: 'rd-seventh' });
    await untilCounts('rd-seventh', '2 2 0');
  });

  it('is refused where it cannot be, and keeps the identity of its resource (10, 11, 12)', async () => {
    await make('rd-eighth', included('ns-1'));
    for (const resource of [{ metadata: { name: 'other' } }, { kind: 'Secret' }, { apiVersion: 'v2' }])
      expect(await refusal(change('rd-eighth', { resource }))).toContain('immutable');
    expect(await refusal(make('rd-bad', {}, { ...configMap('c'), kind: 'Service' }))).toContain('unsupported resource GroupKind');
    expect(await refusal(make('rd-bad', {}, configMap('BADNAME')))).toContain('spec.resource is invalid');
    expect(await refusal(make('rd-bad', { ...included('a'), excludedNamespaces: list('a') }))).toContain('ambiguous targets');
  });

  it('says the same in both versions, and ignores the namespace of its resource (13, 15)', async () => {
    distributions.push('rd-ninth');
    const resource = { ...configMap('rd-ninth'), metadata: { name: 'rd-ninth', namespace: 'rd-ns-5' } } as never;
    const targets = { namespaceLabelSelector: { matchLabels: { [group]: 'none' } }, ...included('ns-1') };
    await fixture.client.create(resourceDistributionsV1Alpha1, { metadata: { name: 'rd-ninth' }, spec: { resource, targets } });
    await untilPlaces('rd-ninth', 'ns-1');
    expect((await get('rd-ninth')).spec.targets).toEqual({ namespaceSelector: targets.namespaceLabelSelector, ...included('ns-1') });
    expect((await fixture.client.get(resourceDistributionsV1Alpha1, key('rd-ninth'))).spec.targets).toEqual(targets);
  });

  it('of a Secret without type is written once (16)', async () => {
    const resource = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'rd-tenth' }, stringData: { password: 'x' } };
    await make('rd-tenth', included('ns-1'), resource);
    await untilCounts('rd-tenth', '1 1 0');
    const copy = await fixture.client.get(secrets, { namespace: 'rd-ns-1', name: 'rd-tenth' });
    expect(copy).toMatchObject({ type: 'Opaque', data: { password: 'eA==' } });
    // Passes repeatedly, and writes nothing.
    for (const name of ['ns-2', 'ns-3']) {
      await change('rd-tenth', { targets: included('ns-1', name) });
      await untilPlacesOfSecret('rd-tenth', 'rd-ns-1', `rd-${name}`);
    }
    expect((await fixture.client.get(secrets, { namespace: 'rd-ns-1', name: 'rd-tenth' })).metadata.resourceVersion).toBe(
      copy.metadata.resourceVersion,
    );
    expect(await unlessDeleted(fixture.client.get(secrets, { namespace: 'rd-ns-2', name: 'rd-tenth' }))).toBeUndefined();
  });
  const untilPlacesOfSecret = (name: string, ...places: readonly string[]): Promise<void> =>
    fixture.eventually(async () => (await placesOf(name, secrets)).toSorted().join() === places.toSorted().join(), `${name} is there`);
});
