/** Generated JSON for property tests: hostile member names included. */
import fc from 'fast-check';

const memberName = fc.oneof(fc.constantFrom('a', 'b', 'name', 'metadata', '10', '9', '__proto__', 'constructor', 'toString', 'a/b', 'm~n', ''), fc.string({ maxLength: 4 }));

const scalar = fc.oneof(fc.string({ maxLength: 5 }), fc.integer(), fc.boolean(), fc.constantFrom('é', '\u2028', '\ud83d\ude00', '<&>'));

/** Builds an object; own `__proto__` members remain members, as after `JSON.parse`. */
const toObject = (entries: readonly (readonly [string, unknown])[]): Readonly<Record<string, unknown>> =>
  JSON.parse(`{${entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`) as Readonly<Record<string, unknown>>;

const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, scalar, fc.array(tie('value'), { maxLength: 5 }), tie('object')),
  object: fc.uniqueArray(fc.tuple(memberName, tie('value')), { maxLength: 5, selector: ([name]) => name }).map(toObject),
}));

/** Any JSON value without null. */
export const jsonValue: fc.Arbitrary<unknown> = value;

/** A JSON object without null in any part: merge patches cannot express null. */
export const jsonObject: fc.Arbitrary<Readonly<Record<string, unknown>>> = fc
  .uniqueArray(fc.tuple(memberName, jsonValue), { maxLength: 6, selector: ([name]) => name })
  .map(toObject);
