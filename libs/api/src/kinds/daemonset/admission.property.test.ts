/** Validation of any DaemonSet never throws, and defaults are filled in once. */
import { describe, expect, it } from '@jest/globals';
import { deepFreeze, type JsonObject } from '@kruise/objects';
import { defaultGates } from '../../gates/feature-gates.ts';
import { Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { bare, filled, having, onDelete, rolling, validation, versions } from './admission.testing.ts';
import { validateDaemonSetUpdate } from './validation.ts';
import { daemonSetWarnings, validateDaemonSet } from './rules.ts';
import { changedObjects, members } from '../../validation/changed-objects.testing.ts';

const json = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.bigInt(),
  fc.constantFrom(
    'Surging',
    'OnDelete',
    'InPlaceIfPossible',
    '50%',
    '',
    0,
    1,
    -1,
    null,
    {},
    [],
    [1n],
    { a: 1n },
    { matchLabels: { a: 'b' } },
  ),
);
const paths = [
  ...members('metadata', 'name', 'annotations'),
  ...members('spec', 'burstReplicas', 'minReadySeconds', 'revisionHistoryLimit'),
  ...members('spec.selector', 'matchLabels', 'matchExpressions'),
  ...members('spec.updateStrategy', 'type'),
  ...members(rolling, 'rollingUpdateType', 'maxUnavailable', 'maxSurge', 'partition', 'paused', 'selector', 'selector.matchExpressions'),
  ...members('spec.lifecycle', 'preDelete', 'preDelete.labelsHandler', 'preDelete.finalizersHandler', 'inPlaceUpdate', 'preNormal'),
  ...members('spec.scaleStrategy', 'partitionedScaling'),
  ...members('spec.template', 'metadata', 'metadata.labels', 'spec', 'spec.containers', 'spec.restartPolicy', 'spec.readinessGates'),
];
const whole = having(
  'spec',
  {
    ...(bare['spec'] as JsonObject),
    lifecycle: { preDelete: { labelsHandler: { a: 'b' } } },
    scaleStrategy: { partitionedScaling: true },
    updateStrategy: { rollingUpdate: { selector: { matchLabels: { tier: 'canary' } } } },
  },
  having('metadata.annotations', { 'daemonset.kruise.io/progressive-create-pod': 'true' }),
);

const objects: fc.Arbitrary<JsonObject> = fc.oneof(
  json.map((spec): JsonObject => ({ metadata: { name: 'agent' }, spec })),
  changedObjects({ of: [bare, whole, onDelete(), filled(whole)], paths, values: json, minLength: 1 }),
);

describe('DaemonSets of any shape', () => {
  it('are validated without a throw, with their defaults and without, and defaulted once', () => {
    const seen = new Occurrences();
    fc.assert(
      fc.property(objects, fc.option(objects, { nil: undefined }), fc.constantFrom(...versions), (object, oldObject, version) => {
        const once = filled(deepFreeze(object), version);
        expect(filled(once, version)).toBe(once);
        const faults = [object, once].map((one) => validateDaemonSet(one, validation(version)));
        expect(faults.flat().filter(({ field }) => !/^(metadata\.name|spec)\b/.test(field))).toEqual([]);
        seen.note(faults[1]?.length === 0 ? 'accepted' : 'refused');
        const options = { version, oldObject, gates: { ...defaultGates, PreDownloadImageForDaemonSetUpdate: false } };
        seen.note('warned', [object, once].flatMap((one) => daemonSetWarnings(one, options)).length > 0);
        expect(validateDaemonSetUpdate(once, object, version)).toEqual([]);
        if (oldObject !== undefined) seen.note('frozen', validateDaemonSetUpdate(once, oldObject, version).length > 0);
      }),
      { numRuns: 500 },
    );
    seen.expectAtLeast({ accepted: 5, refused: 100, warned: 20, frozen: 20 });
  });
});
