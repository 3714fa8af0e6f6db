/** What containers of a SidecarSet must fulfil beyond the core API's rules. @see spec/sidecarset.md 4.2, 4.3 */
import {
  checkQualifiedName,
  closestText,
  compileRe2,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  isUnset,
  membersAt,
  parseMetadataFieldPath,
  textAt,
  type FieldError,
  type JsonObject,
} from '@kruise/objects';
import { objectsAt } from './members-list.ts';
import { checkResourceExpression, type ExpressionResource } from './resources-expression/resource-expression.ts';

export const podInjectPolicies = ['BeforeAppContainer', 'AfterAppContainer'] as const;
export const sharePolicies = ['enabled', 'disabled'] as const;

/** Returns a hint with the value that was probably meant. */
export function supportedHint(value: unknown, supported: readonly string[]): string {
  const close = typeof value === 'string' ? closestText(value, supported) : undefined;
  const all = supported.map((one) => JSON.stringify(one)).join(', ');
  return `supported values: ${all}${close === undefined ? '' : `; did you mean ${JSON.stringify(close)}?`}`;
}

const isKnown = (value: unknown, known: readonly string[]): boolean => typeof value === 'string' && known.includes(value);

const known = (value: unknown, at: string, what: string, supported: readonly string[]): readonly FieldError[] =>
  isUnset(value) || isKnown(value, supported) ? [] : [fieldInvalid(at, value, `unsupported ${what}; ${supportedHint(value, supported)}`)];

/** Rule 17, only for containers; init containers are accepted unchanged. */
const validatePolicies = (container: JsonObject, path: string): readonly FieldError[] => [
  ...known(container['podInjectPolicy'], fieldPath(path, 'podInjectPolicy'), 'pod inject policy', podInjectPolicies),
  ...known(membersAt(container, 'shareVolumePolicy')['type'], fieldPath(path, 'shareVolumePolicy'), 'share volume policy', sharePolicies),
];

/** Rule 18. */
const validateTransferEnv = (container: JsonObject, path: string): readonly FieldError[] =>
  objectsAt(container, 'transferEnv').flatMap(([transfer, i]) => {
    const reference = membersAt(transfer, 'sourceContainerNameFrom')['fieldRef'];
    const at = fieldPath(path, 'transferEnv', i, 'sourceContainerNameFrom', 'fieldRef');
    return isUnset(reference) ? [] : validateFieldRef(membersAt(membersAt(transfer, 'sourceContainerNameFrom'), 'fieldRef'), at);
  });

function validateFieldRef(reference: JsonObject, path: string): readonly FieldError[] {
  const version = textAt(reference, 'apiVersion');
  const versionFaults = version === 'v1' || version === '' ? [] : [fieldInvalid(fieldPath(path, 'apiVersion'), version, 'must be v1')];
  return [...versionFaults, ...validateFieldPath(textAt(reference, 'fieldPath'), fieldPath(path, 'fieldPath'))];
}

function validateFieldPath(text: string, path: string): readonly FieldError[] {
  if (text === '') return [fieldRequired(path)];
  const parsed = parseMetadataFieldPath(text);
  if (parsed === undefined)
    return [fieldInvalid(path, text, "unsupported field path: must be metadata.labels['<key>'] or metadata.annotations['<key>']")];
  const key = parsed.from === 'annotations' ? parsed.key.toLowerCase() : parsed.key;
  return checkQualifiedName(key).map((why) => fieldInvalid(path, text, why));
}

const hasMembers = (holder: JsonObject, name: string): boolean => Object.keys(membersAt(holder, name)).length > 0;

const hasResources = (container: JsonObject): boolean =>
  ['limits', 'requests'].some((side) => hasMembers(membersAt(container, 'resources'), side));

/** Rule 19, except for the content of the expressions. */
function validateResourcesPolicy(container: JsonObject, path: string): readonly FieldError[] {
  if (isUnset(container['resourcesPolicy'])) return [];
  if (hasResources(container)) return [fieldForbidden(path, 'resourcesPolicy and resources cannot be configured together')];
  const policy = membersAt(container, 'resourcesPolicy');
  const { limits, requests } = membersAt(policy, 'resourcesExpr');
  const isEmpty = isUnset(limits) && isUnset(requests);
  return [
    ...validateNameRegex(policy, path),
    ...(isEmpty ? [fieldRequired(fieldPath(path, 'resourcesExpr'), 'at least one of limits or requests must be configured')] : []),
  ];
}

function validateNameRegex(policy: JsonObject, path: string): readonly FieldError[] {
  const at = fieldPath(path, 'targetContainersNameRegex');
  const regex = policy['targetContainersNameRegex'];
  if (isUnset(regex)) return [];
  if (typeof regex !== 'string') return [fieldInvalid(at, regex, 'must be a string')];
  const compiled = compileRe2(regex);
  return compiled.kind === 'Illegal' ? [fieldInvalid(at, regex, `invalid regex pattern: ${compiled.why}`)] : [];
}

