/**
 * The rules of core/v1 for Pod templates, for templates of our kinds, which are opaque to the CRD, so that no API server checks them.
 *
 * They are written as data, one file for each part of the spec: a table of members with a check each, and rules over members together (see
 * `check.ts`). Unknown members are ignored, so that those of a newer API server pass. As lenient as the workload kinds must be: values of huge pages,
 * label values in selectors of affinity, and the deletion cost are not checked.
 * @see spec/cloneset.md 4.3
 */
import { fieldPath, fieldRequired, fieldTypeInvalid, isJsonObject, isUnset, type FieldError } from '@kruise/objects';
import { defaultPodTemplate } from '../defaults.ts';
import { newestKubernetes } from './checks/check.ts';
import { podFactsOf } from './checks/pod-facts.ts';
import { validatePodSpec, type PodSpecOptions } from './pod-spec.ts';
import { checkProfileAnnotations } from './containers/profile-annotations.ts';
import { templateMetadata } from './checks/template-metadata.ts';

/** What the rules for a Pod template depend on besides the template. */
export interface PodTemplateOptions extends PodSpecOptions {
  /** Gate `DefaultHostNetworkHostPortsInPodTemplates`. */
  readonly hostNetworkHostPorts: boolean;
}

/**
 * Returns every fault of a template of any origin, `null` and wrong types included.
 *
 * @param path of the template, e.g. `spec.template`
 * @remarks Never throws. Defaults are accepted, whether or not they have been filled in.
 */
export function validatePodTemplate(template: unknown, path: string, options: PodTemplateOptions): readonly FieldError[] {
  if (isUnset(template)) return [fieldRequired(path)];
  if (!isJsonObject(template)) return [fieldTypeInvalid(path, template, 'must be an object')];
  const { allowPrivileged, hostNetworkHostPorts, kubernetes = newestKubernetes } = options;
  const faults: FieldError[] = [];
  const { metadata, spec } = defaultPodTemplate(template, { hostNetworkHostPorts });
  const run = { faults, allowPrivileged, kubernetes, pod: podFactsOf({}, []) };
  templateMetadata(metadata, fieldPath(path, 'metadata'), run);
  if (isJsonObject(metadata)) checkProfileAnnotations(metadata['annotations'], spec, fieldPath(path, 'metadata', 'annotations'), run);
  return [...faults, ...validatePodSpec(spec, fieldPath(path, 'spec'), options)];
}

/**
 * Returns every fault of a template's labels and annotations, for kinds whose Pods are validated when they are created.
 *
 * @param template of any origin
 * @param path of the template
 * @remarks Never throws.
 */
export function validateTemplateMetadata(template: unknown, path: string): readonly FieldError[] {
  if (isUnset(template)) return [fieldRequired(path)];
  if (!isJsonObject(template)) return [fieldTypeInvalid(path, template, 'must be an object')];
  const faults: FieldError[] = [];
  const { metadata, spec } = template;
  const run = { faults, allowPrivileged: true, kubernetes: newestKubernetes, pod: podFactsOf({}, []) };
  templateMetadata(metadata, fieldPath(path, 'metadata'), run);
  if (isJsonObject(metadata)) checkProfileAnnotations(metadata['annotations'], spec, fieldPath(path, 'metadata', 'annotations'), run);
  return faults;
}
