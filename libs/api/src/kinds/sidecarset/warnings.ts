/** Warnings about a SidecarSet that is allowed but probably a mistake: shown to the user, never refused. */
import { isNonZero } from '../../validation/workload.ts';
import {
  fieldPath,
  formatFieldError,
  isJsonObject,
  isUnset,
  membersAt,
  metadataValue,
  parseJsonText,
  semanticEqual,
  textAt,
  withMembers,
  type JsonObject,
} from '@kruise/objects';
import { sidecarSetAnnotations } from './names.ts';
import { objectsAt, textsOf } from './members-list.ts';
import { checkResourceExpression } from './resources-expression/resource-expression.ts';
import { storedSidecarSetFaults } from './validation.ts';
import { expressionsOf, podInjectPolicies, sharePolicies, supportedHint } from './validation-containers.ts';

type Warnings = readonly string[];

const patchPolicies = ['Retain', 'Overwrite', 'MergePatchJson'];
const upgradeTypes = ['ColdUpgrade', 'HotUpgrade'];
const updateTypes = ['RollingUpdate', 'NotUpdate'];

/** Warns of an unknown value where the original accepts any. */
const unknown = (value: string, path: string, supported: readonly string[], effect: string): Warnings =>
  value === '' || supported.includes(value)
    ? []
    : [`${path}: ${JSON.stringify(value)} is not known and ${effect}; ${supportedHint(value, supported)}`];

const hasEffect = (value: unknown): boolean => isNonZero(value) && value !== '0%' && value !== '';

function upgradeWarnings(container: JsonObject, path: string, isInit: boolean): Warnings {
  const strategy = membersAt(container, 'upgradeStrategy');
  const at = fieldPath(path, 'upgradeStrategy');
  const type = textAt(strategy, 'upgradeType');
  const isIdle = type !== 'HotUpgrade' && textAt(strategy, 'hotUpgradeEmptyImage') !== '';
  return [
    ...unknown(type, `${at}.upgradeType`, upgradeTypes, 'acts like ColdUpgrade'),
    ...(isIdle ? [`${at}.hotUpgradeEmptyImage: has no effect without HotUpgrade`] : []),
    ...(isInit && type === 'HotUpgrade' ? [`${at}: init containers are injected, but never upgraded`] : []),
  ];
}

const transferWarnings = (container: JsonObject, path: string): Warnings =>
  objectsAt(container, 'transferEnv').flatMap(([transfer, i]) => {
    const at = fieldPath(path, 'transferEnv', i);
    const from = transfer['sourceContainerNameFrom'];
    const hasSource = textAt(transfer, 'sourceContainerName') !== '' || (isJsonObject(from) && !isUnset(from['fieldRef']));
    const names = transfer['envNames'];
    const hasNames = textAt(transfer, 'envName') !== '' || (Array.isArray(names) && names.length > 0);
    return [
      ...(hasSource ? [] : [`${at}: has no effect without sourceContainerName or sourceContainerNameFrom`]),
      ...(hasNames ? [] : [`${at}: has no effect without envName or envNames`]),
    ];
  });

const expressionWarnings = (container: JsonObject, path: string): Warnings =>
  expressionsOf(membersAt(container, 'resourcesPolicy'), fieldPath(path, 'resourcesPolicy')).flatMap(({ text, resource, path: at }) => {
    const check = checkResourceExpression(text, resource);
    return check.kind === 'Doubtful' ? [`${at}: Pods for which this fails are refused: ${check.why}`] : [];
  });

function containerWarnings(container: JsonObject, path: string, isInit: boolean): Warnings {
  const device = textAt(membersAt(container, 'shareVolumeDevicePolicy'), 'type');
  const share = textAt(membersAt(container, 'shareVolumePolicy'), 'type');
  return [
    ...(isInit
      ? unknown(textAt(container, 'podInjectPolicy'), `${path}.podInjectPolicy`, podInjectPolicies, 'acts like AfterAppContainer')
      : []),
    ...(isInit ? unknown(share, `${path}.shareVolumePolicy.type`, sharePolicies, 'acts like disabled') : []),
    ...unknown(device, `${path}.shareVolumeDevicePolicy.type`, sharePolicies, 'acts like disabled'),
    ...upgradeWarnings(container, path, isInit),
    ...transferWarnings(container, path),
    ...expressionWarnings(container, path),
  ];
}

const allContainers = (spec: JsonObject): Warnings =>
  (['initContainers', 'containers'] as const).flatMap((list) =>
    objectsAt(spec, list).flatMap(([container, i]) => containerWarnings(container, fieldPath('spec', list, i), list === 'initContainers')),
  );

