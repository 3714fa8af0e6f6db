/**
 * StatefulSet v1alpha1 <-> v1beta1 (spec/statefulset.md 1.1 and 8): the same members, except for those that only v1beta1 has. These are carried
 * through v1alpha1 in an annotation, so that reading and writing there loses none of them.
 */
import { changeMember, isJsonObject, withMembers, type JsonObject } from '@kruise/objects';
import { converted, split, type Conversion, type Converter } from '../../conversion/converter.ts';
import { carryHubMembers, takeHubMembers } from '../../conversion/hub-members.ts';
import { conforms } from '../../schema/conforms.ts';
import { hubOnlyMembers } from './schema.ts';

const parts = ['spec', 'status'] as const;

function fromHub(object: JsonObject): Conversion {
  let alpha = object;
  const carried: Record<string, JsonObject> = {};
  for (const part of parts) {
    const members = object[part];
    if (!isJsonObject(members)) continue;
    const { picked, rest } = split(members, Object.keys(hubOnlyMembers[part]));
    if (Object.keys(picked).length === 0) continue;
    carried[part] = picked;
    alpha = withMembers(alpha, { [part]: rest });
  }
  return converted(carryHubMembers(alpha, carried));
}

function toHub(object: JsonObject): Conversion {
  const { carried, object: uncarried } = takeHubMembers(object);
  return converted(parts.reduce((hub, part) => restore(hub, part, carried[part]), uncarried));
}

/**
 * Restores the hub-only members that conform to their schema from the annotation, which nothing else validates. Members of the object itself take
 * precedence over carried ones.
 */
function restore(object: JsonObject, part: (typeof parts)[number], carried: unknown): JsonObject {
  if (!isJsonObject(carried) || !isJsonObject(object[part])) return object;
  const known = Object.entries(hubOnlyMembers[part]).filter(
    ([name, { json }]) => Object.hasOwn(carried, name) && conforms(json, carried[name]),
  );
  const restored = Object.fromEntries(known.map(([name]) => [name, carried[name]]));
  return changeMember(object, part, (members) => ({ ...restored, ...members }));
}

/** Converts StatefulSets between v1alpha1 and v1beta1; pure, never writes to its input. @see spec/manager.md 4.8 */
export const converter: Converter = { group: 'apps.kruise.io', kind: 'StatefulSet', toHub, fromHub };
