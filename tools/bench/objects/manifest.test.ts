import { expect, it } from '@jest/globals';
import type { AdvancedCronJob, ResourceDistribution } from '@kruise/api';
import { manifest } from './manifest.ts';

it('creates an object of its own for every call, with the values in the place of their names', () => {
  const cronJob = manifest<AdvancedCronJob>('cron-job.yaml');
  expect([cronJob({ at: 1 }), cronJob({ at: 2 })].map(({ metadata }) => metadata.name)).toEqual(['cron-1', 'cron-2']);
  expect(cronJob({ at: 1 }).spec.template).not.toBe(cronJob({ at: 1 }).spec.template);
});

it('replaces a name everywhere', () => {
  const { metadata, spec } = manifest<ResourceDistribution>('resource-distribution.yaml')({ name: 'settings', text: 'blue' });
  expect(metadata.name).toBe('settings');
  expect(spec.resource).toMatchObject({ metadata: { name: 'settings' }, data: { 'config.yaml': 'blue' } });
});
