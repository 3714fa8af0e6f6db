/** Defaults of an ImagePullJob of either version (spec/image-pulling.md 4). */
import { changeMember, membersAt, withMembers, type JsonObject } from '@kruise/objects';
import { mapMember } from '../../members/nested-members.ts';
import { fillEmpty } from '../../members/fill.ts';
import { withPullJobDefaults } from '../../defaults/image-pull.ts';
import { imagePullJobFinalizer } from './names.ts';

/** Returns the object with its defaults; the input itself when nothing is missing. Never writes to it. */
export const defaultImagePullJob = (object: JsonObject): JsonObject =>
  changeMember(object, 'spec', (spec) => fillEmpty(withPullJobDefaults(spec), { imagePullPolicy: 'IfNotPresent' }));

/** Returns the object with the finalizer that keeps it until its pulls are cancelled. For CREATE only, because a later one could restore it. */
export function protectImagePullJob(object: JsonObject): JsonObject {
  const { finalizers: present = [] } = membersAt(object, 'metadata');
  if (!Array.isArray(present) || present.includes(imagePullJobFinalizer)) return object;
  return mapMember(object, 'metadata', (metadata) =>
    withMembers(metadata, { finalizers: [...(present as readonly unknown[]), imagePullJobFinalizer] }),
  );
}
