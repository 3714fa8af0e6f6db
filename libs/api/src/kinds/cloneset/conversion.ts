/**
 * CloneSet v1alpha1 <-> v1beta1 (spec/cloneset.md 1.1).
 *
 * v1alpha1 has the rollout's settings beside `updateStrategy.type`, v1beta1 has them below `updateStrategy.rollingUpdate`; three settings of
 * the image pre-download are annotations in v1alpha1 and one of scaling is a label. Labels and annotations stay on the object both ways.
 */
import {
  changeMember,
  converted,
  membersAt,
  metadataValue,
  parseInt32,
  split,
  withMembers,
  withMetadataValues,
  isMembers,
  type Conversion,
  type Converter,
  type Members,
} from '../../conversion/converter.ts';
import { annotations, labels } from '../../well-known.ts';
import { podUpdatePolicies } from './schema.ts';

/** The rollout's settings that have the same name and meaning on both levels. */
const rolloutSettings = ['partition', 'maxUnavailable', 'maxSurge', 'paused', 'priorityStrategy', 'scatterStrategy'];

const isPodUpdatePolicy = (value: unknown): boolean => podUpdatePolicies.some((policy) => policy === value);

/**
 * The flat update strategy of v1alpha1 in the nested form of v1beta1, without what annotations say.
 * An unknown or absent type means ReCreate, or what a nested strategy beside it says. With OnDelete the rollout's settings are lost, as v1beta1 gives them no effect there.
 */
function nestUpdateStrategy(flat: Members): Members {
  const { picked, rest } = split(flat, ['type', 'inPlaceUpdateStrategy', ...rolloutSettings]);
  if (picked['type'] === 'OnDelete') return { ...rest, type: 'OnDelete' };
  const { type, ...settings } = picked;
  const nested = membersAt(rest, 'rollingUpdate');
  const policy = isPodUpdatePolicy(type) ? type : (nested['podUpdatePolicy'] ?? 'ReCreate');
  return { ...rest, type: 'RollingUpdate', rollingUpdate: { ...nested, ...settings, podUpdatePolicy: policy } };
}

/** Whether a CloneSet's `spec` has members of v1alpha1 that v1beta1 does not have. */
function hasAlphaMembers(spec: Members): boolean {
  const strategy = membersAt(spec, 'updateStrategy');
  return (
    isPodUpdatePolicy(strategy['type']) ||
    ['inPlaceUpdateStrategy', ...rolloutSettings].some((name) => strategy[name] !== undefined && strategy[name] !== null) ||
    membersAt(spec, 'scaleStrategy')['disablePVCReuse'] !== undefined
  );
}

/**
 * A CloneSet template (`{metadata, spec}`) of a UnitedDeployment in the form of v1beta1. One that has members of v1alpha1 is converted as a
 * v1alpha1 CloneSet is, where settings beside `rollingUpdate` win over those in it; any other is returned as it is.
 * @see spec/uniteddeployment.md 1, compatibility note
 */
export function normalizeCloneSetTemplate(template: Members): Members {
  return hasAlphaMembers(membersAt(template, 'spec')) ? hubCloneSet(template) : template;
}

const preDownloadMembers = ['imagePreDownloadParallelism', 'imagePreDownloadTimeoutSeconds', 'imagePreDownloadMinUpdatedReadyPods'];

