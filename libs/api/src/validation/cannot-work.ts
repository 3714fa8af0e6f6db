/**
 * What the controllers of several kinds cannot work with. Objects that passed admission may contain anything that the CRD allows, and a CRD may be
 * changed. Each check returns the fault in words, undefined when there is none, and affects only the object itself.
 */
import {
  formatFieldError,
  isEmptyLabelSelector,
  isJsonObject,
  isUnset,
  labelMatcherOf,
  memberAt,
  memoized,
  workloadLimits,
  type JsonObject,
  type LabelSelector,
} from '@kruise/objects';
import { nodeTermsFault } from '../pod-template/node-term-size.ts';

const maxReplicas = workloadLimits.replicas.value;

/** Checks that `spec.replicas` is a number of Pods. */
export const replicasObstacle = ({ replicas = 1 }: JsonObject): string | undefined =>
  Number.isInteger(replicas) && (replicas as number) >= 0 && (replicas as number) <= maxReplicas
    ? undefined
    : `spec.replicas: Invalid value: ${JSON.stringify(replicas)}: must be a whole number of 0 to ${maxReplicas}`;

const isStringMap = (value: unknown): boolean => isJsonObject(value) && Object.values(value).every((entry) => typeof entry === 'string');

/** Checks that Pods can be created from `spec.template`. */
export function templateObstacle({ template }: JsonObject): string | undefined {
  if (!isJsonObject(template) || !isJsonObject(template['spec'])) return 'spec.template.spec: Required value: must be an object';
  const containers: unknown = template['spec']['containers'];
  if (!Array.isArray(containers) || !containers.every(isJsonObject)) {
    return 'spec.template.spec.containers: Invalid value: must be a list of containers';
  }
  const metadata: unknown = template['metadata'] ?? {};
  if (!isJsonObject(metadata)) return 'spec.template.metadata: Invalid value: must be an object';
  const faulty = ['labels', 'annotations'].find((member) => !isStringMap(metadata[member] ?? {}));
  return faulty === undefined ? undefined : `spec.template.metadata.${faulty}: Invalid value: must map names to strings`;
}

/** Checks that `spec.template` can be matched against all nodes. */
export const nodeTermsObstacle = ({ template }: JsonObject): string | undefined =>
  isJsonObject(template) ? termsFaultOf(template) : undefined;

/** Cached for each template: a change of another part of the spec does not count the terms again. */
const termsFaultOf = memoized((template: object): string | undefined => {
  const fault = nodeTermsFault(template, 'spec.template');
  return fault === undefined ? undefined : formatFieldError(fault);
});

/** Checks that claims can be created from `spec.volumeClaimTemplates`. */
export function claimTemplatesObstacle({ volumeClaimTemplates: templates = [] }: JsonObject): string | undefined {
  const isTemplate = (template: unknown): boolean =>
    isJsonObject(template) && isJsonObject(template['metadata']) && typeof template['metadata']['name'] === 'string';
  return templates === null || (Array.isArray(templates) && templates.every(isTemplate))
    ? undefined
    : 'spec.volumeClaimTemplates: Invalid value: must be a list of claims with metadata.name';
}

/**
 * Checks the selector. One that does not match the template would release every new Pod immediately and create another for it, endlessly.
 *
 * @param kind for the message
 */
export const selectorObstacle =
  (kind: string) =>
  ({ selector, template }: JsonObject): string | undefined => {
    const parsed = labelMatcherOf(selector as LabelSelector | null | undefined);
    if (parsed.kind === 'Illegal') return `spec.selector: Invalid value: ${parsed.why}`;
    if (isUnset(selector) || isEmptyLabelSelector(selector as LabelSelector))
      return `spec.selector: Required value: an empty selector is invalid for a ${kind}`;
    const labels = memberAt(template, 'metadata', 'labels') as Readonly<Record<string, string>> | undefined;
    return parsed.matcher.matches(labels) ? undefined : 'spec.selector: Invalid value: does not match the labels of the template';
  };
