/** Validation of any UnitedDeployment never throws, and defaults are filled in once. */
import { describe, expect, it } from '@jest/globals';
import { deepFreeze, type JsonObject } from '@kruise/objects';
import { Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { filled, unitedOf, validation } from './admission.testing.ts';
import { unitedTemplateNames } from './template-names.ts';
import { validateUnitedDeploymentUpdate } from './validation.ts';
import { unitedDeploymentWarnings, validateUnitedDeployment } from './rules.ts';
import { changedObjects, members } from '../../validation/changed-objects.testing.ts';

const json = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.bigInt(),
  fc.constantFrom('Adaptive', 'Manual', '50%', '', 0, -1, {}, [], [{}], { a: 1 }),
);
const paths = [
  ...members('spec', 'replicas', 'selector', 'revisionHistoryLimit', 'template', 'topology'),
  ...members('spec.updateStrategy', 'type', 'manualUpdate', 'manualUpdate.partitions'),
  ...members('spec.topology', 'scheduleStrategy', 'scheduleStrategy.type', 'scheduleStrategy.adaptive', 'subsets'),
  ...members('spec.topology.subsets.0', 'name', 'nodeSelectorTerm', 'tolerations', 'replicas', 'minReplicas', 'maxReplicas', 'patch'),
  ...unitedTemplateNames.flatMap((name) =>
    members(`spec.template.${name}`, 'metadata', 'metadata.labels', 'spec', 'spec.template', 'spec.updateStrategy'),
  ),
];

const objects: fc.Arbitrary<JsonObject> = fc.oneof(
  json.map((spec): JsonObject => ({ metadata: { name: 'web' }, spec })),
  changedObjects({ of: unitedTemplateNames.map((name) => unitedOf(name)), paths, values: json }),
);

describe('UnitedDeployments of any shape', () => {
  it('are validated without a throw, and defaulted once', () => {
    const seen = new Occurrences();
    fc.assert(
      fc.property(objects, fc.option(objects, { nil: undefined }), (object, old) => {
        const once = filled(deepFreeze(object), old);
        expect(filled(once, old)).toBe(once);
        const faults = validateUnitedDeployment(once, validation);
        expect(faults.filter(({ field }) => !/^(metadata\.name|spec)\b/.test(field))).toEqual([]);
        seen.note(faults.length === 0 ? 'accepted' : 'refused');
        seen.note('warned', unitedDeploymentWarnings(once).length > 0);
        expect(validateUnitedDeploymentUpdate(once, once)).toEqual([]);
        if (old !== undefined) seen.note('frozen', validateUnitedDeploymentUpdate(once, old).length > 0);
      }),
      { numRuns: 500 },
    );
    seen.expectAtLeast({ accepted: 20, refused: 100, frozen: 50 });
  });
});
