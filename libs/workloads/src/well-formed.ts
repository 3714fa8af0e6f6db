/**
 * Checks objects that passed admission. They may contain anything that the CRD allows, and a CRD may be changed. A fault that the rules cannot handle
 * is reported here, in words, and affects only the object itself.
 */
import { nodeTermsFault } from '@kruise/api';
import {
  formatFieldError,
  isEmptyLabelSelector,
  isJsonObject,
  labelMatcherOf,
  workloadLimits,
  type LabelMatcher,
  type LabelSelector,
  type PodTemplateSpec,
  memoized,
} from '@kruise/objects';

/** Whether the rules can handle an object, or the first fault that prevents it. */
export type Examined =
  { readonly kind: 'WellFormed'; readonly selector: LabelMatcher } | { readonly kind: 'Malformed'; readonly why: string };

const malformed = (why: string): Examined => ({ kind: 'Malformed', why });

const maxReplicas = workloadLimits.replicas.value;

/** Returns a fault of one part of `spec`, or undefined. */
export type SpecRule = (spec: Readonly<Record<string, unknown>>) => string | undefined;

/** Checks that `spec.replicas` is a number of Pods. */
export const replicasRule: SpecRule = ({ replicas = 1 }) =>
  Number.isInteger(replicas) && (replicas as number) >= 0 && (replicas as number) <= maxReplicas
    ? undefined
    : `spec.replicas: Invalid value: ${JSON.stringify(replicas)}: must be a whole number of 0 to ${maxReplicas}`;

const isStringMap = (value: unknown): boolean => isJsonObject(value) && Object.values(value).every((entry) => typeof entry === 'string');

/** Checks that Pods can be created from `spec.template`. */
export const templateRule: SpecRule = ({ template }) => {
  if (!isJsonObject(template) || !isJsonObject(template['spec'])) return 'spec.template.spec: Required value: must be an object';
  const containers: unknown = template['spec']['containers'];
  if (!Array.isArray(containers) || !containers.every(isJsonObject)) {
    return 'spec.template.spec.containers: Invalid value: must be a list of containers';
  }
  const metadata: unknown = template['metadata'] ?? {};
  if (!isJsonObject(metadata)) return 'spec.template.metadata: Invalid value: must be an object';
  const faulty = ['labels', 'annotations'].find((member) => !isStringMap(metadata[member] ?? {}));
  return faulty === undefined ? undefined : `spec.template.metadata.${faulty}: Invalid value: must map names to strings`;
};

/** Checks that `spec.template` can be matched against all nodes. */
export const nodeTermsRule: SpecRule = ({ template }) => {
  return isJsonObject(template) ? termsFaultOf(template) : undefined;
};

/** Cached for each template: objects are examined for every event of a node. */
const termsFaultOf = memoized((template: object): string | undefined => {
  const fault = nodeTermsFault(template, 'spec.template');
  return fault === undefined ? undefined : formatFieldError(fault);
});

/** Checks that claims can be created from `spec.volumeClaimTemplates`. */
export const claimTemplatesRule: SpecRule = ({ volumeClaimTemplates: templates = [] }) => {
  const isTemplate = (template: unknown): boolean =>
    isJsonObject(template) && isJsonObject(template['metadata']) && typeof template['metadata']['name'] === 'string';
  return templates === null || (Array.isArray(templates) && templates.every(isTemplate))
    ? undefined
    : 'spec.volumeClaimTemplates: Invalid value: must be a list of claims with metadata.name';
};

interface Selecting {
  readonly selector: LabelSelector;
  readonly template: PodTemplateSpec;
}

/** Checks the selector. One that does not match the template would release every new Pod immediately and create another for it, endlessly. */
function examineSelector({ selector, template }: Selecting, kind: string): Examined {
  const parsed = labelMatcherOf(selector);
  if (parsed.kind === 'Illegal') return malformed(`spec.selector: Invalid value: ${parsed.why}`);
  const given = selector as LabelSelector | null | undefined;
  if (given === undefined || given === null || isEmptyLabelSelector(given)) {
    return malformed(`spec.selector: Required value: an empty selector is invalid for a ${kind}`);
  }
  if (!parsed.matcher.matches(template.metadata?.labels))
    return malformed('spec.selector: Invalid value: does not match the labels of the template');
  return { kind: 'WellFormed', selector: parsed.matcher };
}

/**
 * Examines a workload.
 *
 * @param rules in the order in which faults are reported; {@link templateRule} must be one of them
 * @param kind for the message
 */
export function examineWorkload({ spec }: { readonly spec: Selecting }, kind: string, rules: readonly SpecRule[]): Examined {
  const given: unknown = spec;
  if (!isJsonObject(given)) return malformed('spec: Required value: must be an object');
  for (const rule of rules) {
    const fault = rule(given);
    if (fault !== undefined) return malformed(fault);
  }
  return examineSelector(spec, kind);
}
