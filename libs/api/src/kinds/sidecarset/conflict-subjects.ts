/** What SidecarSets may conflict about, so that a search compares only those that have something in common. @see spec/sidecarset.md 4.5 */
import { isJsonObject, objectsAt, textAt } from '@kruise/objects';
import { namesIn, patchesOf } from './conflicts.ts';
import type { SidecarSet } from './schema.ts';

/** A name in the Pods of a SidecarSet. Two SidecarSets conflict only about the same key, and only if the values differ or one is undefined. */
export interface ConflictSubject {
  readonly key: string;
  /** Undefined: in conflict with every other SidecarSet that has the key. */
  readonly value: string | undefined;
}

const named = (list: 'containers' | 'initContainers', sidecarSet: SidecarSet): readonly ConflictSubject[] =>
  namesIn(sidecarSet, list).map((name) => ({ key: `${list} ${name}`, value: undefined }));

const volumes = ({ spec }: SidecarSet): readonly ConflictSubject[] =>
  objectsAt(spec, 'volumes').map((volume) => ({ key: `volumes ${textAt(volume, 'name')}`, value: JSON.stringify(volume) }));

/** Only `Overwrite` conflicts with itself, and `Retain` with nothing. */
const annotations = (sidecarSet: SidecarSet): readonly ConflictSubject[] =>
  [...patchesOf(sidecarSet)]
    .filter(([, policy]) => policy !== 'Retain')
    .map(([key, policy]) => ({ key: `annotations ${key}`, value: policy === 'Overwrite' ? undefined : policy }));

/** Returns what a SidecarSet may have a conflict about. A key may occur repeatedly. */
export const conflictSubjects = (sidecarSet: SidecarSet): readonly ConflictSubject[] =>
  isJsonObject(sidecarSet.spec)
    ? [...named('initContainers', sidecarSet), ...named('containers', sidecarSet), ...volumes(sidecarSet), ...annotations(sidecarSet)]
    : [];
