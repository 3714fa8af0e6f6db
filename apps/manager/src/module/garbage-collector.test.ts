import { expect, it } from '@jest/globals';
import { FakeApi } from '@kruise/kube/testing';
import { configMaps, pods, type OwnerReference } from '@kruise/objects';
import { collectGarbage } from './garbage-collector.testing.ts';

const namespace = 'default';
const reference = (name: string, uid: string | undefined): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name,
  uid: uid ?? '',
});

it('deletes objects of which no owner exists any more', async () => {
  const api = new FakeApi();
  const alive = await api.create(configMaps, { metadata: { namespace, name: 'alive' } });
  const deleted = reference('gone', 'gone');
  const owners: Readonly<Record<string, readonly OwnerReference[]>> = {
    alone: [],
    orphan: [deleted],
    owned: [reference('alive', alive.metadata.uid)],
    shared: [deleted, reference('alive', alive.metadata.uid)],
  };
  for (const [name, ownerReferences] of Object.entries(owners))
    await api.create(pods, { metadata: { namespace, name, ownerReferences }, spec: { containers: [] } });
  await collectGarbage(api, [pods], [configMaps]);
  expect(api.peekAll(pods).map(({ metadata }) => metadata.name)).toEqual(['alone', 'owned', 'shared']);
});
