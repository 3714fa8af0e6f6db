import { describe, expect, it } from '@jest/globals';
import { casesOf, Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { deepFreeze } from '../json/copy.ts';
import { deepEqual } from '../json/equality.ts';
import type { JsonObject } from '../json/own-member.ts';
import { applyStrategicMergePatch } from './apply.ts';
import { podPatchSchema } from './builtin-schemas.ts';
import { createStrategicMergePatch } from './create.ts';

const numRuns = casesOf(150);

const word = fc.constantFrom('a', 'b', 'c', 'd');
const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });
const drop = (object: Readonly<Record<string, unknown>>): JsonObject => JSON.parse(JSON.stringify(object)) as JsonObject;
const listBy = (key: string, members: Record<string, fc.Arbitrary<unknown>>, keys: fc.Arbitrary<unknown> = word): fc.Arbitrary<unknown> =>
  fc.uniqueArray(fc.record({ [key]: keys, ...members }), { maxLength: 4, selector: (element) => (element as JsonObject)[key] });

const container = {
  image: word,
  args: optional(fc.array(word, { maxLength: 2 })),
  env: optional(listBy('name', { value: optional(word) })),
  // Sometimes not unique by its merge key, as in practice; sorted, because the server groups such elements.
  ports: optional(
    fc
      .array(fc.record({ containerPort: fc.constantFrom(53, 80), protocol: fc.constantFrom('TCP', 'UDP') }), { maxLength: 3 })
      .map((list) => list.toSorted((a, b) => a.containerPort - b.containerPort)),
  ),
  securityContext: optional(fc.constantFrom({}, { privileged: true })),
};
const volume = { emptyDir: optional(fc.constant({})), hostPath: optional(fc.record({ path: word })) };
const pod: fc.Arbitrary<JsonObject> = fc
  .record({
    metadata: fc.record({
      labels: optional(fc.dictionary(fc.constantFrom('a', 'b', 'constructor', 'x/y'), word)),
      finalizers: optional(fc.uniqueArray(word)),
      ownerReferences: optional(listBy('uid', { kind: word })),
    }),
    spec: fc.record({
      containers: listBy('name', container),
      volumes: optional(listBy('name', volume)),
      tolerations: optional(fc.array(fc.record({ key: word }), { maxLength: 3 })),
      topologySpreadConstraints: optional(listBy('topologyKey', { maxSkew: fc.nat(3) })),
      nodeSelector: optional(fc.dictionary(word, word)),
    }),
  })
  .map(drop);

const applied = (original: JsonObject, patch: JsonObject): JsonObject => {
  const result = applyStrategicMergePatch(original, patch, podPatchSchema);
  if (result.kind === 'Refused') throw new Error(`${result.why}: ${JSON.stringify(patch)}`);
  return result.value as JsonObject;
};

const hasDistinctPorts = (object: JsonObject): boolean =>
  (object['spec'] as { containers: { ports?: JsonObject[] }[] }).containers.every(({ ports }) =>
    (ports ?? []).every(({ containerPort }, at) => (ports ?? []).findIndex((other) => other['containerPort'] === containerPort) === at),
  );

describe('strategic merge patches of generated Pods', () => {
  it('turn the original into the modified, once or twice', () => {
    const seen = new Occurrences();
    fc.assert(
      fc.property(pod, pod, (original, modified) => {
        const patch = createStrategicMergePatch(deepFreeze(original), deepFreeze(modified), podPatchSchema);
        const result = applied(original, deepFreeze(patch));
        expect(result).toEqual(modified);
        // A list that was added with a repeated merge key cannot be merged again: the format cannot express it.
        if (hasDistinctPorts(modified)) expect(applied(deepFreeze(result), patch)).toEqual(modified);
        seen.note(hasDistinctPorts(modified) ? 'every port once' : 'a port twice');
        seen.note('something changes', !deepEqual(original, modified));
        expect(deepEqual(createStrategicMergePatch(result, modified, podPatchSchema), {})).toBe(true);
      }),
      { numRuns },
    );
    seen.expectAtLeast({ 'every port once': numRuns / 3, 'a port twice': numRuns / 30, 'something changes': numRuns / 1.5 });
  });
});
