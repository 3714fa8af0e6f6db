/** The update strategy of a DaemonSet, the same in both versions except for the type `Surging` of v1alpha1. @see spec/daemonset.md 4.2 */
import {
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  fieldTypeInvalid,
  isJsonObject,
  isUnset,
  membersAt,
  parseIntOrPercent,
  type FieldError,
  type JsonObject,
} from '@kruise/objects';
import { anyText, bool, objectOf } from '../../pod-template/validation/checks/check.ts';
import { faultsBy } from '../../pod-template/validation/faults-by.ts';
import type { DaemonSetVersion } from './defaults.ts';

const strategyPath = 'spec.updateStrategy';
/** Path of the settings of type RollingUpdate. */
export const rolloutPath = `${strategyPath}.rollingUpdate`;
const at = (member: string): string => fieldPath(rolloutPath, member);

/** Checks only the types of the settings of type RollingUpdate; the nodes of a selector are not checked here. */
const shape = objectOf({ paused: bool, rollingUpdateType: anyText, selector: objectOf({}) });

const rollingUpdateTypes: Readonly<Record<DaemonSetVersion, readonly string[]>> = {
  v1alpha1: ['Standard', 'Surging', 'InPlaceIfPossible'],
  v1beta1: ['Standard', 'InPlaceIfPossible'],
};

/** Returns whether a text is a number. As in Go, a text that is no percentage is a decimal number, and everything else is 0. */
const isNumeral = (text: string): boolean => /^[+-]?\d+$/.test(text);

/**
 * Returns whether `maxUnavailable` or `maxSurge` means no node: absent, 0, 0 %, and any text that is neither a whole percentage nor a number. A value
 * of another type counts as something, so that its fault is reported.
 *
 * @see spec/daemonset.md 4.2
 */
export function countsAsZero(value: unknown): boolean {
  if (isUnset(value)) return true;
  const parsed = parseIntOrPercent(value, { fractions: false });
  if (parsed.kind === 'Int') return parsed.value === 0;
  if (parsed.kind === 'Percent') return parsed.mantissa === 0n;
  return typeof value === 'string' && !(isNumeral(value) && /[1-9]/.test(value));
}

/** Validates a number of nodes, or up to 100 whole percent of them. */
function validateAmount(value: unknown, path: string): readonly FieldError[] {
  const parsed = parseIntOrPercent(value, { fractions: false });
  if (parsed.kind === 'Illegal') return [fieldInvalid(path, value, parsed.why)];
  if (parsed.kind === 'Int') return parsed.value < 0 ? [fieldInvalid(path, value, 'must be greater than or equal to 0')] : [];
  return parsed.mantissa > 100n ? [fieldInvalid(path, value, 'must not be greater than 100%')] : [];
}

/** Returns why a text counts as nothing, because its author meant something. */
function unlimited(maxUnavailable: unknown): FieldError {
  const isOdd = typeof maxUnavailable === 'string' && parseIntOrPercent(maxUnavailable, { fractions: false }).kind === 'Illegal';
  const hint = isOdd ? `; ${JSON.stringify(maxUnavailable)} is not a whole percentage and counts as 0` : '';
  return fieldRequired(at('maxUnavailable'), `cannot be 0 when maxSurge is 0${hint}`);
}

/** Validates the limits: either old Pods are deleted first or new ones are created first, so exactly one of both limits is 0. */
function validateLimits({ maxUnavailable, maxSurge }: JsonObject): readonly FieldError[] {
  const [hasUnavailable, hasSurge] = [!countsAsZero(maxUnavailable), !countsAsZero(maxSurge)];
  return [
    ...(hasUnavailable ? validateAmount(maxUnavailable, at('maxUnavailable')) : []),
    ...(hasSurge ? validateAmount(maxSurge, at('maxSurge')) : []),
    ...(hasUnavailable && hasSurge ? [fieldInvalid(at('maxSurge'), maxSurge, 'may not be set when maxUnavailable is non-zero')] : []),
    ...(!hasUnavailable && !hasSurge ? [unlimited(maxUnavailable)] : []),
  ];
}

/** Validates the type: each has a limit that it cannot have. */
function validateType({ rollingUpdateType, maxUnavailable, maxSurge }: JsonObject, version: DaemonSetVersion): readonly FieldError[] {
  // Another type than string is reported by the shape.
  if (typeof rollingUpdateType !== 'string' || rollingUpdateType === '') return [];
  const supported = rollingUpdateTypes[version];
  if (!supported.includes(rollingUpdateType)) return [fieldNotSupported(at('rollingUpdateType'), rollingUpdateType, supported)];
  if (rollingUpdateType === 'InPlaceIfPossible' && !countsAsZero(maxSurge))
    return [fieldRequired(at('maxSurge'), 'must be 0 for InPlaceIfPossible type')];
  return rollingUpdateType === 'Surging' && !countsAsZero(maxUnavailable)
    ? [fieldRequired(at('maxUnavailable'), 'must be 0 for Surging type')]
    : [];
}

const validateSettings = (rolling: JsonObject, version: DaemonSetVersion): readonly FieldError[] => [
  ...validateLimits(rolling),
  ...validateType(rolling, version),
  ...(isUnset(rolling['partition']) ? [] : validateAmount(rolling['partition'], at('partition'))),
];

/** Validates by type. With OnDelete only types are checked: its settings have no effect. */
function validateByType({ type, rollingUpdate }: JsonObject, version: DaemonSetVersion): readonly FieldError[] {
  if (type === 'OnDelete') return [];
  if (type !== 'RollingUpdate') {
    return isUnset(type) || typeof type === 'string'
      ? [fieldNotSupported(strategyPath, type ?? '', ['RollingUpdate', 'OnDelete'])]
      : [fieldTypeInvalid(`${strategyPath}.type`, type, 'must be a string')];
  }
  if (isUnset(rollingUpdate)) return [fieldRequired(rolloutPath)];
  return isJsonObject(rollingUpdate) ? validateSettings(rollingUpdate, version) : [];
}

/**
 * Returns every fault of `spec.updateStrategy`, of any origin and with its defaults or without; an absent type is a fault.
 *
 * @remarks Never throws.
 * @see spec/daemonset.md 4.2
 */
export function validateRollout(spec: JsonObject, version: DaemonSetVersion): readonly FieldError[] {
  const strategy = spec['updateStrategy'];
  if (!isUnset(strategy) && !isJsonObject(strategy)) return [fieldTypeInvalid(strategyPath, strategy, 'must be an object')];
  const members = membersAt(spec, 'updateStrategy');
  return [...faultsBy(shape, members['rollingUpdate'], rolloutPath), ...validateByType(members, version)];
}
