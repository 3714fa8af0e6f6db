/** Admission accepts the example on the page of this kind unchanged. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { AdmissionRequest } from '@kruise/admission';
import { defaultGates, type AdvancedCronJob } from '@kruise/api';
import { createZoneLoader } from '@kruise/cron';
import { instant, type JsonObject } from '@kruise/objects';
import { parse } from 'yaml';
import type { HandlerDependencies } from '../../module/handler-dependencies.ts';
import { advancedCronJobAdmission } from './admission.ts';
import { plan } from '@kruise/kinds/advancedcronjob';

const page = readFileSync(join(import.meta.dirname, '../../../../../docs/advanced-cron-job.md'), 'utf8');
const [, text = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
const example = parse(text) as AdvancedCronJob & JsonObject;
const { signal } = new AbortController();
const [, validating] = advancedCronJobAdmission({
  gates: defaultGates,
  allowPrivileged: true,
  kubernetes: 34,
} as unknown as HandlerDependencies);
const decide = (object: object, oldObject?: object) =>
  validating?.decide(
    {
      uid: 'request',
      resource: { group: 'apps.kruise.io', version: 'v1beta1', resource: 'advancedcronjobs' },
      operation: oldObject === undefined ? 'CREATE' : 'UPDATE',
      namespace: 'ops',
      userInfo: {},
      object,
      ...(oldObject === undefined ? {} : { oldObject }),
    } as unknown as AdmissionRequest,
    signal,
  );

describe('the example of the page', () => {
  it('is admitted without a warning', async () => {
    const decision = await decide(example);
    expect(decision).toMatchObject({ kind: 'Allowed' });
    expect((decision as { readonly warnings?: readonly string[] }).warnings ?? []).toEqual([]);
  });

  it('runs at three in Berlin, under the names that the picture shows', () => {
    const job = { ...example, metadata: { ...example.metadata, uid: 'uid', creationTimestamp: '2026-01-01T12:00:00Z' } };
    const at = (time: string) => plan({ job, children: [] }, { now: instant(Date.parse(time)), zones: createZoneLoader() });
    expect(at('2026-01-02T01:59:59Z')).toMatchObject({ start: [], requeueAfter: 1_000 });
    expect(at('2026-01-02T02:00:00Z').start[0]).toMatchObject({ kind: 'CreateChild', object: { metadata: { name: 'clean-1767319200' } } });
    expect(page).toContain('clean-1767319200');
  });
});

describe('admission of AdvancedCronJobs', () => {
  it('judges the template that a v1alpha1 object carries', async () => {
    const carrying = (images: readonly string[]): object => ({
      ...example,
      apiVersion: 'apps.kruise.io/v1alpha1',
      metadata: {
        ...example.metadata,
        annotations: {
          'apps.kruise.io/v1beta1-members': JSON.stringify({
            spec: { template: { imageListPullJobTemplate: { spec: { images, completionPolicy: { type: 'Always' } } } } },
          }),
        },
      },
      spec: { ...example.spec, concurrencyPolicy: 'Replace', template: {} },
    });
    expect(await decide(carrying(['a:1']))).toMatchObject({ kind: 'Allowed' });
    expect(await decide(carrying(['a:1']), carrying(['a:1']))).toMatchObject({ kind: 'Allowed' });
    expect(await decide(carrying([]))).toMatchObject({ kind: 'Failed', message: expect.stringContaining('imageListPullJobTemplate') });
  });

  const changed = (spec: object): object => ({ ...example, spec: { ...example.spec, ...spec } });
  it.each([
    [{ schedule: '60 * * * *' }, 'spec.schedule'],
    [{ schedule: 'TZ=UTC 0 3 * * *' }, 'spec.schedule'],
    [{ timeZone: 'local' }, 'spec.timeZone'],
    [{ timeZone: 'Nowhere/X' }, 'spec.timeZone'],
    [{ timeZone: '+08:00' }, 'spec.timeZone'],
    [{ template: {} }, 'spec.template'],
  ])('refuses %j by its field (9, 10, 13)', async (spec, path) => {
    const decision = await decide(changed(spec));
    expect(decision).toMatchObject({ kind: 'Failed', code: 422 });
    expect(JSON.stringify(decision)).toContain(path);
  });

  it('keeps the template as it was made, and lets the schedule change (13)', async () => {
    const template = {
      broadcastJobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'b' }] } } } },
    };
    expect(await decide(changed({ template }), example)).toMatchObject({ kind: 'Failed', code: 422 });
    expect(await decide(changed({ schedule: '@daily' }), example)).toMatchObject({ kind: 'Allowed' });
    expect(await decide(example, example)).toMatchObject({ kind: 'Allowed' });
  });
});
