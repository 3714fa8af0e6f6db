/** Finds changes of a Pod template that no update of images can apply. */
import { createJsonPatch, isJsonObject, membersAt, semanticEqual, withMembers, type JsonObject } from '@kruise/objects';

/** Members of containers that may change, but not be added or removed. */
export type ChangeableMembers = readonly ('image' | 'imagePullPolicy')[];

/**
 * Returns the first change of the template's spec besides those members of containers, as `OP PATH`.
 *
 * @param spec of the workload, `oldSpec` the stored one
 * @returns undefined when there is none
 */
export function obstacleBesideImages(spec: JsonObject, oldSpec: JsonObject, changeable: ChangeableMembers): string | undefined {
  const [next, old] = [spec, oldSpec].map((one) => blanked(membersAt(membersAt(one, 'template'), 'spec'), changeable)) as [
    JsonObject,
    JsonObject,
  ];
  if (semanticEqual(next, old)) return undefined;
  const change = createJsonPatch(old, next)[0];
  return change === undefined ? undefined : `${change.op} ${change.path}`;
}

function blanked(spec: JsonObject, changeable: ChangeableMembers): JsonObject {
  const containers = spec['containers'];
  if (!Array.isArray(containers)) return spec;
  const blank = (item: JsonObject): JsonObject =>
    withMembers(item, Object.fromEntries(changeable.filter((name) => typeof item[name] === 'string').map((name) => [name, 'any'])));
  return withMembers(spec, { containers: containers.map((item: unknown) => (isJsonObject(item) ? blank(item) : item)) });
}
