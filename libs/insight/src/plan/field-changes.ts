/** Where an object differs from what it was, and which of these fields the in-place rules refuse. */
import { memberAt, setIn, type ControllerRevision, type PodTemplateSpec } from '@kruise/objects';
import { diffJson, formatJsonPath, newRevision, planInPlaceUpdate, templateOf, type InPlaceOptions } from '@kruise/pods';
import type { AnyObject } from '../seen.ts';
import type { FieldChange, Recreation } from './change-plan.ts';

/** Returns the changed fields of `spec`, labels and annotations, as deep as both sides have the same shape. */
export function fieldChanges(before: AnyObject | undefined, after: AnyObject): readonly FieldChange[] {
  const parts = ['spec', 'data'].map((part) => diffJson(memberAt(before ?? {}, part), memberAt(after, part), [part]));
  return parts.flat().map(({ path, ...values }) => ({ path: formatJsonPath(path), ...values }));
}

const changedTemplate = (template: PodTemplateSpec, path: readonly (string | number)[], value: unknown): PodTemplateSpec | undefined => {
  try {
    return setIn(template, path, value);
  } catch {
    return undefined;
  }
};

/** Asks the rules about each changed field by itself. */
function refusedFields(current: ControllerRevision, target: ControllerRevision, options: InPlaceOptions): readonly FieldChange[] {
  const [before, after] = [templateOf(current), templateOf(target)];
  if (before === undefined || after === undefined) return [];
  const isRefused = (path: readonly (string | number)[], value: unknown): boolean => {
    const template = changedTemplate(before, path, value);
    if (template === undefined) return true;
    const source = { namespace: '', parent: 'one', owner: { apiVersion: '', kind: '', name: '', uid: '' }, template, annotations: {} };
    return planInPlaceUpdate(current, newRevision(source, 1, 0).revision, options).kind === 'Recreate';
  };
  return diffJson({ ...before, metadata: {} }, { ...after, metadata: {} })
    .filter(({ path, after: value }) => isRefused(path, value))
    .map(({ path, before: from, after: to }) => ({ path: formatJsonPath(['spec', 'template', ...path]), before: from, after: to }));
}

/** Returns why Pods of one revision cannot be updated in place to another; undefined when they can. */
export function recreationOf(current: ControllerRevision, target: ControllerRevision, options: InPlaceOptions): Recreation | undefined {
  const decision = planInPlaceUpdate(current, target, options);
  if (decision.kind === 'InPlace') return undefined;
  return { fromRevision: current.metadata.name, why: decision.why, fields: refusedFields(current, target, options) };
}
