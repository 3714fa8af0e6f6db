/** New objects of every kind, in both versions: samples, and samples with a few members that are changed or absent. */
import type { KindDeclaration, VersionDeclaration } from '@kruise/api';
import type { LintedObject } from '@kruise/insight/lint';
import type { JsonObject } from '@kruise/objects';
import fc from 'fast-check';
import { samples } from './samples.testing.ts';

/** Samples that are no valid new objects, without what is refused. */
const valid: Readonly<Record<string, (sample: JsonObject) => JsonObject>> = {
  containerrecreaterequest: (sample) => ({ ...sample, containers: [{ name: 'main' }] }),
  sidecarset: ({ initContainers: _init, updateStrategy, ...sample }) => {
    const { selector: _selector, ...strategy } = updateStrategy as JsonObject;
    return { ...sample, updateStrategy: strategy };
  },
};

function sampleOf({ singular }: KindDeclaration): JsonObject {
  const sample = samples[singular] ?? {};
  return valid[singular]?.(sample) ?? sample;
}

const odd = fc.constantFrom<unknown>(null, '', 'a', 'A!', '50%', '150%', 0, -1, 1.5, 3, 2 ** 40, true, [], {}, [null], ['a', 'a'], [{}]);
const absent = Symbol('absent');

/** Returns a copy in which the member at `steps`, numbers modulo the number of members, has another value or is absent. */
function replaced(value: unknown, [step, ...steps]: readonly number[], next: unknown): unknown {
  const members = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  if (step === undefined || members.length === 0) return next;
  const name = members[step % members.length] as string;
  const inner = replaced((value as JsonObject)[name], steps, next);
  if (Array.isArray(value)) return value.flatMap((item: unknown, at) => (String(at) !== name ? [item] : inner === absent ? [] : [inner]));
  const { [name]: _old, ...others } = value as JsonObject;
  return inner === absent ? others : { ...others, [name]: inner };
}

const change = fc.record({
  steps: fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 6 }),
  next: fc.oneof({ weight: 3, arbitrary: odd }, { weight: 1, arbitrary: fc.constant<unknown>(absent) }),
});
const changes = fc.oneof(fc.constant([]), fc.array(change, { minLength: 1, maxLength: 1 }), fc.array(change, { maxLength: 3 }));

/** Objects are called `sample`, and are in namespace `ns` if the kind has namespaces. */
export function newObjects(kind: KindDeclaration, version: VersionDeclaration): fc.Arbitrary<LintedObject> {
  const head = { apiVersion: `${kind.group}/${version.name}`, kind: kind.kind };
  const metadata = { name: 'sample', ...(kind.namespaced ? { namespace: 'ns' } : {}) };
  return changes.map((all) => {
    const spec = all.reduce<unknown>((value, { steps, next }) => replaced(value, steps, next), sampleOf(kind));
    return { ...head, metadata, ...(spec === absent ? {} : { spec }) };
  });
}
