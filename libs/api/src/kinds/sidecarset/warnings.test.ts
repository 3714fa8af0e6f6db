import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@kruise/objects';
import { defaultSidecarSet } from './defaults.ts';
import { setMember } from './set-member.testing.ts';
import { sidecarSetWarnings } from './warnings.ts';

const valid = defaultSidecarSet({
  metadata: { name: 's' },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    containers: [{ name: 'c', image: 'c:1', volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
    initContainers: [{ name: 'i', image: 'i:1' }],
    volumes: [{ name: 'v', emptyDir: {} }],
  },
});
const withValues = (values: Readonly<Record<string, unknown>>): JsonObject =>
  Object.entries(values).reduce<JsonObject>((object, [path, value]) => setMember(object, path, value), valid);
const container = 'spec.containers.0';

describe('a SidecarSet', () => {
  it('that makes sense has no warnings', () => {
    expect(sidecarSetWarnings(valid, undefined)).toEqual([]);
    expect(sidecarSetWarnings(withValues({ [`${container}.image`]: 'c:2' }), valid)).toEqual([]);
  });

  it.each<{ name: string; values: Readonly<Record<string, unknown>>; then: string }>([
    {
      name: 'an unknown patch policy',
      values: { 'spec.patchPodMetadata': [{ annotations: { a: 'b' }, patchPolicy: 'Retian' }] },
      then: 'spec.patchPodMetadata[0].patchPolicy: "Retian" is not known and patches nothing; supported values: "Retain", "Overwrite", "MergePatchJson"; did you mean "Retain"?',
    },
    {
      name: 'a merge of no JSON',
      values: { 'spec.patchPodMetadata': [{ annotations: { a: 'b' }, patchPolicy: 'MergePatchJson' }] },
      then: 'spec.patchPodMetadata[0].annotations[a]: is not JSON, so Pods that have the annotation are refused',
    },
    {
      name: 'an unknown upgrade type',
      values: { [`${container}.upgradeStrategy.upgradeType`]: 'HotUpgarde' },
      then: 'spec.containers[0].upgradeStrategy.upgradeType: "HotUpgarde" is not known and acts like ColdUpgrade; supported values: "ColdUpgrade", "HotUpgrade"; did you mean "HotUpgrade"?',
    },
    {
      name: 'an empty image without hot upgrade',
      values: { [`${container}.upgradeStrategy.hotUpgradeEmptyImage`]: 'e:1' },
      then: 'spec.containers[0].upgradeStrategy.hotUpgradeEmptyImage: has no effect without HotUpgrade',
    },
    {
      name: 'a hot upgrade of init containers',
      values: { 'spec.initContainers.0.upgradeStrategy.upgradeType': 'HotUpgrade' },
      then: 'spec.initContainers[0].upgradeStrategy: init containers are injected, but never upgraded',
    },
    {
      name: 'an unknown update type',
      values: { 'spec.updateStrategy.type': 'NoUpdate' },
      then: 'spec.updateStrategy.type: "NoUpdate" is not known and updates like RollingUpdate without its checks; supported values: "RollingUpdate", "NotUpdate"; did you mean "NotUpdate"?',
    },
    {
      name: 'an unknown policy of init containers',
      values: { 'spec.initContainers.0.podInjectPolicy': 'Before' },
      then: 'spec.initContainers[0].podInjectPolicy: "Before" is not known and acts like AfterAppContainer; supported values: "BeforeAppContainer", "AfterAppContainer"',
    },
    {
      name: 'an unknown device policy',
      values: { [`${container}.shareVolumeDevicePolicy`]: { type: 'on' } },
      then: 'spec.containers[0].shareVolumeDevicePolicy.type: "on" is not known and acts like disabled; supported values: "enabled", "disabled"',
    },
    {
      name: 'a partition without updates',
      values: { 'spec.updateStrategy': { type: 'NotUpdate', partition: 1, maxUnavailable: 1 } },
      then: 'spec.updateStrategy: partition have no effect with type NotUpdate',
    },
    {
      name: 'no Pod at a time',
      values: { 'spec.updateStrategy.maxUnavailable': '0%' },
      then: 'spec.updateStrategy.maxUnavailable: with 0 only Pods that are not ready are updated',
    },
    {
      name: 'a revision that is not injected',
      values: { 'spec.injectionStrategy': { paused: true, revision: { revisionName: 'r' } } },
      then: 'spec.injectionStrategy.revision: has no effect while injectionStrategy.paused is true',
    },
    {
      name: 'two names of one revision',
      values: { 'spec.injectionStrategy': { revision: { revisionName: 'r', customVersion: 'v' } } },
      then: 'spec.injectionStrategy.revision.customVersion: has no effect beside revisionName',
    },
    {
      name: 'a volume without a mount',
      values: {
        'spec.volumes': [
          { name: 'v', emptyDir: {} },
          { name: 'w', emptyDir: {} },
        ],
      },
      then: 'spec.volumes[1]: is not injected, as no container mounts it',
    },
    {
      name: 'transferred variables without a source',
      values: { [`${container}.transferEnv`]: [{ envName: 'A' }] },
      then: 'spec.containers[0].transferEnv[0]: has no effect without sourceContainerName or sourceContainerNameFrom',
    },
    {
      name: 'transferred variables without names',
      values: { [`${container}.transferEnv`]: [{ sourceContainerName: 'm' }] },
      then: 'spec.containers[0].transferEnv[0]: has no effect without envName or envNames',
    },
    {
      name: 'an expression that fails for large Pods',
      values: { [`${container}.resourcesPolicy`]: { targetContainersMode: 'sum', resourcesExpr: { limits: { cpu: 'max(1, cpu)*cpu' } } } },
      then: 'spec.containers[0].resourcesPolicy.resourcesExpr.limits.cpu: Pods for which this fails are refused: multiplication of two quantities',
    },
  ])('with $name warns', ({ values, then }) => {
    expect(sidecarSetWarnings(withValues(values), undefined).join('\n')).toBe(then);
  });

  it('warns of what only stored sets may have', () => {
    const stored = withValues({
      [`${container}.upgradeStrategy`]: { upgradeType: 'HotUpgrade' },
      [`${container}.resourcesPolicy`]: {
        targetContainersMode: 'sum',
        targetContainersNameRegex: '',
        resourcesExpr: { limits: { cpu: 'cpu' } },
      },
    });
    expect(sidecarSetWarnings(stored, stored)).toEqual([
      'spec.containers[0].upgradeStrategy.hotUpgradeEmptyImage: Required value: HotUpgrade needs an image for the container that idles; a new SidecarSet is refused for it',
      'spec.containers[0].resourcesPolicy.targetContainersNameRegex: Required value: invalid empty regex; a new SidecarSet is refused for it',
    ]);
  });

  it('compares the hashes of both when they have them: the original stores empty members that a manifest omits', () => {
    const hashed = (hash: string, values: Readonly<Record<string, unknown>> = {}): JsonObject =>
      setMember(withValues(values), 'metadata.annotations', { 'kruise.io/sidecarset-hash-without-image': hash });
    const stored = hashed('h', { [`${container}.resources`]: {}, [`${container}.upgradeStrategy`]: { upgradeType: 'ColdUpgrade' } });
    expect(sidecarSetWarnings(hashed('h'), stored)).toEqual([]);
    expect(sidecarSetWarnings(hashed('other'), stored)).toEqual([expect.stringContaining('not upgradable')]);
  });

  it('warns when more than images changes, unless it does not update', () => {
    const changed = { [`${container}.env`]: [{ name: 'A', value: 'b' }] };
    expect(sidecarSetWarnings(withValues(changed), valid)).toEqual([expect.stringContaining('not upgradable')]);
    expect(sidecarSetWarnings(withValues({ ...changed, 'spec.updateStrategy.type': 'NotUpdate' }), valid)).toEqual([]);
  });

  it.each<{ name: string; values: Readonly<Record<string, unknown>>; then: readonly string[] }>([
    {
      name: 'all settings of a rollout in a set that does not update',
      values: {
        'spec.updateStrategy': {
          type: 'NotUpdate',
          partition: '50%',
          paused: true,
          selector: { matchLabels: { a: 'b' } },
          priorityStrategy: {},
          scatterStrategy: [],
        },
      },
      then: ['spec.updateStrategy: priorityStrategy, scatterStrategy, partition, paused, selector have no effect with type NotUpdate'],
    },
    {
      name: 'orders of Pods in a set that does not update, beside a version for new Pods',
      values: {
        'spec.updateStrategy': { type: 'NotUpdate', partition: 1, paused: true, priorityStrategy: {}, scatterStrategy: [] },
        'spec.injectionStrategy': { revision: { customVersion: 'v', policy: 'Partial' } },
      },
      then: ['spec.updateStrategy: priorityStrategy, scatterStrategy have no effect with type NotUpdate'],
    },
    {
      name: 'settings that say nothing in a set that does not update',
      values: {
        'spec.updateStrategy': { type: 'NotUpdate', partition: 0, paused: false, selector: null, scatterStrategy: '', maxUnavailable: 0 },
      },
      then: [],
    },
    {
      name: 'a partition of 0% in a set that does not update',
      values: { 'spec.updateStrategy': { type: 'NotUpdate', partition: '0%' } },
      then: [],
    },
    {
      name: 'the same settings in a set that updates',
      values: { 'spec.updateStrategy': { type: 'RollingUpdate', partition: 1, paused: true, priorityStrategy: {}, maxUnavailable: 1 } },
      then: [],
    },
    ...[0, '0%', '00%'].map((maxUnavailable) => ({
      name: `maxUnavailable ${maxUnavailable}`,
      values: { 'spec.updateStrategy.maxUnavailable': maxUnavailable },
      then: ['spec.updateStrategy.maxUnavailable: with 0 only Pods that are not ready are updated'],
    })),
    ...['10%', '0', '0%x', 1].map((maxUnavailable) => ({
      name: `maxUnavailable ${maxUnavailable}`,
      values: { 'spec.updateStrategy.maxUnavailable': maxUnavailable },
      then: [],
    })),
    {
      name: 'a hot upgrade with its empty image',
      values: { [`${container}.upgradeStrategy`]: { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: 'e:1' } },
      then: [],
    },
    {
      name: 'transferred variables by a reference to the name of the container',
      values: {
        [`${container}.transferEnv`]: [
          { sourceContainerNameFrom: { fieldRef: { fieldPath: "metadata.labels['a']" } }, envNames: ['A'] },
          { sourceContainerName: 'm', envName: 'A' },
        ],
      },
      then: [],
    },
    {
      name: 'transferred variables of empty lists and references',
      values: { [`${container}.transferEnv`]: [{ sourceContainerNameFrom: {}, envNames: [] }] },
      then: [
        'spec.containers[0].transferEnv[0]: has no effect without sourceContainerName or sourceContainerNameFrom',
        'spec.containers[0].transferEnv[0]: has no effect without envName or envNames',
      ],
    },
    {
      name: 'an expression that is always right',
      values: { [`${container}.resourcesPolicy`]: { targetContainersMode: 'sum', resourcesExpr: { limits: { cpu: 'cpu/2' } } } },
      then: [],
    },
    {
      name: 'an unknown policy for sharing volumes of init containers',
      values: { 'spec.initContainers.0.shareVolumePolicy': { type: 'on' } },
      then: [
        'spec.initContainers[0].shareVolumePolicy.type: "on" is not known and acts like disabled; supported values: "enabled", "disabled"',
      ],
    },
    {
      name: 'policies of containers, which validation looks at',
      values: { [`${container}.podInjectPolicy`]: 'x', [`${container}.shareVolumePolicy`]: { type: 'on' } },
      then: [],
    },
    {
      name: 'a volume of an init container, and a device',
      values: {
        'spec.initContainers.0.volumeMounts': [{ name: 'w', mountPath: '/w' }],
        [`${container}.volumeDevices`]: [{ name: 'x', devicePath: '/x' }],
        'spec.volumes': [
          { name: 'v', emptyDir: {} },
          { name: 'w', emptyDir: {} },
          { name: 'x', persistentVolumeClaim: { claimName: 'x' } },
        ],
      },
      then: [],
    },
    ...['{"a":1}', '[1]'].map((text) => ({
      name: `a merge of the JSON ${text}`,
      values: { 'spec.patchPodMetadata': [{ annotations: { a: text }, patchPolicy: 'MergePatchJson' }] },
      then: [],
    })),
    ...['1', 'null', '"x"', '{'].map((text) => ({
      name: `a merge of ${text}`,
      values: { 'spec.patchPodMetadata': [{ annotations: { a: text }, patchPolicy: 'MergePatchJson' }] },
      then: ['spec.patchPodMetadata[0].annotations[a]: is not JSON, so Pods that have the annotation are refused'],
    })),
    {
      name: 'text in an annotation that is not merged',
      values: { 'spec.patchPodMetadata': [{ annotations: { a: 'x' }, patchPolicy: 'Overwrite' }] },
      then: [],
    },
  ])('with $name is warned of that', ({ values, then }) => {
    expect(sidecarSetWarnings(withValues(values), undefined)).toEqual(then);
  });

  it('with a partition for new Pods has one that is used', () => {
    const values = {
      'spec.updateStrategy': { type: 'NotUpdate', partition: '50%' },
      'spec.injectionStrategy': { revision: { customVersion: 'v', policy: 'Partial' } },
    };
    expect(sidecarSetWarnings(withValues(values), undefined)).toEqual([]);
  });
});
