/** Defaults of AdvancedCronJobs. @see spec/advancedcronjob.md 4.1 */
import { describe, expect, it } from '@jest/globals';
import { deepFreeze, membersAt, type JsonObject } from '@kruise/objects';
import { cronJob, filled, having, imageListPullJobTemplate, ofBroadcastJobs, ofImageLists, ofJobs } from './admission.testing.ts';

const schedule = { paused: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 };
const specOf = (object: JsonObject): JsonObject => membersAt(object, 'spec');
const templateOf = (object: JsonObject): JsonObject => membersAt(specOf(object), 'template');
const listOf = (spec: unknown): unknown => {
  const template = templateOf(filled(deepFreeze(cronJob({ imageListPullJobTemplate: { spec } }))));
  return membersAt(template, 'imageListPullJobTemplate')['spec'];
};
const podDefaults = {
  dnsPolicy: 'ClusterFirst',
  schedulerName: 'default-scheduler',
  securityContext: {},
  terminationGracePeriodSeconds: 30,
};
const path = (name: string): string => `spec.template.${name}.spec.template.spec.containers.0`;

describe('defaults of AdvancedCronJobs', () => {
  describe.each(['v1alpha1', 'v1beta1'])('in %s', (version) => {
    it.each([
      { name: 'jobTemplate', object: ofJobs },
      { name: 'broadcastJobTemplate', object: ofBroadcastJobs },
    ])('$name gets the defaults of Pods, and not those of its kind', ({ name, object }) => {
      const { template, ...rest } = specOf(filled(deepFreeze({ apiVersion: `apps.kruise.io/${version}`, ...object })));
      expect(rest).toEqual({ schedule: '0 1 * * *', concurrencyPolicy: 'Allow', ...schedule });
      const { spec, ...others } = (template as Readonly<Record<string, JsonObject>>)[name] ?? {};
      expect(others).toEqual({});
      expect(Object.keys(spec as JsonObject)).toEqual(['template']);
      expect(spec).toMatchObject({ template: { spec: { ...podDefaults, containers: [{ imagePullPolicy: 'Always' }] } } });
    });
  });

  it('scenario 14: a list of images is pulled again each time', () => {
    const { template, ...rest } = specOf(filled(deepFreeze(ofImageLists)));
    expect(rest).toEqual({ schedule: '0 1 * * *', concurrencyPolicy: 'Replace', ...schedule });
    expect(template).toEqual({
      imageListPullJobTemplate: {
        spec: {
          images: ['busybox:1'],
          completionPolicy: { type: 'Always' },
          pullPolicy: { timeoutSeconds: 600, backoffLimit: 3 },
          imagePullPolicy: 'IfNotPresent',
        },
      },
    });
  });

  const always = {
    completionPolicy: { type: 'Always' },
    pullPolicy: { timeoutSeconds: 600, backoffLimit: 3 },
    imagePullPolicy: 'IfNotPresent',
  };
  it.each<{ name: string; spec: unknown; then: unknown }>([
    { name: 'an absent spec is filled in', spec: undefined, then: always },
    { name: 'an empty type is not given', spec: { completionPolicy: { type: '' } }, then: always },
    { name: 'null is not given', spec: { completionPolicy: null, pullPolicy: null, imagePullPolicy: null }, then: always },
    {
      name: 'what is set stays',
      spec: { completionPolicy: { activeDeadlineSeconds: 9 }, pullPolicy: { timeoutSeconds: 0 }, imagePullPolicy: 'Always' },
      then: {
        completionPolicy: { activeDeadlineSeconds: 9, type: 'Always' },
        pullPolicy: { timeoutSeconds: 0, backoffLimit: 3 },
        imagePullPolicy: 'Always',
      },
    },
    {
      name: 'where a type is set nothing is filled in',
      spec: { completionPolicy: { type: 'Always' } },
      then: { completionPolicy: { type: 'Always' } },
    },
    { name: 'nor where it is wrong', spec: { completionPolicy: 'Always' }, then: { completionPolicy: 'Always' } },
    { name: 'a spec of another type stays', spec: 'all', then: 'all' },
  ])('of a list of images: $name', ({ spec, then }) => expect(listOf(spec)).toEqual(then));

  it.each<{ name: string; spec: JsonObject; then: JsonObject }>([
    {
      name: 'what is set stays',
      spec: { concurrencyPolicy: 'Forbid', paused: true, successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0 },
      then: { concurrencyPolicy: 'Forbid', paused: true, successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0 },
    },
    {
      name: 'null and an empty policy are not given',
      spec: { concurrencyPolicy: '', paused: null, successfulJobsHistoryLimit: null },
      then: { concurrencyPolicy: 'Allow', ...schedule },
    },
  ])('$name', ({ spec, then }) => {
    const { template, schedule: text, ...rest } = specOf(filled(cronJob({}, spec)));
    expect({ template, text }).toEqual({ template: {}, text: '0 1 * * *' });
    expect(rest).toEqual(then);
  });

  it.each([ofJobs, ofBroadcastJobs, ofImageLists])('an object that lacks nothing is the very same', (object) => {
    const once = filled(object);
    expect(filled(once)).toBe(once);
    expect(filled(once, object)).toBe(once);
  });

  it('the submitted status is cleared', () => {
    const once = filled(ofJobs);
    expect(filled({ ...once, status: { type: 'Job' } })).toEqual(once);
  });

  it('with gate TemplateNoDefaults the templates of Pods stay as they are, and lists of images do not', () => {
    const gates = { TemplateNoDefaults: true };
    expect(templateOf(filled(ofJobs, undefined, gates))).toBe(templateOf(ofJobs));
    expect(templateOf(filled(ofBroadcastJobs, undefined, gates))).toBe(templateOf(ofBroadcastJobs));
    expect(filled(ofImageLists, undefined, gates)).toEqual(filled(ofImageLists));
  });

  it('templates that are stored already stay as they are, and others are filled in', () => {
    expect(templateOf(filled(ofJobs, ofJobs))).toBe(templateOf(ofJobs));
    const stored = having('spec.template.jobTemplate.spec.completions', 2);
    expect(templateOf(filled(ofJobs, stored))).toEqual(templateOf(filled(ofJobs)));
    const lists = cronJob({ imageListPullJobTemplate });
    expect(filled(lists, ofImageLists)).toEqual(filled(ofImageLists));
  });

  it.each(['jobTemplate', 'broadcastJobTemplate'])('quantities of %s are rounded up, and written canonically', (name) => {
    const object = having(
      `${path(name)}.resources`,
      { limits: { cpu: '1000m', memory: '0.0001' } },
      name === 'jobTemplate' ? ofJobs : ofBroadcastJobs,
    );
    expect(JSON.stringify(filled(object))).toContain('"limits":{"cpu":"1","memory":"1m"}');
  });
});
