/** The example of README.md. */
import { convertObject, parseGates } from './index.ts';

/** Returns an object in another version of its kind. @throws with the reason, when it has no such form */
export function inVersion(object: Readonly<Record<string, unknown>>, apiVersion: string): Readonly<Record<string, unknown>> {
  const conversion = convertObject(object, apiVersion);
  if (conversion.kind === 'Failed') throw new Error(conversion.message);
  return conversion.object;
}

/** Returns whether a gate is on after `--feature-gates=<text>`. @throws naming the unknown gate or the invalid value */
export function isGateOn(text: string, name: 'PodWebhook' | 'CloneSetShortHash'): boolean {
  const parsed = parseGates(text);
  if (parsed.kind === 'Failed') throw new Error(parsed.message);
  return parsed.gates[name];
}
