/**
 * CloneSet v1alpha1 -> v1beta1 (spec/cloneset.md 1.1), for CloneSets themselves and for the templates in UnitedDeployments.
 *
 * v1alpha1 has the rollout's settings beside `updateStrategy.type`, v1beta1 has them below `updateStrategy.rollingUpdate`. Three settings of the
 * image pre-download are annotations in v1alpha1 and one of scaling is a label. Labels and annotations stay on the object.
 */
import { changeMember, isJsonObject, membersAt, metadataValue, parseInt32, withMembers, type JsonObject } from '@kruise/objects';
import { podUpdatePolicies } from '../../schema/cloneset-spec.ts';
import { annotations } from '../../well-known.ts';
import { cloneSetLabels } from './names.ts';
import { split } from '../../conversion/converter.ts';
import { mapMember } from '../../members/nested-members.ts';

/** The rollout's settings with the same name and meaning on both levels. */
const rolloutSettings = ['partition', 'maxUnavailable', 'maxSurge', 'paused', 'priorityStrategy', 'scatterStrategy'];

/** Returns whether a value is one of the ways to update a Pod; '' and unknown ones mean ReCreate. */
export const isPodUpdatePolicy = (value: unknown): boolean => podUpdatePolicies.some((policy) => policy === value);

/**
 * Converts the flat update strategy of v1alpha1 to the nested form of v1beta1, without the annotations. An unknown or absent type means ReCreate, or
 * the value of a nested strategy beside it. With OnDelete the rollout's settings are lost, because they have no effect in v1beta1.
 */
function nestUpdateStrategy(flat: JsonObject): JsonObject {
  const { picked, rest } = split(flat, ['type', 'inPlaceUpdateStrategy', ...rolloutSettings]);
  if (picked['type'] === 'OnDelete') return { ...rest, type: 'OnDelete' };
  const { type, ...settings } = picked;
  const nested = membersAt(rest, 'rollingUpdate');
  const policy = isPodUpdatePolicy(type) ? type : (nested['podUpdatePolicy'] ?? 'ReCreate');
  return { ...rest, type: 'RollingUpdate', rollingUpdate: { ...nested, ...settings, podUpdatePolicy: policy } };
}

/** Returns whether a CloneSet's `spec` has members of v1alpha1 that v1beta1 lacks. */
function hasAlphaMembers(spec: JsonObject): boolean {
  const strategy = membersAt(spec, 'updateStrategy');
  return (
    isPodUpdatePolicy(strategy['type']) ||
    ['inPlaceUpdateStrategy', ...rolloutSettings].some((name) => strategy[name] !== undefined && strategy[name] !== null) ||
    membersAt(spec, 'scaleStrategy')['disablePVCReuse'] !== undefined
  );
}

const without = (members: JsonObject, ...unsaid: readonly (readonly [name: string, isUnsaid: (value: unknown) => boolean])[]): JsonObject =>
  withMembers(members, Object.fromEntries(unsaid.filter(([name, isUnsaid]) => isUnsaid(members[name])).map(([name]) => [name, undefined])));

/** Removes members of v1alpha1 that equal their absence, and that the original omits when it stores them. */
const withoutUnsaid = (template: JsonObject): JsonObject =>
  mapMember(template, 'spec', (spec) =>
    mapMember(
      mapMember(spec, 'updateStrategy', (strategy) =>
        without(
          strategy,
          ['paused', (value) => value === false],
          ['scatterStrategy', (value) => Array.isArray(value) && value.length === 0],
        ),
      ),
      'scaleStrategy',
      (strategy) => without(strategy, ['disablePVCReuse', (value) => value === false || value === null]),
    ),
  );

/**
 * Returns a CloneSet template (`{metadata, spec}`) of a UnitedDeployment in the form of v1beta1. One with members of v1alpha1 is converted as a
 * v1alpha1 CloneSet is, where settings beside `rollingUpdate` take precedence over those in it; any other is returned unchanged. Members of v1alpha1
 * that equal their absence are ignored: otherwise writing them would change the template, and roll every Pod.
 * @see spec/uniteddeployment.md 1, compatibility note
 */
export function normalizeCloneSetTemplate(template: JsonObject): JsonObject {
  const said = withoutUnsaid(template);
  return hasAlphaMembers(membersAt(said, 'spec')) ? hubCloneSet(said) : said;
}

/** The members below `inPlaceUpdateStrategy` that are annotations in v1alpha1. */
export const preDownloadMembers = ['imagePreDownloadParallelism', 'imagePreDownloadTimeoutSeconds', 'imagePreDownloadMinUpdatedReadyPods'];

/** Returns the pre-download settings in the annotations of a v1alpha1 object; undefined when none of them has a value. */
export function preDownloadFromAnnotations(object: JsonObject): JsonObject | undefined {
  const [parallelism, timeout, minUpdatedReady] = [
    annotations.preDownloadParallelism,
    annotations.preDownloadTimeoutSeconds,
    annotations.preDownloadMinUpdatedReadyPods,
  ].map((annotation) => metadataValue(object, 'annotations', annotation) ?? '');
  if (!parallelism && !timeout && !minUpdatedReady) return undefined;
  return withMembers(
    {},
    {
      imagePreDownloadParallelism: parallelism ? intOrText(parallelism) : undefined,
      imagePreDownloadTimeoutSeconds: timeout ? parseInt32(timeout) : undefined,
      imagePreDownloadMinUpdatedReadyPods: minUpdatedReady ? parseInt32(minUpdatedReady) : undefined,
    },
  );
}

const intOrText = (text: string): number | string => (/^\d+$/.test(text) ? (parseInt32(text) ?? text) : text);

/** Returns `inPlaceUpdateStrategy` for the hub: v1alpha1 ignores its own pre-download members, and the annotations count. */
function hubInPlaceUpdateStrategy(object: JsonObject, alpha: unknown): unknown {
  const fromAnnotations = preDownloadFromAnnotations(object);
  if (isJsonObject(alpha)) return { ...split(alpha, preDownloadMembers).rest, ...fromAnnotations };
  return alpha ?? fromAnnotations;
}

/** Converts a CloneSet, or an object with its metadata and spec, from v1alpha1 to v1beta1; `apiVersion` is unchanged. */
export function hubCloneSet(object: JsonObject): JsonObject {
  if (!isJsonObject(object['spec'])) return object;
  const excluded = metadataValue(object, 'labels', cloneSetLabels.scalingExcludePreparingDelete) === 'true';
  return changeMember(object, 'spec', (spec) => {
    const scaled = changeMember(spec, 'scaleStrategy', ({ disablePVCReuse, ...scale }) => ({
      ...scale,
      enablePVCReuse: disablePVCReuse !== true,
      ...(excluded ? { excludePreparingDelete: true } : {}),
    }));
    return changeMember(scaled, 'updateStrategy', (flat) => hubUpdateStrategy(object, flat));
  });
}

function hubUpdateStrategy(object: JsonObject, flat: JsonObject): JsonObject {
  const nested = nestUpdateStrategy(flat);
  if (nested['type'] === 'OnDelete') return nested;
  return changeMember(nested, 'rollingUpdate', (rolling) =>
    withMembers(rolling, { inPlaceUpdateStrategy: hubInPlaceUpdateStrategy(object, rolling['inPlaceUpdateStrategy']) }),
  );
}
