import { expect, it } from '@jest/globals';
import { deathsAtEveryStep, deathTimes, type Death } from '@kruise/kube/testing';
import { configMaps } from '@kruise/objects';
import { ControllerProcess, newClock, newFakeApi } from '../../../apps/manager/src/module/controller-process.testing.ts';
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
  const manager = new ControllerProcess(api, clock, maintenanceNoticeController, { death });
  await manager.settle();
  const seen = () => [api.peek(configMaps, key)?.data, api.peek(maintenanceNotices, key)?.status?.conditions?.[0]?.reason];
  return { api, manager, seen };
}

it('the ConfigMap is created, restored after every change, and deleted when its time is over', async () => {
  const { api, manager, seen } = await begin();
  expect(seen()).toEqual(running);
  await api.patch(configMaps, key, { data: { message: 'never', more: 'x' } }, { type: 'merge' });
  await manager.settle();
  expect(seen()).toEqual(running);
  await api.delete(configMaps, key);
  await manager.settle();
  expect(seen()).toEqual(running);
  await manager.clock.step(60_000);
  expect(seen()).toEqual([undefined, 'Expired']);
  await manager.stop();
});

it('a ConfigMap of another owner stays unchanged, and the status reports it', async () => {
  const { manager, seen } = await begin(undefined, true);
  expect(seen()).toEqual([{ of: 'another owner' }, 'WriteFailed']);
  await manager.stop();
});

it.each(deathTimes)('a manager that dies at any write (%s) has a successor that reaches the same result', async (when) => {
  const scenario = async (death?: Death) => {
    const { api, manager, seen } = await begin(death);
    const next = manager.dead ? new ControllerProcess(api, manager.clock, maintenanceNoticeController) : manager;
    await next.settle();
    expect(seen()).toEqual(running);
    await next.stop();
    return manager;
  };
  expect(await deathsAtEveryStep(when, scenario)).toBe((await scenario()).writes);
});
