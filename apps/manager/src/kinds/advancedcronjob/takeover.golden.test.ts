/** AdvancedCronJobs of another implementation, as they were recorded, are taken over as they are: nothing is made, deleted or written. */
import { describe, expect, it } from '@jest/globals';
import { defaultAdvancedCronJob, defaultGates, type AdvancedCronJob, type BroadcastJob } from '@kruise/api';
import { createZoneLoader } from '@kruise/cron';
import { instant, parseTime, semanticEqual, type JsonObject } from '@kruise/objects';
import { recordedObjects, recordedStages } from '@kruise/testing';
import { childOfBroadcastJob, plan, statusOf } from '@kruise/kinds/advancedcronjob';

const zones = createZoneLoader();
const night = Date.UTC(2026, 10, 22, 2);

describe.each(recordedStages)('%s', (stage) => {
  const [job] = recordedObjects<AdvancedCronJob>(stage, 'advancedcronjobs.v1beta1') as readonly [AdvancedCronJob];
  const created = parseTime(job.metadata.creationTimestamp) ?? 0;

  it('one that waits for its time is left alone until then', () => {
    expect(plan({ job, children: [] }, { now: instant(created + 1000), zones })).toEqual({
      start: [],
      tidy: [],
      notes: [],
      requeueAfter: night - created - 1000,
    });
    expect(semanticEqual(statusOf(job, [], { horizon: undefined }), job.status)).toBe(true);
  });

  it('one whose job was made by the other, for a time in its zone, gets no second one', () => {
    const [other] = recordedObjects<BroadcastJob>(stage, 'broadcastjobs.v1beta1') as readonly [BroadcastJob];
    const annotations = { 'apps.kruise.io/scheduled-at': '2026-11-22T03:00:00+01:00' };
    const child = childOfBroadcastJob({ ...other, metadata: { ...other.metadata, annotations } });
    const { start, tidy, scheduled } = plan({ job, children: [child] }, { now: instant(night + 1000), zones });
    expect([start, tidy, scheduled]).toEqual([[], [], undefined]);
    expect(plan({ job, children: [] }, { now: instant(night + 1000), zones }).scheduled).toBe(night);
  });

  it('admission has nothing to fill in', () => {
    const sent = { ...job, status: undefined } as unknown as JsonObject;
    expect(defaultAdvancedCronJob(sent, { oldObject: undefined, gates: defaultGates })).toEqual(sent);
  });
});
