/** Validation of any BroadcastJob never throws, and defaults are filled in once. */
import { describe, expect, it } from '@jest/globals';
import { deepFreeze, type JsonObject } from '@kruise/objects';
import { Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { bare, filled } from './admission.testing.ts';
import { broadcastJobWarnings, validateBroadcastJob } from './rules.ts';
import { changedObjects } from '../../validation/changed-objects.testing.ts';

const json = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.bigInt(), fc.constantFrom('Never', 'OnFailure', 'Continue', '50%', 0, -1, {}, []));
const paths = [
  'metadata.name',
  'spec.completionPolicy',
  'spec.completionPolicy.type',
  'spec.completionPolicy.activeDeadlineSeconds',
  'spec.completionPolicy.ttlSecondsAfterFinished',
  'spec.failurePolicy',
  'spec.failurePolicy.type',
  'spec.failurePolicy.restartLimit',
  'spec.parallelism',
  'spec.paused',
  'spec.template',
  'spec.template.metadata',
  'spec.template.metadata.labels',
  'spec.template.spec',
  'spec.template.spec.containers',
  'spec.template.spec.nodeName',
  'spec.template.spec.restartPolicy',
  'spec.template.spec.terminationGracePeriodSeconds',
];
const whole: JsonObject = filled({
  ...bare,
  spec: { ...(bare['spec'] as JsonObject), completionPolicy: {}, failurePolicy: { restartLimit: 1 } },
});

const objects: fc.Arbitrary<JsonObject> = fc.oneof(
  json.map((spec): JsonObject => ({ metadata: { name: 'job' }, spec })),
  changedObjects({ of: [whole], paths, values: json, minLength: 1 }),
);

describe('BroadcastJobs of any shape', () => {
  it('are validated without a throw, and defaulted once', () => {
    const seen = new Occurrences();
    fc.assert(
      fc.property(objects, fc.option(objects, { nil: undefined }), (object, old) => {
        const once = filled(deepFreeze(object), old);
        expect(filled(once, old)).toBe(once);
        const faults = validateBroadcastJob(once, { allowPrivileged: false, hostNetworkHostPorts: true });
        expect(faults.filter(({ field }) => !/^(metadata\.name|spec)\b/.test(field))).toEqual([]);
        seen.note(faults.length === 0 ? 'accepted' : 'refused');
        seen.note('warned', broadcastJobWarnings(once, { oldObject: old }).length > 0);
      }),
      { numRuns: 500 },
    );
    seen.expectAtLeast({ accepted: 5, refused: 100, warned: 10 });
  });
});
