/** Shared code of the tests of AdvancedCronJobs' admission. */
import type { JsonObject } from '@kruise/objects';
import { defaultGates, type Gates } from '../../gates/feature-gates.ts';
import { defaultAdvancedCronJob } from './defaults.ts';
import type { ScheduleRules } from './schedule-rules.ts';
import { havingIn } from '../../validation/changed-objects.testing.ts';

const pods = { spec: { containers: [{ name: 'main', image: 'busybox:1' }], restartPolicy: 'Never' } };

/** Minimal templates. */
export const jobTemplate = { spec: { template: pods } };
export const broadcastJobTemplate = { spec: { template: pods } };
export const imageListPullJobTemplate = { spec: { images: ['busybox:1'] } };

export const cronJob = (template: unknown, spec: JsonObject = {}): JsonObject => ({
  metadata: { name: 'nightly', namespace: 'default' },
  spec: { schedule: '0 1 * * *', ...spec, template },
});

export const ofJobs = cronJob({ jobTemplate });
export const ofBroadcastJobs = cronJob({ broadcastJobTemplate });
export const ofImageLists = cronJob({ imageListPullJobTemplate });

export const having = havingIn(ofJobs);

export const filled = (object: JsonObject, oldObject?: JsonObject, gates: Partial<Gates> = {}): JsonObject =>
  defaultAdvancedCronJob(object, { oldObject, gates: { ...defaultGates, ...gates } });

/** A grammar of one schedule and one zone. */
export const fakeSchedules: ScheduleRules = {
  faultOfSchedule: (text) =>
    /^((CRON_)?TZ=UTC )?0 1 \* \* \*$/.test(text) ? undefined : text === '' ? 'empty spec string' : `no schedule: ${text}`,
  neverComes: (text) => text === '0 0 30 2 *',
  periodOf: (text) => ({ '@every 59s': 59_000, '@every 1m': 60_000 })[text],
  faultOfZone: (name) => (name === 'Asia/Shanghai' ? undefined : `unknown time zone ${name}`),
};
export const validation = { allowPrivileged: false, hostNetworkHostPorts: true, schedules: fakeSchedules };
