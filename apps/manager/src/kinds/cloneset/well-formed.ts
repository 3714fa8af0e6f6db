/**
 * Objects that went past admission may hold anything that the CRD lets through. What the rules cannot work with is said here, in words, and
 * harms only the object itself.
 */
import type { CloneSet } from '@kruise/api';
import { isJsonObject, labelMatcherOf, type LabelMatcher } from '@kruise/objects';

export type Examined =
  { readonly kind: 'WellFormed'; readonly selector: LabelMatcher } | { readonly kind: 'Malformed'; readonly why: string };

const malformed = (why: string): Examined => ({ kind: 'Malformed', why });

/** Largest number of Pods that makes sense to plan for; above it the object is refused rather than the manager's memory filled. */
const maxReplicas = 1_000_000;

function templateFault(cloneSet: CloneSet): string | undefined {
  const template: unknown = cloneSet.spec.template;
  if (!isJsonObject(template) || !isJsonObject(template['spec'])) return 'spec.template.spec: Required value: must be an object';
  const containers: unknown = template['spec']['containers'];
  if (!Array.isArray(containers) || !containers.every(isJsonObject))
    return 'spec.template.spec.containers: Invalid value: must be a list of containers';
  const metadata: unknown = template['metadata'] ?? {};
  return isJsonObject(metadata) ? undefined : 'spec.template.metadata: Invalid value: must be an object';
}

function claimTemplatesFault(cloneSet: CloneSet): string | undefined {
  const templates: unknown = cloneSet.spec.volumeClaimTemplates ?? [];
  const isTemplate = (template: unknown): boolean =>
    isJsonObject(template) && isJsonObject(template['metadata']) && typeof template['metadata']['name'] === 'string';
  return Array.isArray(templates) && templates.every(isTemplate)
    ? undefined
    : 'spec.volumeClaimTemplates: Invalid value: must be a list of claims with metadata.name';
}

export function examine(cloneSet: CloneSet): Examined {
  const replicas = cloneSet.spec.replicas ?? 1;
  if (replicas < 0 || replicas > maxReplicas) return malformed(`spec.replicas: Invalid value: ${replicas}: must be 0 to ${maxReplicas}`);
  const selector = labelMatcherOf(cloneSet.spec.selector);
  if (selector.kind === 'Illegal') return malformed(`spec.selector: Invalid value: ${selector.why}`);
  const fault = templateFault(cloneSet) ?? claimTemplatesFault(cloneSet);
  return fault === undefined ? { kind: 'WellFormed', selector: selector.matcher } : malformed(fault);
}
