/** Refusals that end: whatever a policy has refused for a long time, every kind that owns no Pods makes the write again within a minute. */
import { describe, expect, it } from '@jest/globals';
import { advancedCronJobs, ephemeralJobs, imageListPullJobs } from '@kruise/api';
import { apiFailures, isWrite, type FakeApi, type FakeCall } from '@kruise/kube/testing';
import { jobs, type KubeObject } from '@kruise/objects';
import type { ControllerModule } from '../module/kind-module.ts';
import { ControllerLife, newClock, newFakeApi, type LifeOptions } from '../module/one-controller.testing.ts';
import { advancedCronJobController } from './advancedcronjob/controller.ts';
import { ephemeralJobController } from './ephemeraljob/controller.ts';
import { imageListPullJobController } from './imagelistpulljob/controller.ts';

interface Row {
  readonly name: string;
  readonly controller: ControllerModule;
  readonly seed: (api: FakeApi) => void;
  /** The write that the policy refuses. */
  readonly isRefused: (call: FakeCall) => boolean;
  readonly options?: LifeOptions;
}

const metadata = { namespace: 'default', name: 'one' };
const of = (call: FakeCall, plural: string): boolean => call.type?.plural === plural;
const someSpec = (spec: object): KubeObject => ({ metadata, spec }) as KubeObject;

const rows: readonly Row[] = [
  {
    name: 'an ImageListPullJob whose ImagePullJob is refused',
    controller: imageListPullJobController,
    seed: (api) => api.seed(imageListPullJobs, { metadata, spec: { images: ['nginx'], completionPolicy: { type: 'Always' } } }),
    isRefused: (call) => of(call, 'imagepulljobs'),
  },
  {
    name: 'an EphemeralJob whose finalizer is refused',
    controller: ephemeralJobController,
    seed: (api) => api.seed(ephemeralJobs as never, someSpec({ selector: {}, template: { ephemeralContainers: [] } }) as never),
    isRefused: (call) => of(call, 'ephemeraljobs'),
  },
  {
    name: 'an AdvancedCronJob whose Job is refused, until the next time of its schedule',
    controller: advancedCronJobController,
    seed: (api) =>
      api.seed(
        advancedCronJobs as never,
        someSpec({ schedule: '30 0 * * *', timeZone: 'UTC', template: { jobTemplate: { spec: {} } } }) as never,
      ),
    isRefused: (call) => of(call, jobs.plural),
  },
];

/** The policy refuses for so long. */
const refusedFor = 2_400_000;

describe('what was refused for 40 minutes', () => {
  it.each(rows)('is written within a minute once it is allowed: $name', async ({ controller, seed, isRefused, options }) => {
    const clock = newClock();
    const api = newFakeApi(clock);
    seed(api);
    let [isLifted, refused, written] = [false, 0, 0];
    const before = (call: FakeCall): void => {
      if (!isWrite(call) || !isRefused(call)) return;
      if (isLifted) written += 1;
      else {
        refused += 1;
        throw apiFailures.badRequest('refused by a policy');
      }
    };
    const life = new ControllerLife(api, clock, controller, { ...options, before });
    await clock.step(refusedFor);
    expect(refused).toBeGreaterThan(10);
    expect(refused).toBeLessThan(200);
    isLifted = true;
    await clock.step(60_000);
    expect(written).toBeGreaterThan(0);
    await life.stop();
  });
});
