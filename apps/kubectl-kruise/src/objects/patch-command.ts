/** The command by which a user changes one object. */
import { stringifyLossless, type JsonObject, type ResourceType } from '@kruise/objects';

/** Returns a merge patch as an argument of a shell. */
const quoted = (patch: JsonObject): string => `'${stringifyLossless(patch).replaceAll("'", String.raw`'\''`)}'`;

/** The object that a command names. */
export interface PatchedObject {
  readonly type: Pick<ResourceType, 'group' | 'plural'>;
  readonly name: string;
  readonly namespace: string;
}

/** Returns the `kubectl patch` that sends a merge patch. */
export function patchCommand({ type, name, namespace }: PatchedObject, patch: JsonObject): string {
  const resource = `${type.plural}${type.group === '' ? '' : `.${type.group}`}`;
  return `kubectl patch ${resource} ${name} -n ${namespace} --type=merge -p ${quoted(patch)}`;
}
