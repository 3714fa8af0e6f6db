/** The rules of DaemonSets: what admission refuses and warns of, and what the controller cannot work with. @see spec/daemonset.md 4.2 */
import { checkDns1123Subdomain, isUnset, memberAt, membersAt, type FieldError, type JsonObject } from '@kruise/objects';
import { validateNodeTerms } from '../../pod-template/node-term-size.ts';
import { faultsBy } from '../../pod-template/validation/faults-by.ts';
import { nodeTermsObstacle, selectorObstacle, templateObstacle } from '../../validation/cannot-work.ts';
import { faultsOf, inSpec, obstacleBy, specRule, warningsOf, type KindRule } from '../../validation/kind-rules.ts';
import { nameRule, validateSelector } from '../../validation/workload.ts';
import { validateRollout } from './validation-rollout.ts';
import { shape, validateBurst, validateLifecycle, validateTemplate, type DaemonSetValidation } from './validation.ts';
import { warnings, type DaemonSetWarningOptions } from './warnings.ts';

const wholeNumberObstacle =
  (name: string) =>
  ({ [name]: value }: JsonObject): string | undefined =>
    isUnset(value) || (Number.isInteger(value) && (value as number) >= 0)
      ? undefined
      : `spec.${name}: Invalid value: ${JSON.stringify(value)}: must be a whole number of at least 0`;

const validateTerms = ({ template }: JsonObject, { oldObject }: DaemonSetValidation): readonly FieldError[] =>
  validateNodeTerms(template, memberAt(oldObject, 'spec', 'template'), 'spec.template');

const rules: readonly KindRule<DaemonSetValidation, DaemonSetWarningOptions>[] = [
  nameRule(checkDns1123Subdomain),
  specRule,
  { refuse: inSpec((spec) => validateSelector(spec, 'daemonset')) },
  { refuse: inSpec(validateTemplate), cannotWork: templateObstacle },
  { refuse: inSpec(validateTerms), cannotWork: nodeTermsObstacle },
  { refuse: inSpec((spec) => faultsBy(shape, spec, 'spec')) },
  { cannotWork: wholeNumberObstacle('minReadySeconds') },
  { cannotWork: wholeNumberObstacle('revisionHistoryLimit') },
  { refuse: inSpec(({ burstReplicas }) => validateBurst(burstReplicas)) },
  { refuse: inSpec((spec, { version }) => validateRollout(spec, version)) },
  { refuse: inSpec((spec) => validateLifecycle(membersAt(spec, 'lifecycle'))) },
  ...warnings,
  { cannotWork: selectorObstacle('DaemonSet') },
];

/**
 * Returns every fault of a DaemonSet of any origin, with its defaults or without. Defaults of Pods are not checked.
 *
 * @remarks Never throws. A field that is allowed and has no effect is no fault; see `warnings.ts`.
 * @see spec/daemonset.md 4.2
 */
export const validateDaemonSet = (object: JsonObject, options: DaemonSetValidation): readonly FieldError[] =>
  faultsOf(rules, object, options);

/**
 * Returns the warnings about a DaemonSet that may be stored.
 *
 * @param object with its defaults, of any shape
 * @returns one text for each finding, which begins with the path of the member
 * @remarks Never throws.
 */
export const daemonSetWarnings = (object: JsonObject, options: DaemonSetWarningOptions): readonly string[] =>
  warningsOf(rules, object, options);

/** Returns the first fault of a stored DaemonSet, as v1beta1, that its controller cannot work with. */
export const daemonSetObstacle = obstacleBy(rules);
