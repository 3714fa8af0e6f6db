/** The rules of CloneSets: what admission refuses and warns of, and what the controller cannot work with. @see spec/cloneset.md 4.3 */
import { checkDns1123Subdomain, isUnset, memberAt, type FieldError, type JsonObject } from '@kruise/objects';
import { claimTemplatesObstacle, replicasObstacle, selectorObstacle, templateObstacle } from '../../validation/cannot-work.ts';
import { faultsOf, inSpec, obstacleBy, specRule, warningsOf, type KindRule } from '../../validation/kind-rules.ts';
import { nameRule, replicasWarning, validateCount, validateSelector } from '../../validation/workload.ts';
import { validateUpdateStrategy } from './validation-rollout.ts';
import { validateDeadline, validatePodsToDelete, validateTemplate, type CloneSetValidation } from './validation.ts';
import { configsInVain, longName, specWarnings, type CloneSetWarningOptions } from './warnings.ts';

function podsToDeleteObstacle({ scaleStrategy }: JsonObject): string | undefined {
  const names = memberAt(scaleStrategy, 'podsToDelete');
  return isUnset(names) || Array.isArray(names) ? undefined : 'spec.scaleStrategy.podsToDelete: Invalid value: must be a list of Pod names';
}

const validateRollout = (spec: JsonObject, { version }: CloneSetValidation): readonly FieldError[] =>
  validateUpdateStrategy(spec, version, typeof spec['replicas'] === 'number' ? spec['replicas'] : 1);

const rules: readonly KindRule<CloneSetValidation, CloneSetWarningOptions>[] = [
  { ...nameRule(checkDns1123Subdomain), warn: longName },
  specRule,
  {
    refuse: inSpec(({ replicas }) => validateCount(replicas, 'spec.replicas')),
    cannotWork: replicasObstacle,
    warn: replicasWarning,
  },
  { refuse: inSpec((spec) => validateSelector(spec, 'cloneset')) },
  { refuse: inSpec(validateTemplate), cannotWork: templateObstacle },
  { cannotWork: claimTemplatesObstacle },
  { refuse: inSpec(validatePodsToDelete), cannotWork: podsToDeleteObstacle },
  { refuse: inSpec(validateRollout) },
  { refuse: inSpec((spec, { version }) => validateDeadline(spec, version)) },
  ...specWarnings,
  { warn: configsInVain },
  { cannotWork: selectorObstacle('CloneSet') },
];

/**
 * Returns every fault of a CloneSet of any origin, except rules that need other objects (v1alpha1: that `podsToDelete` exist) and the orders of Pods
 * in the update strategy (`priorityStrategy`, `scatterStrategy`).
 *
 * @remarks Never throws.
 */
export const validateCloneSet = (object: JsonObject, options: CloneSetValidation): readonly FieldError[] =>
  faultsOf(rules, object, options);

/** Returns the warnings. Never throws, whatever the object is. */
export const cloneSetWarnings = (object: JsonObject, options: CloneSetWarningOptions): readonly string[] =>
  warningsOf(rules, object, options);

/** Returns the first fault of a stored CloneSet, as v1beta1, that its controller cannot work with. */
export const cloneSetObstacle = obstacleBy(rules);
