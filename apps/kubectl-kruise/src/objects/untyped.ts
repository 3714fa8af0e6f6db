/** Objects as the server sends them: every field stays, whatever version they are of. */
import { isJsonObject, stringifyLossless, type JsonObject, type KubeObject } from '@kruise/objects';

/** An object of any kind and version; members are read with `memberAt`. */
export type Untyped = KubeObject & JsonObject;

/** An object with one member set, at a path of members that are made where they are absent. */
export function withMember(object: JsonObject, [name = '', ...rest]: readonly string[], value: unknown): JsonObject {
  const inner = Object.hasOwn(object, name) ? object[name] : undefined;
  return { ...object, [name]: rest.length === 0 ? value : withMember(isJsonObject(inner) ? inner : {}, rest, value) };
}

/** A merge patch that sets one member. */
export const mergePatchAt = (path: readonly string[], value: unknown): JsonObject => withMember({}, path, value);

const lastApplied = ['metadata', 'annotations', 'kubectl.kubernetes.io/last-applied-configuration'];

/** The annotation that `kubectl apply` compares with, as `--save-config` writes it. */
export const withLastApplied = (object: Untyped): Untyped => withMember(object, lastApplied, `${stringifyLossless(object)}\n`) as Untyped;
