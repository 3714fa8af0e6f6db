/** The hash of a CloneSet's volumeClaimTemplates that its revisions have as annotation. */
import { annotations } from '@kruise/api';
import { type ControllerRevision, type PersistentVolumeClaimTemplate, byteText, fnv1a, goString, memoized } from '@kruise/objects';
import { byUtf8, declaredJson, normalizeStruct } from './normalize.ts';

/** A template as a stored object may contain it: it is not validated. */
type Template = Partial<PersistentVolumeClaimTemplate> | null;

/** Returns the name. An empty name is omitted, as in Go; null in the list is a template without a name. */
const nameOf = (template: Template): string => template?.metadata?.name ?? '';
const nameMember = (name: string): string => (name === '' ? '' : `"name":${goString(name)},`);

const reducedJson = (template: Template): string =>
  `{"metadata":{${nameMember(nameOf(template))}"creationTimestamp":null},` +
  `"spec":${declaredJson(normalizeStruct(template?.spec ?? {}, 'PersistentVolumeClaimSpec'), 'PersistentVolumeClaimSpec')},"status":{}}`;

/**
 * Returns the hash.
 *
 * @param templates any order; never changed in place
 * @returns a decimal number, '' when there are no templates
 * @see spec/inplace-update.md 3.5
 */
export function claimTemplateHash(templates: readonly Template[] | null | undefined): string {
  if (templates === undefined || templates === null || templates.length === 0) return '';
  return hashOnce(templates);
}

/** Remembered for frozen lists, which a store keeps and every pass reads again. */
const hashOnce = memoized((templates: readonly Template[]): string => {
  const sorted = [...templates].sort(byUtf8(nameOf));
  return String(fnv1a(byteText(`[${sorted.map(reducedJson).join(',')}]`)));
}, Object.isFrozen);

/** Returns whether Pods may keep their claims between two revisions: one of them has no hash, or both have the same. */
export function hasSameClaimTemplates(a: ControllerRevision, b: ControllerRevision): boolean {
  const left = a.metadata.annotations?.[annotations.cloneSetVolumeClaimTemplateHash];
  const right = b.metadata.annotations?.[annotations.cloneSetVolumeClaimTemplateHash];
  return left === undefined || right === undefined || left === right;
}
