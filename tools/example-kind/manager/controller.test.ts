import { expect, it } from '@jest/globals';
import { deathsAtEveryStep, deathTimes, type Death } from '@kruise/kube/testing';
import { configMaps } from '@kruise/objects';
import { ControllerLife, newClock, newFakeApi } from '../../../apps/manager/src/module/one-controller.testing.ts';
import { maintenanceNotices, noticeLabel } from '../api/index.ts';
import { maintenanceNoticeController } from './controller.ts';

const key = { namespace: 'default', name: 'db' };
const running = [{ message: 'back at noon' }, 'Running'];

/** A notice of one minute, a ConfigMap of another owner with its name if `taken`, and a manager after its first pass. */
async function begin(death?: Death, taken = false) {
  const clock = newClock();
  const api = newFakeApi(clock);
  api.seed(maintenanceNotices, { metadata: key, spec: { message: 'back at noon', durationSeconds: 60 } });
  if (taken) api.seed(configMaps, { metadata: { ...key, labels: { [noticeLabel]: '' } }, data: { of: 'another owner' } });
  const life = new ControllerLife(api, clock, maintenanceNoticeController, { death });
  await life.settle();
  const seen = () => [api.peek(configMaps, key)?.data, api.peek(maintenanceNotices, key)?.status?.conditions?.[0]?.reason];
  return { api, life, seen };
}

it('the ConfigMap is created, restored after every change, and deleted when its time is over', async () => {
  const { api, life, seen } = await begin();
  expect(seen()).toEqual(running);
  await api.patch(configMaps, key, { data: { message: 'never', more: 'x' } }, { type: 'merge' });
  await life.settle();
  expect(seen()).toEqual(running);
  await api.delete(configMaps, key);
  await life.settle();
  expect(seen()).toEqual(running);
  await life.clock.step(60_000);
  expect(seen()).toEqual([undefined, 'Expired']);
  await life.stop();
});

it('a ConfigMap of another owner stays unchanged, and the status reports it', async () => {
  const { life, seen } = await begin(undefined, true);
  expect(seen()).toEqual([{ of: 'another owner' }, 'WriteFailed']);
  await life.stop();
});

it.each(deathTimes)('a manager that dies at any write (%s) has a successor that reaches the same result', async (when) => {
  const story = async (death?: Death) => {
    const { api, life, seen } = await begin(death);
    const next = life.dead ? new ControllerLife(api, life.clock, maintenanceNoticeController) : life;
    await next.settle();
    expect(seen()).toEqual(running);
    await next.stop();
    return life;
  };
  expect(await deathsAtEveryStep(when, story)).toBe((await story()).writes);
});
