/** The update strategy of a StatefulSet, the same in both versions. @see spec/statefulset.md 4.2 */
import {
  fieldInvalid,
  fieldPath,
  fieldRequired,
  fieldTypeInvalid,
  isJsonObject,
  isUnset,
  membersAt,
  parseIntOrPercent,
  scaleIntOrPercentOr,
  type FieldError,
  type JsonObject,
} from '@kruise/objects';
import { podUpdatePolicies } from '../../schema/cloneset-spec.ts';
import { podConditions } from '../../well-known.ts';

const strategyPath = 'spec.updateStrategy';
/** Path of the settings of type RollingUpdate. */
export const rolloutPath = `${strategyPath}.rollingUpdate`;
const at = (member: string): string => fieldPath(rolloutPath, member);

const isParallel = (spec: JsonObject): boolean => spec['podManagementPolicy'] === 'Parallel';

/** Validates a number of Pods that is at least 1, and nothing else without Parallel: more at the same time would violate the order. */
export function validateUnavailable(value: unknown, path: string, spec: JsonObject): readonly FieldError[] {
  const parsed = parseIntOrPercent(value);
  if (parsed.kind === 'Illegal') return [fieldInvalid(path, value, parsed.why)];
  if (parsed.kind === 'Int' && parsed.value < 0) return [fieldInvalid(path, value, 'must be greater than or equal to 0')];
  if (!isParallel(spec) && value !== 1) return [fieldInvalid(path, value, 'can only work with Parallel PodManagementPolicyType')];
  return scaleIntOrPercentOr(0, value, 1, 'up') < 1 ? [fieldInvalid(path, value, 'should not be less than 1')] : [];
}

function validateCount(value: unknown, path: string, most?: number): readonly FieldError[] {
  if (isUnset(value)) return [];
  if (!Number.isInteger(value)) return [fieldTypeInvalid(path, value, 'must be an integer')];
  if ((value as number) < 0) return [fieldInvalid(path, value, 'must be greater than or equal to 0')];
  return most !== undefined && (value as number) > most ? [fieldInvalid(path, value, `must be no more than ${String(most)}`)] : [];
}

function validatePolicy({ podUpdatePolicy: policy }: JsonObject, spec: JsonObject): readonly FieldError[] {
  const path = at('podUpdatePolicy');
  if (isUnset(policy) || policy === '') return [fieldRequired(path)];
  if (!podUpdatePolicies.some((known) => known === policy))
    return [fieldInvalid(path, policy, `must be one of ${podUpdatePolicies.map((known) => `'${known}'`).join(', ')}`)];
  if (policy === 'ReCreate') return [];
  const gates = membersAt(membersAt(spec, 'template'), 'spec')['readinessGates'];
  const hasGate =
    Array.isArray(gates) && gates.some((gate: unknown) => isJsonObject(gate) && gate['conditionType'] === podConditions.inPlaceUpdateReady);
  const why = `can not use in-place update without a readinessGate with conditionType ${podConditions.inPlaceUpdateReady}`;
  return hasGate ? [] : [fieldInvalid('spec.template.spec.readinessGates', gates ?? [], why)];
}

function validateUnordered({ unorderedUpdate }: JsonObject, spec: JsonObject): readonly FieldError[] {
  const path = at('unorderedUpdate');
  if (isUnset(unorderedUpdate)) return [];
  if (!isJsonObject(unorderedUpdate)) return [fieldTypeInvalid(path, unorderedUpdate, 'must be an object')];
  return isParallel(spec) ? [] : [fieldRequired(path, 'can only work with Parallel PodManagementPolicyType')];
}

function validateSettings(settings: JsonObject, spec: JsonObject): readonly FieldError[] {
  const { maxUnavailable } = settings;
  return [
    ...validateCount(settings['partition'], at('partition')),
    ...(isUnset(maxUnavailable) ? [fieldRequired(at('maxUnavailable'))] : validateUnavailable(maxUnavailable, at('maxUnavailable'), spec)),
    ...validatePolicy(settings, spec),
    ...validateUnordered(settings, spec),
    ...validateCount(settings['minReadySeconds'], at('minReadySeconds'), 300),
  ];
}

/** Returns every fault of `spec.updateStrategy` except those of the order of Pods in it. */
export function validateRollout(spec: JsonObject): readonly FieldError[] {
  const strategy = spec['updateStrategy'];
  if (!isUnset(strategy) && !isJsonObject(strategy)) return [fieldTypeInvalid(strategyPath, strategy, 'must be an object')];
  const { type, rollingUpdate } = membersAt(spec, 'updateStrategy');
  if (isUnset(type) || type === '') return [fieldRequired(strategyPath)];
  if (type === 'OnDelete')
    return isUnset(rollingUpdate) ? [] : [fieldInvalid(rolloutPath, rollingUpdate, "only allowed for updateStrategy 'RollingUpdate'")];
  if (type !== 'RollingUpdate') return [fieldInvalid(strategyPath, type, "must be 'RollingUpdate' or 'OnDelete'")];
  if (isUnset(rollingUpdate)) return [fieldRequired(at('maxUnavailable'))];
  return isJsonObject(rollingUpdate)
    ? validateSettings(rollingUpdate, spec)
    : [fieldTypeInvalid(rolloutPath, rollingUpdate, 'must be an object')];
}
