/** Validation of any AdvancedCronJob never throws, and defaults are filled in once. */
import { describe, expect, it } from '@jest/globals';
import { deepFreeze, type JsonObject } from '@kruise/objects';
import { Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { filled, having, ofBroadcastJobs, ofImageLists, ofJobs, validation, fakeSchedules } from './admission.testing.ts';
import { advancedCronJobWarnings, validateAdvancedCronJob } from './rules.ts';
import { validateAdvancedCronJobUpdate } from './validation-update.ts';
import { changedObjects, members } from '../../validation/changed-objects.testing.ts';

const json = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.bigInt(),
  fc.constantFrom('Never', 'Allow', 'Always', '', 0, -1, {}, [], [1n], { a: 1n }),
);
const paths = [
  ...members('spec', 'schedule', 'timeZone', 'concurrencyPolicy', 'paused', 'startingDeadlineSeconds', 'failedJobsHistoryLimit'),
  ...['jobTemplate', 'broadcastJobTemplate', 'imageListPullJobTemplate'].flatMap((name) =>
    members(`spec.template.${name}`, 'metadata', 'metadata.labels', 'spec', 'spec.completionPolicy', 'spec.parallelism'),
  ),
  ...['jobTemplate', 'broadcastJobTemplate'].flatMap((name) =>
    members(`spec.template.${name}.spec.template`, 'metadata', 'spec', 'spec.containers', 'spec.restartPolicy', 'spec.nodeName'),
  ),
  ...members(
    'spec.template.imageListPullJobTemplate.spec',
    'images',
    'images.0',
    'selector',
    'podSelector',
    'pullPolicy',
    'imagePullPolicy',
  ),
  ...members('spec.template.imageListPullJobTemplate.spec.completionPolicy', 'type', 'activeDeadlineSeconds', 'ttlSecondsAfterFinished'),
];

const objects: fc.Arbitrary<JsonObject> = fc.oneof(
  json.map((spec): JsonObject => ({ metadata: { name: 'job' }, spec })),
  json.map((template): JsonObject => having('spec.template', template)),
  changedObjects({ of: [ofJobs, ofBroadcastJobs, ofImageLists].map((object) => filled(object)), paths, values: json }),
);

describe('AdvancedCronJobs of any shape', () => {
  it('are validated without a throw, and defaulted once', () => {
    const seen = new Occurrences();
    fc.assert(
      fc.property(objects, fc.option(objects, { nil: undefined }), (object, old) => {
        const once = filled(deepFreeze(object), old);
        expect(filled(once, old)).toBe(once);
        const faults = validateAdvancedCronJob(once, validation);
        expect(faults.filter(({ field }) => !/^(metadata\.name|spec)\b/.test(field))).toEqual([]);
        seen.note(faults.length === 0 ? 'accepted' : 'refused');
        seen.note('warned', advancedCronJobWarnings(once, fakeSchedules).length > 0);
        expect(validateAdvancedCronJobUpdate(once, object, { hostNetworkHostPorts: false })).toEqual([]);
        if (old !== undefined) seen.note('frozen', validateAdvancedCronJobUpdate(once, old, { hostNetworkHostPorts: false }).length > 0);
      }),
      { numRuns: 500 },
    );
    seen.expectAtLeast({ accepted: 5, refused: 100, warned: 5, frozen: 50 });
  });
});
