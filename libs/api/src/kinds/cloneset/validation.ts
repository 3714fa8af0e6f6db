/** What a CloneSet of either version must fulfil to be stored. @see spec/cloneset.md 4.3 */
import {
  checkDns1123Label,
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldPath,
  fieldRequired,
  fieldTypeInvalid,
  isJsonObject,
  isUnset,
  membersAt,
  mostListedErrors,
  semanticEqual,
  type FieldError,
  type JsonObject,
} from '@kruise/objects';
import { validatePodTemplate } from '../../pod-template/validation/pod-template.ts';
import type { CloneSetVersion } from './defaults.ts';
import { rolloutOf } from './validation-rollout.ts';
import { newestKubernetes } from '../../pod-template/validation/checks/check.ts';
import { obstacleBesideImages } from '../../pod-template/images-only.ts';
import { claimSpec } from '../../pod-template/validation/volumes/claim-spec.ts';
import { podFactsOf } from '../../pod-template/validation/checks/pod-facts.ts';

/** What the rules for a CloneSet depend on besides the object. */
export interface CloneSetValidation {
  readonly version: CloneSetVersion;
  readonly allowPrivileged: boolean;
  /** Gate `DefaultHostNetworkHostPortsInPodTemplates`. */
  readonly hostNetworkHostPorts: boolean;
  /** The stored object in the same version: stored claim templates are not validated again. Undefined on create. */
  readonly oldObject?: JsonObject | undefined;
  /** Minor version of the API server: 34 for Kubernetes 1.34; the newest when absent. */
  readonly kubernetes?: number | undefined;
}

const maxInt32 = 2147483647;

/** Validates the templates of Pods and claims. */
export function validateTemplate(
  spec: JsonObject,
  { allowPrivileged, hostNetworkHostPorts, kubernetes, oldObject }: CloneSetValidation,
): readonly FieldError[] {
  const template = spec['template'];
  const claims = claimNames(spec['volumeClaimTemplates']);
  const areStored =
    oldObject !== undefined && semanticEqual(spec['volumeClaimTemplates'], membersAt(oldObject, 'spec')['volumeClaimTemplates']);
  const podSpec = membersAt(membersAt(spec, 'template'), 'spec');
  const path = 'spec.template.spec';
  return [
    ...validatePodTemplate(template, 'spec.template', { allowPrivileged, hostNetworkHostPorts, kubernetes, claimVolumes: claims.names }),
    ...(areStored ? [] : claims.faults),
    ...(podSpec['restartPolicy'] === 'Never' || podSpec['restartPolicy'] === 'OnFailure'
      ? [fieldInvalid(`${path}.restartPolicy`, podSpec['restartPolicy'], 'must be Always, for Pods of a CloneSet run on')]
      : []),
    ...(isUnset(podSpec['activeDeadlineSeconds'])
      ? []
      : [fieldForbidden(`${path}.activeDeadlineSeconds`, 'activeDeadlineSeconds in a CloneSet is not supported')]),
  ];
}

/** Returns the names of the volumes that the claim templates add. */
function claimNames(templates: unknown): { readonly names: readonly string[]; readonly faults: readonly FieldError[] } {
  const path = 'spec.volumeClaimTemplates';
  if (isUnset(templates)) return { names: [], faults: [] };
  if (!Array.isArray(templates)) return { names: [], faults: [fieldTypeInvalid(path, templates, 'must be a list')] };
  const names = new Set<string>();
  const faults: FieldError[] = [];
  const run = { faults, allowPrivileged: true, kubernetes: newestKubernetes, pod: podFactsOf({}, []) };
  templates.forEach((template: unknown, i) => {
    const name = isJsonObject(template) ? membersAt(template, 'metadata')['name'] : undefined;
    if (faults.length <= mostListedErrors) {
      faults.push(...claimNameFaults(template, name, names, fieldPath(path, i)));
      if (isJsonObject(template)) claimSpec(template['spec'] ?? {}, fieldPath(path, i, 'spec'), run);
    }
    if (typeof name === 'string' && name !== '') names.add(name);
  });
  return { names: [...names], faults };
}

