/**
 * CloneSet v1alpha1 <-> v1beta1 (spec/cloneset.md 1.1); cloneset-to-hub.ts converts to v1beta1. Labels and annotations stay on the object in both
 * directions; in v1alpha1 those are added for which it lacks a member.
 */
import { changeMember, isJsonObject, membersAt, withMembers, withMetadataValues, type JsonObject } from '@kruise/objects';
import { hubCloneSet, isPodUpdatePolicy, preDownloadFromAnnotations, preDownloadMembers } from './cloneset-to-hub.ts';
import { converted, split, type Conversion, type Converter } from '../../conversion/converter.ts';
import { annotations } from '../../well-known.ts';
import { cloneSetLabels } from './names.ts';

function flattenUpdateStrategy(nested: JsonObject): JsonObject {
  const { type, rollingUpdate, ...rest } = nested;
  if (rollingUpdate !== undefined && rollingUpdate !== null && !isJsonObject(rollingUpdate)) return nested;
  const { podUpdatePolicy, inPlaceUpdateStrategy, ...settings } = membersAt(nested, 'rollingUpdate');
  const inPlace = isJsonObject(inPlaceUpdateStrategy) ? flatInPlaceUpdateStrategy(inPlaceUpdateStrategy) : inPlaceUpdateStrategy;
  return {
    ...rest,
    ...settings,
    type: type === 'OnDelete' ? 'OnDelete' : isPodUpdatePolicy(podUpdatePolicy) ? podUpdatePolicy : 'ReCreate',
    ...(inPlace === undefined || inPlace === null ? {} : { inPlaceUpdateStrategy: inPlace }),
  };
}

/** Returns the strategy without the pre-download members, which become annotations; absent when nothing is set in it. */
function flatInPlaceUpdateStrategy(hub: JsonObject): JsonObject | undefined {
  const { picked, rest } = split(hub, preDownloadMembers);
  const zero = Object.entries(rest).every(([name, value]) => name === 'gracePeriodSeconds' && (value === 0 || value === null));
  if (zero) return Object.keys(picked).length === 0 ? undefined : {};
  return rest;
}

/** Returns the annotations to set in v1alpha1 for the hub's members below `inPlaceUpdateStrategy`; those with the same meaning are left unchanged. */
function preDownloadAnnotations(hub: JsonObject, inPlaceUpdateStrategy: JsonObject): Readonly<Record<string, string>> {
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

function fromHub(object: JsonObject): Conversion {
  const spec = object['spec'];
  if (!isJsonObject(spec)) return converted(object);
  const scaled = changeMember(spec, 'scaleStrategy', ({ enablePVCReuse, excludePreparingDelete: _label, ...scale }) => ({
    ...scale,
    ...(enablePVCReuse === true ? {} : { disablePVCReuse: true }),
  }));
  const flat = withMembers(object, { spec: changeMember(scaled, 'updateStrategy', flattenUpdateStrategy) });
  const excluded = membersAt(spec, 'scaleStrategy')['excludePreparingDelete'] === true;
  const labelled = withMetadataValues(flat, 'labels', excluded ? { [cloneSetLabels.scalingExcludePreparingDelete]: 'true' } : {});
  const rolling = membersAt(membersAt(spec, 'updateStrategy'), 'rollingUpdate');
  return converted(
    withMetadataValues(labelled, 'annotations', preDownloadAnnotations(object, membersAt(rolling, 'inPlaceUpdateStrategy'))),
  );
}

/** Converts CloneSets between v1alpha1 and v1beta1; pure, never writes to its input. @see spec/manager.md 4.8 */
export const converter: Converter = {
  group: 'apps.kruise.io',
  kind: 'CloneSet',
  toHub: (object) => converted(hubCloneSet(object)),
  fromHub,
};
