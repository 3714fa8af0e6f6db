/** Converts any object of our kinds between its versions: the answer of `/convert`. */
import { withMembers, type JsonObject } from '@kruise/objects';
import { allConverters } from './kinds/index.ts';
import { failed, type Conversion, type Converter } from './conversion/converter.ts';

const hub = 'v1beta1';
const spoke = 'v1alpha1';

/** The converters of all two-version kinds, by `<group>/<kind>`. */
export const converters: ReadonlyMap<string, Converter> = new Map(
  allConverters.map((converter) => [`${converter.group}/${converter.kind}`, converter]),
);

/**
 * Converts a whole object to `targetVersion` (`<group>/<version>`, as in a ConversionReview's `desiredAPIVersion`).
 *
 * The input is not written to; the result shares unchanged parts with it. Failures are an unknown group, kind or version, a target that is the
 * object's own version, and what the kind's converter refuses; the message is for the user.
 * @see spec/manager.md 4.8
 */
export function convertObject(object: JsonObject, targetVersion: string): Conversion {
  const { apiVersion, kind } = object;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return failed('the object has no apiVersion or no kind');
  const from = parseApiVersion(apiVersion);
  const to = parseApiVersion(targetVersion);
  const converter = converters.get(`${from.group}/${kind}`);
  if (converter === undefined) return failed(`there is no conversion for kind ${kind} of group ${from.group}`);
  if (from.group !== to.group) return failed(`${kind} cannot be converted from group ${from.group} to group ${to.group}`);
  if (from.version === to.version) return failed(`${kind} is of version ${apiVersion} already`);
  const conversion = direct(converter, object, from.version, to.version);
  return conversion.kind === 'Converted'
    ? { ...conversion, object: withMembers(conversion.object, { apiVersion: targetVersion }) }
    : conversion;
}

/** Returns the object in v1beta1, for which the rules of all kinds are written; unchanged when it cannot be converted, or need not be. */
export function inHub<T extends JsonObject>(object: T): T {
  const group = typeof object['apiVersion'] === 'string' ? parseApiVersion(object['apiVersion']).group : '';
  const conversion = convertObject(object, `${group}/${hub}`);
  return conversion.kind === 'Converted' ? (conversion.object as T) : object;
}

function direct(converter: Converter, object: JsonObject, from: string, to: string): Conversion {
  if (from === spoke && to === hub) return converter.toHub(object);
  if (from === hub && to === spoke) return converter.fromHub(object);
  return failed(`${converter.kind} cannot be converted from version ${from} to version ${to}; there are ${spoke} and ${hub}`);
}

function parseApiVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  const slash = apiVersion.indexOf('/');
  return { group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1) };
}
