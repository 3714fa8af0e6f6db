import { expect, it } from '@jest/globals';
import { FakeApi, FakeClock, Timeline } from '@kruise/kube/testing';
import { pods } from '@kruise/objects';
import { Observer } from './observer.testing.ts';
import type { RefusedFixture } from './refused-run.testing.ts';
import { Refusals } from './refusals.testing.ts';

const key = { namespace: 'default', name: 'web-0' };
const pod = { metadata: key, spec: { containers: [] } };

function observed() {
  const clock = new FakeClock();
  const api = new FakeApi({ clock });
  const cluster = { api, clock, shown: [], conditions: [], timeline: new Timeline(clock) };
  const fixture = { cluster, demand: { wanted: 0, budget: 0 }, available: 0 } as unknown as RefusedFixture<never>;
  const observer = new Observer(fixture, new Refusals(clock, () => undefined));
  return { api, clock, observer, manager: api.connect('manager') };
}

it('finds a loop of creations while the name is in use', async () => {
  const { api, clock, observer, manager } = observed();
  api.seed(pods, pod);
  const createOften = async (times: number): Promise<void> => {
    for (let i = 0; i < times; i++) await manager.create(pods, pod).catch(() => undefined);
  };
  await createOften(12);
  await clock.step(61_000);
  await createOften(12);
  expect(() => observer.check()).not.toThrow();
  await createOften(1);
  expect(() => observer.check()).toThrow('Pod web-0 was created 13 times within a minute while the name was in use');
});

it('finds a second deletion by the manager, and no first one of what others delete', async () => {
  const { api, observer, manager } = observed();
  const { uid = '' } = api.seed(pods, { ...pod, spec: { ...pod.spec, nodeName: 'n1' } }).metadata;
  await api.delete(pods, key);
  const { resourceVersion = '' } = api.peek(pods, key)?.metadata ?? {};
  const deletion = { preconditions: { uid, resourceVersion } };
  await manager.delete(pods, key, deletion);
  expect(() => observer.check()).not.toThrow();
  await manager.delete(pods, key, deletion);
  expect(() => observer.check()).toThrow('Pod web-0 was deleted again');
});