/** The pre-download settings that the annotations of a v1alpha1 object give; undefined when none of them has a value. */
function preDownloadFromAnnotations(object: Members): Members | undefined {
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

/** `inPlaceUpdateStrategy` for the hub: v1alpha1 ignores its own pre-download members, the annotations count. */
function hubInPlaceUpdateStrategy(object: Members, alpha: unknown): unknown {
  const fromAnnotations = preDownloadFromAnnotations(object);
  if (isMembers(alpha)) return { ...split(alpha, preDownloadMembers).rest, ...fromAnnotations };
  return alpha ?? fromAnnotations;
}

function hubCloneSet(object: Members): Members {
  if (!isMembers(object['spec'])) return object;
  const excluded = metadataValue(object, 'labels', labels.cloneSetScalingExcludePreparingDelete) === 'true';
  return changeMember(object, 'spec', (spec) => {
    const scaled = changeMember(spec, 'scaleStrategy', ({ disablePVCReuse, ...scale }) => ({
      ...scale,
      enablePVCReuse: disablePVCReuse !== true,
      ...(excluded ? { excludePreparingDelete: true } : {}),
    }));
    return changeMember(scaled, 'updateStrategy', (flat) => hubUpdateStrategy(object, flat));
  });
}

function hubUpdateStrategy(object: Members, flat: Members): Members {
  const nested = nestUpdateStrategy(flat);
  if (nested['type'] === 'OnDelete') return nested;
  return changeMember(nested, 'rollingUpdate', (rolling) =>
    withMembers(rolling, { inPlaceUpdateStrategy: hubInPlaceUpdateStrategy(object, rolling['inPlaceUpdateStrategy']) }),
  );
}

function flattenUpdateStrategy(nested: Members): Members {
  const { type, rollingUpdate, ...rest } = nested;
  if (rollingUpdate !== undefined && rollingUpdate !== null && !isMembers(rollingUpdate)) return nested;
  const { podUpdatePolicy, inPlaceUpdateStrategy, ...settings } = membersAt(nested, 'rollingUpdate');
  const inPlace = isMembers(inPlaceUpdateStrategy) ? flatInPlaceUpdateStrategy(inPlaceUpdateStrategy) : inPlaceUpdateStrategy;
  return {
    ...rest,
    ...settings,
    type: type === 'OnDelete' ? 'OnDelete' : isPodUpdatePolicy(podUpdatePolicy) ? podUpdatePolicy : 'ReCreate',
    ...(inPlace === undefined || inPlace === null ? {} : { inPlaceUpdateStrategy: inPlace }),
  };
}

/** Without the pre-download members, which go to annotations; absent when nothing is set in it. */
function flatInPlaceUpdateStrategy(hub: Members): Members | undefined {
  const { picked, rest } = split(hub, preDownloadMembers);
  const zero = Object.entries(rest).every(([name, value]) => name === 'gracePeriodSeconds' && (value === 0 || value === null));
  if (zero) return Object.keys(picked).length === 0 ? undefined : {};
  return rest;
}

/** The annotations to set in v1alpha1 for what the hub has below `inPlaceUpdateStrategy`; those that say so already are left as they are. */
function preDownloadAnnotations(hub: Members, inPlaceUpdateStrategy: Members): Readonly<Record<string, string>> {
  const said = preDownloadFromAnnotations(hub) ?? {};
  const settings = [
    ['imagePreDownloadParallelism', annotations.preDownloadParallelism],
    ['imagePreDownloadTimeoutSeconds', annotations.preDownloadTimeoutSeconds],
    ['imagePreDownloadMinUpdatedReadyPods', annotations.preDownloadMinUpdatedReadyPods],
  ] as const;
  return Object.fromEntries(
    settings.flatMap(([member, annotation]) => {
      const value = inPlaceUpdateStrategy[member];
      return (typeof value === 'number' || typeof value === 'string') && value !== said[member] ? [[annotation, String(value)]] : [];
    }),
  );
}

function fromHub(object: Members): Conversion {
  const spec = object['spec'];
  if (!isMembers(spec)) return converted(object);
  const scaled = changeMember(spec, 'scaleStrategy', ({ enablePVCReuse, excludePreparingDelete: _label, ...scale }) => ({
    ...scale,
    ...(enablePVCReuse === true ? {} : { disablePVCReuse: true }),
  }));
  const flat = withMembers(object, { spec: changeMember(scaled, 'updateStrategy', flattenUpdateStrategy) });
  const excluded = membersAt(spec, 'scaleStrategy')['excludePreparingDelete'] === true;
  const labelled = withMetadataValues(flat, 'labels', excluded ? { [labels.cloneSetScalingExcludePreparingDelete]: 'true' } : {});
  const rolling = membersAt(membersAt(spec, 'updateStrategy'), 'rollingUpdate');
  return converted(
    withMetadataValues(labelled, 'annotations', preDownloadAnnotations(object, membersAt(rolling, 'inPlaceUpdateStrategy'))),
  );
}

export const converter: Converter = {
  group: 'apps.kruise.io',
  kind: 'CloneSet',
  toHub: (object) => converted(hubCloneSet(object)),
  fromHub,
};
