import { describe, expect, it } from '@jest/globals';
import type { AdvancedCronJobSpec } from '@kruise/api';
import { createZoneLoader, type Zone } from '@kruise/cron';
import { instant } from '@kruise/objects';
import { newChild } from '@kruise/kinds/advancedcronjob';
import { aCronJob } from './cluster.testing.ts';

const scheduled = instant(Date.UTC(2026, 0, 1, 0, 1) + 400);
const zone = (name: string): Zone => createZoneLoader()(name) as Zone;
const zones = { ofSchedule: zone('Asia/Kolkata'), ofProcess: zone('UTC') };
const childOf = (template: unknown) => newChild(aCronJob({ template: template as AdvancedCronJobSpec['template'] }), scheduled, zones);

describe('the job for a time', () => {
  it('is the template, under a name that says for which time', () => {
    const metadata = { name: 'own', namespace: 'other', labels: { app: 'a' }, annotations: { note: 'n' }, finalizers: ['x/y'] };
    expect(childOf({ broadcastJobTemplate: { metadata, spec: { parallelism: 1 } } })).toEqual({
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'BroadcastJob',
      metadata: {
        name: 'cron-1767225660',
        namespace: 'default',
        labels: { app: 'a' },
        annotations: {
          note: 'n',
          'apps.kruise.io/scheduled-at': '2026-01-01T00:01:00Z',
          'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-01T05:31:00+05:30',
        },
        ownerReferences: [
          {
            apiVersion: 'apps.kruise.io/v1beta1',
            kind: 'AdvancedCronJob',
            name: 'cron',
            uid: 'cron-uid',
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: { parallelism: 1 },
    });
  });

  it.each([{ jobTemplate: { spec: {} } }, { jobTemplate: { metadata: null, spec: {} } }, { jobTemplate: { metadata: {} } }])(
    'has no labels where the template has none: %j',
    (template) => {
      const { kind, metadata, ...rest } = childOf(template);
      expect([kind, 'labels' in metadata, Object.keys(metadata.annotations ?? {}).length, rest]).toEqual([
        'Job',
        false,
        2,
        { apiVersion: 'batch/v1', spec: {} },
      ]);
    },
  );

  it('says its times last, whatever the template says of them', () => {
    const annotations = { 'apps.kruise.io/scheduled-at': 'never' };
    const { metadata } = childOf({ imageListPullJobTemplate: { metadata: { annotations }, spec: {} } });
    expect(metadata.annotations?.['apps.kruise.io/scheduled-at']).toBe('2026-01-01T00:01:00Z');
  });
});
