import { expect, it } from '@jest/globals';
import { FakeApi } from '@kruise/kube/testing';
import { type ConfigMap, configMaps } from '@kruise/objects';
import { WorkloadWorld } from './workload-world.testing.ts';

const key = { namespace: 'default', name: 'web' };
const setData = (api: FakeApi, value: string): Promise<ConfigMap> => api.patch(configMaps, key, { data: { value } }, { type: 'merge' });
const valueOf = ({ data }: ConfigMap): string | undefined => data?.['value'];

it('gives every state of an object after one that was seen, up to the one that is waited for', async () => {
  const api = new FakeApi();
  const world = new WorkloadWorld<ConfigMap>(configMaps, api, key.namespace);
  const made = await api.create(configMaps, { metadata: key, data: { value: 'seen' } });
  await api.create(configMaps, { metadata: { ...key, name: 'other' }, data: { value: 'last' } });
  await setData(api, 'short');
  const states = world.statesSince(made, (object) => valueOf(object) === 'last');
  for (const value of ['shorter', 'last', 'too late']) await setData(api, value);
  expect((await states).map(valueOf)).toEqual(['short', 'shorter', 'last']);
});

it('fails when the state does not come', async () => {
  const api = new FakeApi();
  const world = new WorkloadWorld<ConfigMap>(configMaps, api, key.namespace);
  const made = await api.create(configMaps, { metadata: key, data: { value: 'seen' } });
  await expect(world.statesSince(made, () => false, 20)).rejects.toThrow('web did not get there');
});