function claimNameFaults(template: unknown, name: unknown, others: ReadonlySet<string>, path: string): readonly FieldError[] {
  const at = fieldPath(path, 'metadata', 'name');
  if (!isJsonObject(template)) return [fieldTypeInvalid(path, template, 'must be an object')];
  if (isUnset(name) || name === '') return [fieldRequired(at)];
  if (typeof name !== 'string') return [fieldTypeInvalid(at, name, 'must be a string')];
  return volumeNameFaults(name, others, at);
}

/** Returns the faults of the name as that of a volume, because the claim's volume in Pods has this name, too. */
const volumeNameFaults = (name: string, others: ReadonlySet<string>, at: string): readonly FieldError[] => [
  ...checkDns1123Label(name).map((why) => fieldInvalid(at, name, why)),
  ...(others.has(name) ? [fieldDuplicate(at, name)] : []),
];

/** Validates the names of Pods to delete. */
export function validatePodsToDelete(spec: JsonObject): readonly FieldError[] {
  const scale = spec['scaleStrategy'];
  if (!isUnset(scale) && !isJsonObject(scale)) return [fieldTypeInvalid('spec.scaleStrategy', scale, 'must be an object')];
  const path = 'spec.scaleStrategy.podsToDelete';
  const names = membersAt(spec, 'scaleStrategy')['podsToDelete'];
  if (isUnset(names)) return [];
  if (!Array.isArray(names)) return [fieldTypeInvalid(path, names, 'must be a list')];
  const seen = new Set<unknown>();
  return names.flatMap((name: unknown, i) => {
    if (typeof name !== 'string') return [fieldTypeInvalid(fieldPath(path, i), name, 'must be a string')];
    if (seen.has(name)) return [fieldDuplicate(fieldPath(path, i), name)];
    seen.add(name);
    return [];
  });
}

/** Validates the deadline. 2147483647 means none. In v1beta1 any deadline is stored, as in the original; see `warnings.ts`. */
export function validateDeadline(spec: JsonObject, version: CloneSetVersion): readonly FieldError[] {
  const path = 'spec.progressDeadlineSeconds';
  const deadline = spec['progressDeadlineSeconds'];
  if (isUnset(deadline)) return [];
  if (!Number.isInteger(deadline)) return [fieldTypeInvalid(path, deadline, 'must be an integer')];
  const seconds = deadline as number;
  const minReady = typeof spec['minReadySeconds'] === 'number' ? spec['minReadySeconds'] : 0;
  if (seconds < 0) return [fieldInvalid(path, seconds, 'must be greater than or equal to 0')];
  return version === 'v1beta1' || seconds === maxInt32 || seconds > minReady
    ? []
    : [fieldInvalid(path, seconds, 'must be greater than minReadySeconds')];
}

const mutable =
  "'replicas', 'template', 'lifecycle', 'scaleStrategy', 'updateStrategy', 'minReadySeconds', 'progressDeadlineSeconds', 'volumeClaimTemplates' and 'revisionHistoryLimit'";

/** Returns what an update must not do, in addition to `validateCloneSet` of the new object. Both objects have the same version. */
export function validateCloneSetUpdate(object: JsonObject, oldObject: JsonObject, version: CloneSetVersion): readonly FieldError[] {
  const [spec, oldSpec] = [membersAt(object, 'spec'), membersAt(oldObject, 'spec')];
  const immutable = semanticEqual(spec['selector'], oldSpec['selector'])
    ? []
    : [fieldForbidden('spec', `updates to cloneset spec for fields other than ${mutable} are forbidden: selector was changed`)];
  const found = version === 'v1alpha1' ? inPlaceObstacle(spec, oldSpec, version) : undefined;
  return found === undefined
    ? immutable
    : [...immutable, fieldForbidden('spec', `only allowed to update images in spec for InPlaceOnly, but found ${found}`)];
}

/**
 * Returns the first change of the template's spec that no in-place update can apply to Pods, as `OP PATH`; undefined when there is none, or when the
 * update policy is not InPlaceOnly.
 */
export function inPlaceObstacle(spec: JsonObject, oldSpec: JsonObject, version: CloneSetVersion): string | undefined {
  if (rolloutOf(spec, version).policy !== 'InPlaceOnly') return undefined;
  return obstacleBesideImages(spec, oldSpec, ['image']);
}
