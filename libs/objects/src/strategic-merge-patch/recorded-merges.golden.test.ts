// Patches of lists with repeated merge keys and the results of the original's library: `testdata/encodings/strategic-merges.json`.
import { describe, expect, it } from '@jest/globals';
import { recordedEncodings } from '@kruise/testing';
import { deepFreeze } from '../json/copy.ts';
import { isJsonObject, type JsonObject } from '../json/own-member.ts';
import { applyStrategicMergePatch } from './apply.ts';
import { patchSchemaOf, podTemplateSpecPatchSchema } from './builtin-schemas.ts';
import { createStrategicMergePatch } from './create.ts';
import type { PatchSchema } from './patch-schema.ts';

interface Recorded {
  readonly kind: string;
  readonly original: JsonObject;
  readonly patch: JsonObject;
  readonly result?: JsonObject;
  readonly refused?: string;
}

const cases = recordedEncodings<Recorded>('strategic-merges');
const schemaOf = (kind: string): PatchSchema => (kind === 'PodTemplateSpec' ? podTemplateSpecPatchSchema : patchSchemaOf('', kind));

/** Returns the value without members that are null, as after decoding. */
function decoded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decoded);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, decoded(member)]));
}

const applied = ({ kind, original, patch }: Recorded): unknown => {
  const result = applyStrategicMergePatch(deepFreeze(original), deepFreeze(patch), schemaOf(kind));
  return result.kind === 'Patched' ? { result: decoded(result.value) } : 'refused';
};

const verdict = ({ result, refused }: Recorded): unknown => (refused === undefined ? { result } : 'refused');

describe('strategic merges of lists with repeated merge keys', () => {
  it('have the same result as the original, and are refused where it refuses them', () => {
    for (const one of cases) expect({ ...one, here: applied(one) }).toEqual({ ...one, here: verdict(one) });
  });

  it.each([
    ['are patched', 150, ({ result }: Recorded) => result !== undefined],
    ['are refused', 20, ({ refused }: Recorded) => refused !== undefined],
    ['ask for an order', 60, ({ patch }: Recorded) => JSON.stringify(patch).includes('$setElementOrder/')],
    ['delete', 30, ({ patch }: Recorded) => JSON.stringify(patch).includes('"$patch":"delete"')],
    ['replace', 30, ({ patch }: Recorded) => JSON.stringify(patch).includes('"$patch":"replace"')],
    ['are of finalizers', 10, ({ patch }: Recorded) => JSON.stringify(patch).includes('finalizers"')],
  ] as const)('are recorded in sufficient number: those that %s', (_name, least, isOne) => {
    expect(cases.filter(isOne).length).toBeGreaterThanOrEqual(least);
  });

  it('are never needed by patches created here, which lead to the desired list, except that elements of one key are grouped', () => {
    const sorted = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map((element) => JSON.stringify(sorted(element))).sort();
      return isJsonObject(value)
        ? Object.fromEntries(
            Object.entries(value)
              .sort()
              .map(([name, member]) => [name, sorted(member)]),
          )
        : value;
    };
    for (const { kind, original, result } of cases) {
      if (result === undefined) continue;
      const patch = createStrategicMergePatch(original, result, schemaOf(kind));
      expect(applied({ kind, original, patch })).toEqual({ result: expect.anything() });
      const { result: reached } = applied({ kind, original, patch }) as { readonly result: unknown };
      expect({ original, patch, reached: sorted(reached) }).toEqual({ original, patch, reached: sorted(decoded(result)) });
    }
  });
});
