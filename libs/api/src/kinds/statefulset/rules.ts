/** The rules of StatefulSets: what admission refuses and warns of, and what the controller cannot work with. @see spec/statefulset.md 4.2 */
import { checkDns1123Label, isJsonObject, isUnset, type FieldError, type JsonObject } from '@kruise/objects';
import { claimTemplatesObstacle, replicasObstacle, selectorObstacle, templateObstacle } from '../../validation/cannot-work.ts';
import { faultsOf, inSpec, obstacleBy, specRule, warningsOf, type KindRule } from '../../validation/kind-rules.ts';
import { nameRule, replicasWarning, validateCount, validateSelector } from '../../validation/workload.ts';
import { ordinalSlots, parseReservedOrdinals } from './ordinals.ts';
import { validateRollout } from './validation-rollout.ts';
import {
  validatePolicy,
  validateReserved,
  validateRetention,
  validateRoom,
  validateScale,
  validateStart,
  validateTemplate,
} from './validation.ts';
import { configsInVain, longName, specWarnings, type StatefulSetWarningOptions } from './warnings.ts';

const reservedObstacle = ({ reserveOrdinals }: JsonObject): string | undefined =>
  isUnset(reserveOrdinals) || Array.isArray(reserveOrdinals)
    ? undefined
    : 'spec.reserveOrdinals: Invalid value: must be a list of ordinals and ranges';

function startObstacle({ ordinals }: JsonObject): string | undefined {
  const start: unknown = isJsonObject(ordinals) ? (ordinals['start'] ?? 0) : 0;
  return Number.isInteger(start) ? undefined : `spec.ordinals.start: Invalid value: ${JSON.stringify(start)}: must be a whole number`;
}

/** The rules before have found numbers. */
function roomObstacle({ ordinals, reserveOrdinals, replicas = 1 }: JsonObject): string | undefined {
  const start = isJsonObject(ordinals) ? Math.max(Number(ordinals['start'] ?? 0), 0) : 0;
  const { ranges: reserved } = parseReservedOrdinals(reserveOrdinals);
  const { size } = ordinalSlots({ start, replicas: replicas as number, reserved });
  return size < (replicas as number)
    ? `spec.replicas: Invalid value: ${JSON.stringify(replicas)}: start and reservations leave ${size} ordinals up to 2147483647`
    : undefined;
}

const rules: readonly KindRule<unknown, StatefulSetWarningOptions>[] = [
  { ...nameRule(checkDns1123Label), warn: longName },
  specRule,
  { cannotWork: replicasObstacle, warn: replicasWarning },
  { cannotWork: templateObstacle },
  { cannotWork: claimTemplatesObstacle },
  { refuse: inSpec(({ podManagementPolicy }) => validatePolicy(podManagementPolicy)) },
  { refuse: inSpec(({ reserveOrdinals }) => validateReserved(reserveOrdinals)), cannotWork: reservedObstacle },
  { refuse: inSpec(validateStart), cannotWork: startObstacle },
  { refuse: inSpec(validateRoom), cannotWork: roomObstacle },
  { refuse: inSpec(validateScale) },
  { refuse: inSpec(validateRollout) },
  { refuse: inSpec(validateRetention) },
  { refuse: inSpec(({ replicas }) => validateCount(replicas, 'spec.replicas')) },
  { refuse: inSpec((spec) => validateSelector(spec, 'statefulset')) },
  { refuse: inSpec(validateTemplate) },
  ...specWarnings,
  { warn: configsInVain },
  { cannotWork: selectorObstacle('StatefulSet') },
];

/**
 * Returns every fault of a StatefulSet of any origin, except rules that need other objects (growing claims) and the order of Pods in the update
 * strategy.
 *
 * @remarks Never throws.
 */
export const validateStatefulSet = (object: JsonObject): readonly FieldError[] => faultsOf(rules, object, undefined);

/** Returns the warnings. Never throws, whatever the object is. */
export const statefulSetWarnings = (object: JsonObject, options: StatefulSetWarningOptions): readonly string[] =>
  warningsOf(rules, object, options);

/** Returns the first fault of a stored StatefulSet, as v1beta1, that its controller cannot work with. */
export const statefulSetObstacle = obstacleBy(rules);
