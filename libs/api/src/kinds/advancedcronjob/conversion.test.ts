import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@kruise/objects';
import { convertedObject } from '../../conversion/round-trip.testing.ts';
import { cronJob, imageListPullJobTemplate, ofBroadcastJobs, ofImageLists, ofJobs } from './admission.testing.ts';
import { converter } from './conversion.ts';

const annotation = 'apps.kruise.io/v1beta1-members';
const carrying = (object: JsonObject, text: string): JsonObject => ({
  ...object,
  metadata: { ...(object['metadata'] as object), annotations: { [annotation]: text } },
});
const lists = {
  spec: { images: ['busybox:1'], completionPolicy: { type: 'Never' } },
  metadata: { labels: { a: 'b' } },
};
const text = JSON.stringify({ spec: { template: { imageListPullJobTemplate: lists } } });

describe('conversion of AdvancedCronJobs', () => {
  it('carries the list of images, which v1alpha1 cannot say, there and back', () => {
    const hub = cronJob({ imageListPullJobTemplate: lists });
    const alpha = convertedObject(converter.fromHub(hub));
    expect(alpha).toEqual(carrying(cronJob({}), text));
    expect(convertedObject(converter.toHub(alpha))).toEqual(hub);
  });

  it.each([
    { name: 'another template of the object wins', given: carrying(ofJobs, text), then: ofJobs },
    {
      name: 'a null template is none',
      given: carrying(cronJob({ jobTemplate: null }), text),
      then: cronJob({ jobTemplate: null, imageListPullJobTemplate: lists }),
    },
    { name: 'no JSON', given: carrying(cronJob({}), '{'), then: cronJob({}) },
    { name: 'no template', given: carrying(cronJob({}), '{"spec":{"template":{"imageListPullJobTemplate":7}}}'), then: cronJob({}) },
    {
      name: 'a template against the schema',
      given: carrying(cronJob({}), '{"spec":{"template":{"imageListPullJobTemplate":{"spec":{"images":"x"}}}}}'),
      then: cronJob({}),
    },
    { name: 'no template to put it in', given: carrying(cronJob('x'), text), then: cronJob('x') },
  ])('$name to v1beta1', ({ given, then }) => {
    const { metadata, ...rest } = convertedObject(converter.toHub(given));
    expect({ metadata: { name: 'nightly', namespace: 'default' }, ...rest }).toEqual(then);
    expect(JSON.stringify(metadata)).not.toContain(annotation);
  });

  it.each([ofJobs, ofBroadcastJobs, cronJob({ imageListPullJobTemplate: null })])('all else is the same in both versions', (object) => {
    expect(converter.fromHub(object)).toEqual({ kind: 'Converted', object });
    expect(converter.toHub(object)).toEqual({ kind: 'Converted', object });
  });

  it('a list without its completion policy, which admission fills in, is carried, too', () => {
    expect(convertedObject(converter.fromHub(ofImageLists))).toEqual(
      carrying(cronJob({}), JSON.stringify({ spec: { template: { imageListPullJobTemplate } } })),
    );
  });
});
