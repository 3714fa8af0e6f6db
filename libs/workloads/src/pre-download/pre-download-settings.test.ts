/** Settings of pulling images ahead that a workload carries as annotations. @see spec/inplace-update.md 13 */
import { expect, it } from '@jest/globals';
import { preDownloadSettings } from './pre-download-settings.ts';

const prefix = 'apps.kruise.io/image-predownload-';
const settingsOf = (given: Readonly<Record<string, string>>) =>
  preDownloadSettings({
    metadata: { name: 'web', annotations: Object.fromEntries(Object.entries(given).map(([key, value]) => [`${prefix}${key}`, value])) },
  });

it.each<[given: Record<string, string>, expected: object]>([
  [{}, {}],
  [{ parallelism: '3' }, { parallelism: 3 }],
  [{ parallelism: '0' }, { parallelism: 0 }],
  [{ parallelism: '30%' }, { parallelism: '30%' }],
  [{ parallelism: 'many' }, {}],
  [{ parallelism: '' }, {}],
  [{ parallelism: '-3' }, {}],
  [{ parallelism: '3x' }, {}],
  [{ 'timeout-seconds': '60' }, { timeoutSeconds: 60 }],
  [{ 'timeout-seconds': '60s' }, {}],
  [{ 'timeout-seconds': 'x60' }, {}],
  [{ 'timeout-seconds': '50%' }, {}],
  [{ 'timeout-seconds': '' }, {}],
  [{ 'min-updated-ready-pods': '5' }, { minUpdatedReadyPods: 5 }],
  [{ 'min-updated-ready-pods': '5%' }, { minUpdatedReadyPods: '5%' }],
  [{ 'min-updated-ready-pods': 'some' }, {}],
  [
    { parallelism: '3', 'timeout-seconds': '60', 'min-updated-ready-pods': '5' },
    { parallelism: 3, timeoutSeconds: 60, minUpdatedReadyPods: 5 },
  ],
])('of %j that can be read are %j', (given, expected) => {
  expect(settingsOf(given)).toStrictEqual(expected);
});

it('of a workload without annotations are none', () => {
  expect(preDownloadSettings({ metadata: { name: 'web' } })).toEqual({});
});