/** Validates a given expression. An empty one matches every name, for which the field should be absent. @param path of the container */
export function validateGivenRegex(container: JsonObject, path: string): readonly FieldError[] {
  if (isUnset(container['resourcesPolicy']) || membersAt(container, 'resourcesPolicy')['targetContainersNameRegex'] !== '') return [];
  return [fieldRequired(fieldPath(path, 'resourcesPolicy', 'targetContainersNameRegex'), 'invalid empty regex')];
}

/** Where an expression is and for which resource; empty ones are omitted. */
export interface ExpressionPlace {
  readonly text: string;
  readonly resource: ExpressionResource;
  readonly path: string;
}

/** Returns the expressions of a policy. @param path of the policy */
export const expressionsOf = (policy: JsonObject, path: string): readonly ExpressionPlace[] =>
  (['limits', 'requests'] as const).flatMap((side) =>
    (['cpu', 'memory'] as const).flatMap((resource) => {
      const text = textAt(membersAt(membersAt(policy, 'resourcesExpr'), side), resource);
      return text === '' ? [] : [{ text, resource, path: fieldPath(path, 'resourcesExpr', side, resource) }];
    }),
  );

/** Returns the faults of expressions that no Pod could satisfy. @param path of the container */
export function validateExpressions(container: JsonObject, path: string): readonly FieldError[] {
  if (hasResources(container)) return [];
  return expressionsOf(membersAt(container, 'resourcesPolicy'), fieldPath(path, 'resourcesPolicy')).flatMap(
    ({ text, resource, path: at }) => {
      const check = checkResourceExpression(text, resource);
      return check.kind === 'Unusable' ? [fieldInvalid(at, text, `invalid expression: ${check.why}`)] : [];
    },
  );
}

/** Containers get `-1` and `-2` after their name, which is a DNS label. */
const maxTwinName = 61;

/**
 * Returns faults of hot upgrades: an idle container that could not be distinguished from an active one, or has no image at all; twins without a valid
 * name.
 */
export function validateHotUpgrade(container: JsonObject, path: string): readonly FieldError[] {
  const strategy = membersAt(container, 'upgradeStrategy');
  const at = fieldPath(path, 'upgradeStrategy', 'hotUpgradeEmptyImage');
  if (strategy['upgradeType'] !== 'HotUpgrade') return [];
  const name = textAt(container, 'name');
  if (name.length > maxTwinName)
    return [fieldInvalid(fieldPath(path, 'name'), name, `must be no more than ${String(maxTwinName)} characters with HotUpgrade`)];
  const empty = textAt(strategy, 'hotUpgradeEmptyImage');
  if (empty === '') return [fieldRequired(at, 'HotUpgrade needs an image for the container that idles')];
  return empty === textAt(container, 'image') ? [fieldInvalid(at, empty, 'must be another image than that of the container')] : [];
}

/** Part of rule 20: newer servers support more, but the user that injects containers does not choose the server of each Pod. */
function validateRestartPolicy(container: JsonObject, path: string, isInit: boolean): readonly FieldError[] {
  const policy = container['restartPolicy'];
  const at = fieldPath(path, 'restartPolicy');
  if (isUnset(policy) || (isInit && policy === 'Always')) return [];
  return [isInit ? fieldNotSupported(at, policy, ['Always']) : fieldForbidden(at, 'may not be set for non-init containers')];
}

const neededRestartPolicy = 'resourcesPolicy is only supported for containers with RestartPolicy Always';

/** Rules 17 to 19 for every container, rule 19 for init containers as well; restart policies of all. */
export const validateSidecarContainers = (spec: JsonObject): readonly FieldError[] => [
  ...objectsAt(spec, 'containers').flatMap(([container, i]) => {
    const path = fieldPath('spec', 'containers', i);
    return [
      ...validateRestartPolicy(container, path, false),
      ...validatePolicies(container, path),
      ...validateTransferEnv(container, path),
      ...validateResourcesPolicy(container, fieldPath(path, 'resourcesPolicy')),
    ];
  }),
  ...objectsAt(spec, 'initContainers').flatMap(([container, i]) => {
    const path = fieldPath('spec', 'initContainers', i);
    const policyPath = fieldPath(path, 'resourcesPolicy');
    const isRefused = !isUnset(container['resourcesPolicy']) && container['restartPolicy'] !== 'Always';
    return [
      ...validateRestartPolicy(container, path, true),
      ...(isRefused ? [fieldForbidden(policyPath, neededRestartPolicy)] : []),
      ...validateResourcesPolicy(container, policyPath),
    ];
  }),
];