function strategyWarnings(spec: JsonObject): Warnings {
  const strategy = membersAt(spec, 'updateStrategy');
  const path = 'spec.updateStrategy';
  const type = textAt(strategy, 'type');
  const chosen = !isUnset(membersAt(spec, 'injectionStrategy')['revision']);
  // The version of new Pods may depend on these, even if no Pod is updated.
  const idle = ['priorityStrategy', 'scatterStrategy', ...(chosen ? [] : ['partition', 'paused', 'selector'])].filter((name) =>
    hasEffect(strategy[name]),
  );
  const isStuck = strategy['maxUnavailable'] === 0 || /^0+%$/.test(textAt(strategy, 'maxUnavailable'));
  return [
    ...unknown(type, `${path}.type`, updateTypes, 'updates like RollingUpdate without its checks'),
    ...(type === 'NotUpdate' && idle.length > 0 ? [`${path}: ${idle.join(', ')} have no effect with type NotUpdate`] : []),
    ...(type !== 'NotUpdate' && isStuck ? [`${path}.maxUnavailable: with 0 only Pods that are not ready are updated`] : []),
  ];
}

function injectionWarnings(spec: JsonObject): Warnings {
  const strategy = membersAt(spec, 'injectionStrategy');
  const revision = strategy['revision'];
  if (!isJsonObject(revision)) return [];
  const path = 'spec.injectionStrategy.revision';
  const hasBoth = textAt(revision, 'revisionName') !== '' && textAt(revision, 'customVersion') !== '';
  return [
    ...(strategy['paused'] === true ? [`${path}: has no effect while injectionStrategy.paused is true`] : []),
    ...(hasBoth ? [`${path}.customVersion: has no effect beside revisionName`] : []),
  ];
}

function volumeWarnings(spec: JsonObject): Warnings {
  const used = new Set(
    ['initContainers', 'containers'].flatMap((list) =>
      objectsAt(spec, list).flatMap(([container]) =>
        ['volumeMounts', 'volumeDevices'].flatMap((member) => objectsAt(container, member).map(([mount]) => textAt(mount, 'name'))),
      ),
    ),
  );
  return objectsAt(spec, 'volumes').flatMap(([volume, i]) =>
    used.has(textAt(volume, 'name')) ? [] : [`spec.volumes[${String(i)}]: is not injected, as no container mounts it`],
  );
}

const patchWarnings = (spec: JsonObject): Warnings =>
  objectsAt(spec, 'patchPodMetadata').flatMap(([patch, i]) => {
    const path = fieldPath('spec.patchPodMetadata', i);
    const policy = textAt(patch, 'patchPolicy');
    const broken = textsOf(patch, 'annotations').filter(([, value]) => policy === 'MergePatchJson' && !isJson(value));
    return [
      ...unknown(policy, `${path}.patchPolicy`, patchPolicies, 'patches nothing'),
      ...broken.map(([key]) => `${path}.annotations[${key}]: is not JSON, so Pods that have the annotation are refused`),
    ];
  });

function isJson(text: string): boolean {
  try {
    const value: unknown = parseJsonText(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

const withoutImages = (spec: JsonObject): unknown => {
  const containers = spec['containers'];
  return Array.isArray(containers)
    ? containers.map((item: unknown) => (isJsonObject(item) ? withMembers(item, { image: undefined }) : item))
    : containers;
};

/** Compares by the hashes that Pods are compared by; an object without one is compared member by member. */
function changesOnlyImages(object: JsonObject, oldObject: JsonObject): boolean {
  const [hash, oldHash] = [object, oldObject].map((one) => metadataValue(one, 'annotations', sidecarSetAnnotations.hashWithoutImage));
  return hash === undefined || oldHash === undefined
    ? semanticEqual(withoutImages(membersAt(object, 'spec')), withoutImages(membersAt(oldObject, 'spec')))
    : hash === oldHash;
}

/** Warns that only images reach existing Pods. */
const updateWarnings = (object: JsonObject, oldObject: JsonObject): Warnings =>
  textAt(membersAt(membersAt(object, 'spec'), 'updateStrategy'), 'type') === 'NotUpdate' || changesOnlyImages(object, oldObject)
    ? []
    : [
        'spec.containers: more than images was changed, which cannot be done in place: Pods that exist count as not upgradable until they are recreated',
      ];

/**
 * Returns the warnings.
 *
 * @param object in v1beta1, with its defaults
 * @param oldObject the stored one in v1beta1; undefined on create
 * @remarks Never throws, whatever the objects are.
 */
export function sidecarSetWarnings(object: JsonObject, oldObject: JsonObject | undefined): Warnings {
  const spec = membersAt(object, 'spec');
  return [
    ...strategyWarnings(spec),
    ...injectionWarnings(spec),
    ...allContainers(spec),
    ...volumeWarnings(spec),
    ...patchWarnings(spec),
    ...(oldObject === undefined ? [] : updateWarnings(object, oldObject)),
    ...storedSidecarSetFaults(object, oldObject).map((fault) => `${formatFieldError(fault)}; a new SidecarSet is refused for it`),
  ];
}
