/** What the API server requires of the replicas of a kind with the subresource `scale`. */
import type { VersionDeclaration } from '@kruise/api';
import { fieldInvalid, memberAt, type FieldError, type JsonObject } from '@kruise/objects';

const maxInt32 = 2147483647;

/** Returns the fault of the member that `scale` reads; none for a value of another type, which the schema refuses. */
export function scaleFaults({ scale }: Pick<VersionDeclaration, 'scale'>, object: JsonObject): readonly FieldError[] {
  const path = scale?.specReplicasPath.replace(/^\./, '') ?? '';
  const replicas = path === '' ? undefined : memberAt(object, ...path.split('.'));
  if (typeof replicas !== 'number') return [];
  if (replicas < 0) return [fieldInvalid(path, replicas, 'should be a non-negative integer')];
  return replicas > maxInt32 ? [fieldInvalid(path, replicas, `should be less than or equal to ${maxInt32}`)] : [];
}
