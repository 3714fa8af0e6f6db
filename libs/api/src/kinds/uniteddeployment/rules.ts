/** The rules of UnitedDeployments: what admission refuses and warns of, and what the controller cannot work with. @see spec/uniteddeployment.md 4 */
import { checkDns1123Subdomain, type FieldError, type JsonObject } from '@kruise/objects';
import { faultsBy } from '../../pod-template/validation/faults-by.ts';
import { replicasObstacle } from '../../validation/cannot-work.ts';
import { faultsOf, inSpec, obstacleBy, specRule, warningsOf, type KindRule } from '../../validation/kind-rules.ts';
import { nameRule, replicasWarning, validateCount } from '../../validation/workload.ts';
import {
  childrenObstacle,
  kindObstacle,
  partitionsObstacle,
  podSelectorObstacle,
  podTemplateObstacle,
  reservationObstacle,
  sizeObstacle,
  subsetsObstacle,
} from './cannot-work.ts';
import { validateUnitedSize } from './validation-size.ts';
import { validateTemplates, type UnitedDeploymentValidation } from './validation-template.ts';
import { validateTopology } from './validation-topology.ts';
import { shape, validateSchedule, validateStrategy, validateUnitedSelector } from './validation.ts';
import { longName, warnings } from './warnings.ts';

const rules: readonly KindRule<UnitedDeploymentValidation>[] = [
  { ...nameRule(checkDns1123Subdomain), warn: longName },
  specRule,
  { refuse: inSpec((spec, { oldObject }) => validateUnitedSize(spec, oldObject?.['spec'])), cannotWork: sizeObstacle },
  { cannotWork: kindObstacle },
  {
    refuse: inSpec(({ replicas }) => validateCount(replicas, 'spec.replicas')),
    cannotWork: replicasObstacle,
    warn: replicasWarning,
  },
  { refuse: inSpec(validateUnitedSelector) },
  { refuse: inSpec((spec) => faultsBy(shape, spec, 'spec')) },
  { refuse: inSpec(validateSchedule) },
  { refuse: inSpec(validateTemplates), cannotWork: podTemplateObstacle },
  { refuse: inSpec(validateTopology), cannotWork: subsetsObstacle },
  { refuse: inSpec(validateStrategy), cannotWork: partitionsObstacle },
  ...warnings,
  { cannotWork: podSelectorObstacle },
  { cannotWork: reservationObstacle },
  { cannotWork: childrenObstacle },
];

/**
 * Returns every fault of a UnitedDeployment of any origin, with its defaults: a v1alpha1 CloneSet template has been converted to v1beta1.
 *
 * @remarks Never throws. A field that is allowed and has no effect is no fault; see `warnings.ts`.
 */
export const validateUnitedDeployment = (object: JsonObject, options: UnitedDeploymentValidation): readonly FieldError[] =>
  faultsOf(rules, object, options);

/** Returns the warnings. @param object with its defaults, of any shape. Never throws */
export const unitedDeploymentWarnings = (object: JsonObject): readonly string[] => warningsOf(rules, object, undefined);

/** Returns the first fault of a stored UnitedDeployment, as v1beta1, that its controller cannot work with. */
export const unitedDeploymentObstacle = obstacleBy(rules);
