/** What a DaemonSet of either version must fulfil to be stored. @see spec/daemonset.md 4.2 */
import {
  fieldForbidden,
  fieldNotSupported,
  fieldTypeInvalid,
  isUnset,
  membersAt,
  parseIntOrPercent,
  semanticEqual,
  type FieldError,
  type JsonObject,
} from '@kruise/objects';
import { atLeast, bool, objectOf, textList, textMap } from '../../pod-template/validation/checks/check.ts';
import { validatePodTemplate, type PodTemplateOptions } from '../../pod-template/validation/pod-template.ts';
import type { DaemonSetVersion } from './defaults.ts';

/** What the rules for a DaemonSet depend on besides the object. */
export interface DaemonSetValidation extends Omit<PodTemplateOptions, 'claimVolumes'> {
  /** Version of the object: only v1alpha1 has the type `Surging`. */
  readonly version: DaemonSetVersion;
  /** The stored object; absent on create. */
  readonly oldObject?: JsonObject | undefined;
}

const hook = objectOf({ finalizersHandler: textList, labelsHandler: textMap, markPodNotReady: bool });

/** The types of the members that only a DaemonSet has. */
export const shape = objectOf({
  lifecycle: objectOf({ inPlaceUpdate: hook, preDelete: hook, preNormal: hook }),
  minReadySeconds: atLeast(0),
  revisionHistoryLimit: atLeast(0),
  scaleStrategy: objectOf({ partitionedScaling: bool }),
});

/** Validates the template: Pods of a daemon run indefinitely. A policy that no Pod may have is reported with the template. */
export function validateTemplate(spec: JsonObject, options: DaemonSetValidation): readonly FieldError[] {
  const { restartPolicy, activeDeadlineSeconds } = membersAt(membersAt(spec, 'template'), 'spec');
  const path = 'spec.template.spec';
  return [
    ...validatePodTemplate(spec['template'], 'spec.template', { ...options, claimVolumes: [] }),
    ...(restartPolicy === 'Never' || restartPolicy === 'OnFailure'
      ? [fieldNotSupported(`${path}.restartPolicy`, restartPolicy, ['Always'])]
      : []),
    ...(isUnset(activeDeadlineSeconds)
      ? []
      : [fieldForbidden(`${path}.activeDeadlineSeconds`, 'activeDeadlineSeconds in DaemonSet is not Supported')]),
  ];
}

/** Validates the burst: any number and any text is accepted, because an unreadable one counts as 0. */
export function validateBurst(value: unknown): readonly FieldError[] {
  if (isUnset(value) || typeof value === 'string') return [];
  const parsed = parseIntOrPercent(value);
  return parsed.kind === 'Illegal' ? [fieldTypeInvalid('spec.burstReplicas', value, parsed.why)] : [];
}

/** Refuses the hook that a DaemonSet does not have. */
export const validateLifecycle = ({ inPlaceUpdate }: JsonObject): readonly FieldError[] =>
  isUnset(inPlaceUpdate) ? [] : [fieldForbidden('spec.lifecycle.inPlaceUpdate', 'inPlaceUpdate hook is not supported yet')];

const mutable: Readonly<Record<DaemonSetVersion, string>> = {
  v1alpha1: "'burstReplicas', 'template', 'lifecycle', 'updateStrategy', 'minReadySeconds' and 'revisionHistoryLimit'",
  v1beta1: "'burstReplicas', 'template', 'lifecycle', 'updateStrategy', 'scaleStrategy', 'minReadySeconds' and 'revisionHistoryLimit'",
};

/**
 * Returns what an update must not do, in addition to `validateDaemonSet` of the new object.
 *
 * @param object in the version of `oldObject`, the stored one
 * @remarks Never throws. Writing an equivalent value is no change.
 * @see spec/daemonset.md 4.2
 */
export const validateDaemonSetUpdate = (object: JsonObject, oldObject: JsonObject, version: DaemonSetVersion): readonly FieldError[] =>
  // The selector is the only field besides the mutable ones.
  semanticEqual(membersAt(object, 'spec')['selector'], membersAt(oldObject, 'spec')['selector'])
    ? []
    : [fieldForbidden('spec', `updates to daemonset spec for fields other than ${mutable[version]} are forbidden: selector changed`)];
