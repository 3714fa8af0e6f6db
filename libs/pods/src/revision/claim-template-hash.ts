/** The hash of a CloneSet's volumeClaimTemplates that its revisions carry. */
import { annotations } from '@kruise/api';
import { type ControllerRevision, type PersistentVolumeClaimTemplate, byteText, fnv1a, goString } from '@kruise/objects';
import { byUtf8, declaredJson, normalizeStruct } from './normalize.ts';

const reducedJson = (template: PersistentVolumeClaimTemplate): string =>
  `{"metadata":{"name":${goString(template.metadata.name)},"creationTimestamp":null},` +
  `"spec":${declaredJson(normalizeStruct(template.spec ?? {}, 'PersistentVolumeClaimSpec'), 'PersistentVolumeClaimSpec')},"status":{}}`;

/**
 * @param templates any order
 * @returns a decimal number, '' when there are no templates
 * @see spec/inplace-update.md 3.5
 */
export function claimTemplateHash(templates: readonly PersistentVolumeClaimTemplate[] | undefined): string {
  if (templates === undefined || templates.length === 0) return '';
  const sorted = [...templates].sort(byUtf8((template) => template.metadata.name));
  return String(fnv1a(byteText(`[${sorted.map(reducedJson).join(',')}]`)));
}

/** Whether Pods may keep their claims between two revisions: one of them carries no hash, or both carry the same. */
export function hasSameClaimTemplates(a: ControllerRevision, b: ControllerRevision): boolean {
  const left = a.metadata.annotations?.[annotations.cloneSetVolumeClaimTemplateHash];
  const right = b.metadata.annotations?.[annotations.cloneSetVolumeClaimTemplateHash];
  return left === undefined || right === undefined || left === right;
}
