/** Faults of AdvancedCronJobs that create ImageListPullJobs. @see spec/advancedcronjob.md 4.2 */
import { describe, expect, it } from '@jest/globals';
import { formatFieldError, type JsonObject } from '@kruise/objects';
import { cronJob, filled, validation } from './admission.testing.ts';
import { validateAdvancedCronJob } from './rules.ts';

const path = 'spec.template.imageListPullJobTemplate.spec';
const faultsOf = (spec: unknown, concurrencyPolicy?: string): readonly string[] =>
  validateAdvancedCronJob(filled(cronJob({ imageListPullJobTemplate: { spec } }, { concurrencyPolicy })), validation).map(formatFieldError);
const listing = (spec: JsonObject): JsonObject => ({ images: ['busybox:1'], ...spec });
const images = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `busybox:${String(i)}`);
const labels = { matchLabels: { zone: 'a' } };

describe('a template for ImageListPullJobs', () => {
  it.each<{ name: string; spec: JsonObject; concurrencyPolicy?: string }>([
    { name: 'may choose nodes by labels', spec: listing({ selector: labels }) },
    { name: 'may choose nodes by names', spec: listing({ selector: { names: ['a', 'b'], matchLabels: {}, matchExpressions: [] } }) },
    { name: 'may choose nodes by their Pods', spec: listing({ podSelector: labels }) },
    { name: 'may have 255 images', spec: { images: images(255) } },
    { name: 'may take a day', spec: listing({ completionPolicy: { activeDeadlineSeconds: 86400 } }) },
    {
      name: 'may take as long as one try',
      spec: listing({ completionPolicy: { activeDeadlineSeconds: 600 }, pullPolicy: { timeoutSeconds: 600 } }),
    },
    { name: 'may be skipped while its predecessor runs', spec: listing({}), concurrencyPolicy: 'Forbid' },
    { name: 'may take the place of its predecessor', spec: listing({}), concurrencyPolicy: 'Replace' },
    { name: 'may have a parallelism that no job may have: that causes a warning', spec: listing({ parallelism: '10%' }) },
  ])('$name', ({ spec, concurrencyPolicy }) => expect(faultsOf(spec, concurrencyPolicy)).toEqual([]));

  it.each<{ name: string; spec: unknown; faults: readonly string[] }>([
    {
      name: 'has not both names and labels',
      spec: listing({ selector: { names: ['a'], ...labels } }),
      faults: [
        `${path}.selector: Invalid value: {"matchLabels":{"zone":"a"},"names":["a"]}: spec.selector: names cannot be used together with matchLabels or matchExpressions`,
      ],
    },
    {
      name: 'has names once',
      spec: listing({ selector: { names: ['a', 'a'] } }),
      faults: [`${path}.selector: Invalid value: {"names":["a","a"]}: spec.selector.names has a name twice`],
    },
    {
      name: 'has selectors that can be read',
      spec: listing({ selector: { matchExpressions: [{ key: 'zone', operator: 'in', values: ['a'] }] } }),
      faults: [
        `${path}.selector.matchExpressions[0].operator: Unsupported value: "in": supported values: "DoesNotExist", "Exists", "In", "NotIn"; did you mean "In"?`,
      ],
    },
    {
      name: 'has an object for a selector',
      spec: listing({ selector: 'a' }),
      faults: [`${path}.selector: Invalid value: "a": must be an object`],
    },
    {
      name: 'has selectors of Pods that can be read',
      spec: listing({ podSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } }),
      faults: [`${path}.podSelector.matchExpressions[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`],
    },
    {
      name: 'selects nodes by one field',
      spec: listing({ selector: labels, podSelector: labels }),
      faults: [`${path}.podSelector: Forbidden: spec.selector and spec.podSelector cannot be used together`],
    },
    { name: 'has images', spec: {}, faults: [`${path}.images: Invalid value: images can not be empty`] },
    { name: 'has an image', spec: { images: [] }, faults: [`${path}.images: Invalid value: images can not be empty`] },
    {
      name: 'has no 256 images',
      spec: { images: images(256) },
      faults: [`${path}.images: Invalid value: images has 256 entries, 255 are allowed: split it into several lists`],
    },
    { name: 'has images once', spec: { images: ['a', 'b', 'a'] }, faults: [`${path}.images: Invalid value: images has "a" twice`] },
    {
      name: 'has images that can be read',
      spec: { images: ['a', 'B:b:b'] },
      faults: [`${path}.images: Invalid value: invalid image B:b:b: it is not an image reference`],
    },
    {
      name: 'has texts for images',
      spec: { images: [7n, 7n] },
      faults: [0, 1].map((i) => `${path}.images[${String(i)}]: Invalid value: 7: must be a string`),
    },
    {
      name: 'ends',
      spec: listing({ completionPolicy: { type: 'Never' } }),
      faults: [`${path}.completionPolicy.type: Unsupported value: "Never": supported values: "Always"`],
    },
    {
      name: 'ends within a day',
      spec: listing({ completionPolicy: { activeDeadlineSeconds: 86401 } }),
      faults: [`${path}.completionPolicy.activeDeadlineSeconds: Invalid value: 86401: must be no more than 86400`],
    },
    {
      name: 'has time for one try',
      spec: listing({ completionPolicy: { activeDeadlineSeconds: 60 }, pullPolicy: { timeoutSeconds: 61 } }),
      faults: [`${path}.pullPolicy.timeoutSeconds: Invalid value: 61: must be no more than completionPolicy.activeDeadlineSeconds`],
    },
    {
      name: 'has time for one try by default',
      spec: listing({ completionPolicy: { activeDeadlineSeconds: 60 } }),
      faults: [`${path}.pullPolicy.timeoutSeconds: Invalid value: 600: must be no more than completionPolicy.activeDeadlineSeconds`],
    },
    {
      name: 'does not delete itself',
      spec: listing({ completionPolicy: { ttlSecondsAfterFinished: 0 } }),
      faults: [
        `${path}.completionPolicy.ttlSecondsAfterFinished: Forbidden: is not supported here: the history limits say how many jobs are kept`,
      ],
    },
    {
      name: 'has members of the right types',
      spec: listing({ completionPolicy: { type: 1, activeDeadlineSeconds: 'x' }, pullPolicy: [], imagePullPolicy: 1 }),
      faults: [
        `${path}.completionPolicy.activeDeadlineSeconds: Invalid value: "x": must be an integer`,
        `${path}.completionPolicy.type: Invalid value: 1: must be a string`,
        `${path}.imagePullPolicy: Invalid value: 1: must be a string`,
        `${path}.pullPolicy: Invalid value: []: must be an object`,
      ],
    },
    {
      name: 'has all its faults listed together',
      spec: { images: [], selector: labels, podSelector: labels, completionPolicy: { type: 'Never', ttlSecondsAfterFinished: 1 } },
      faults: [
        `${path}.completionPolicy.ttlSecondsAfterFinished: Forbidden: is not supported here: the history limits say how many jobs are kept`,
        `${path}.completionPolicy.type: Unsupported value: "Never": supported values: "Always"`,
        `${path}.images: Invalid value: images can not be empty`,
        `${path}.podSelector: Forbidden: spec.selector and spec.podSelector cannot be used together`,
      ],
    },
  ])('$name', ({ spec, faults }) => expect([...faultsOf(spec)].sort()).toEqual([...faults].sort()));

  it('scenario 14: does not run beside its predecessor', () => {
    expect(faultsOf(listing({}), 'Allow')).toEqual([
      'spec.concurrencyPolicy: Unsupported value: "Allow": supported values: "Forbid", "Replace"',
    ]);
  });
});
