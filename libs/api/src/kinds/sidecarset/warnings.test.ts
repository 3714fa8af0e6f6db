import { describe, expect, it } from '@jest/globals';
import { defaultSidecarSet } from './defaults.ts';
import { setMember } from './set-member.testing.ts';
import { sidecarSetWarnings } from './warnings.ts';
import type { Members } from '../../conversion/converter.ts';

const valid = defaultSidecarSet({
  metadata: { name: 's' },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    containers: [{ name: 'c', image: 'c:1', volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
    initContainers: [{ name: 'i', image: 'i:1' }],
    volumes: [{ name: 'v', emptyDir: {} }],
  },
});
const withValues = (values: Readonly<Record<string, unknown>>): Members =>
  Object.entries(values).reduce<Members>((object, [path, value]) => setMember(object, path, value), valid);
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
      then: 'is no JSON',
    },
    {
      name: 'an unknown upgrade type',
      values: { [`${container}.upgradeStrategy.upgradeType`]: 'HotUpgarde' },
      then: 'acts like ColdUpgrade; supported values: "ColdUpgrade", "HotUpgrade"; did you mean "HotUpgrade"?',
    },
    {
      name: 'an empty image without hot upgrade',
      values: { [`${container}.upgradeStrategy.hotUpgradeEmptyImage`]: 'e:1' },
      then: 'has no effect without HotUpgrade',
    },
    {
      name: 'a hot upgrade of init containers',
      values: { 'spec.initContainers.0.upgradeStrategy.upgradeType': 'HotUpgrade' },
      then: 'never upgraded',
    },
    { name: 'an unknown update type', values: { 'spec.updateStrategy.type': 'NoUpdate' }, then: 'did you mean "NotUpdate"?' },
    {
      name: 'an unknown policy of init containers',
      values: { 'spec.initContainers.0.podInjectPolicy': 'Before' },
      then: 'acts like AfterAppContainer',
    },
    { name: 'an unknown device policy', values: { [`${container}.shareVolumeDevicePolicy`]: { type: 'on' } }, then: 'acts like disabled' },
    {
      name: 'a partition without updates',
      values: { 'spec.updateStrategy': { type: 'NotUpdate', partition: 1, maxUnavailable: 1 } },
      then: 'partition have no effect with type NotUpdate',
    },
    { name: 'no Pod at a time', values: { 'spec.updateStrategy.maxUnavailable': '0%' }, then: 'only Pods that are not ready are updated' },
    {
      name: 'a revision that is not injected',
      values: { 'spec.injectionStrategy': { paused: true, revision: { revisionName: 'r' } } },
      then: 'while injectionStrategy.paused is true',
    },
    {
      name: 'two names of one revision',
      values: { 'spec.injectionStrategy': { revision: { revisionName: 'r', customVersion: 'v' } } },
      then: 'has no effect beside revisionName',
    },
    {
      name: 'a volume that nobody mounts',
      values: {
        'spec.volumes': [
          { name: 'v', emptyDir: {} },
          { name: 'w', emptyDir: {} },
        ],
      },
      then: 'spec.volumes[1]: is not injected',
    },
    {
      name: 'transferred variables without a source',
      values: { [`${container}.transferEnv`]: [{ envName: 'A' }] },
      then: 'without sourceContainerName',
    },
    {
      name: 'transferred variables without names',
      values: { [`${container}.transferEnv`]: [{ sourceContainerName: 'm' }] },
      then: 'without envName or envNames',
    },
    {
      name: 'an expression that fails for large Pods',
      values: { [`${container}.resourcesPolicy`]: { targetContainersMode: 'sum', resourcesExpr: { limits: { cpu: 'max(1, cpu)*cpu' } } } },
      then: 'multiplication of two quantities',
    },
  ])('with $name warns', ({ values, then }) => {
    expect(sidecarSetWarnings(withValues(values), undefined).join('\n')).toContain(then);
  });

  it('warns when more than images changes, unless it does not update', () => {
    const changed = { [`${container}.env`]: [{ name: 'A', value: 'b' }] };
    expect(sidecarSetWarnings(withValues(changed), valid)).toEqual([expect.stringContaining('not upgradable')]);
    expect(sidecarSetWarnings(withValues({ ...changed, 'spec.updateStrategy.type': 'NotUpdate' }), valid)).toEqual([]);
  });

  it('with a partition for new Pods has one that is used', () => {
    const values = {
      'spec.updateStrategy': { type: 'NotUpdate', partition: '50%' },
      'spec.injectionStrategy': { revision: { customVersion: 'v', policy: 'Partial' } },
    };
    expect(sidecarSetWarnings(withValues(values), undefined)).toEqual([]);
  });
});
