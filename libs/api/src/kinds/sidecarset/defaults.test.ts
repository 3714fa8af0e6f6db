import { describe, expect, it } from '@jest/globals';
import { type Members } from '../../conversion/converter.ts';
import { deepFreeze } from '../../conversion/round-trip.testing.ts';
import { defaultSidecarSet, type CorePartDefaults } from './defaults.ts';

const untouched: CorePartDefaults = { container: (container) => container, volume: (volume) => volume };
const defaulted = (spec: Members): Members => defaultSidecarSet(deepFreeze({ metadata: { name: 's' }, spec }), untouched);

describe('defaults of SidecarSets', () => {
  it('an empty set gets strategy and history limit', () => {
    const once = defaulted({});
    expect(once).toEqual({
      metadata: { name: 's' },
      spec: { updateStrategy: { type: 'RollingUpdate', maxUnavailable: 1, partition: 0 }, revisionHistoryLimit: 10 },
    });
    expect(defaultSidecarSet(once, untouched)).toBe(once);
  });

  it('what is given stays, also a strategy that does not update', () => {
    const spec = { updateStrategy: { type: 'NotUpdate', maxUnavailable: '10%', partition: 2 }, revisionHistoryLimit: 0 };
    expect(defaulted(spec)['spec']).toEqual(spec);
  });

  it('containers go in front of those of the Pod, init containers behind', () => {
    const { spec } = defaulted({ containers: [{ name: 'c' }], initContainers: [{ name: 'i', shareVolumeDevicePolicy: {} }] });
    const common = { upgradeStrategy: { upgradeType: 'ColdUpgrade' }, shareVolumePolicy: { type: 'disabled' } };
    expect(spec).toMatchObject({
      containers: [{ name: 'c', podInjectPolicy: 'BeforeAppContainer', ...common }],
      initContainers: [{ name: 'i', podInjectPolicy: 'AfterAppContainer', shareVolumeDevicePolicy: {}, ...common }],
    });
  });

  it('transferred variables, patches and revisions are completed', () => {
    const { spec } = defaulted({
      containers: [
        { name: 'c', transferEnv: [{ sourceContainerNameFrom: { fieldRef: { fieldPath: 'x' } } }, { sourceContainerName: 'm' }] },
      ],
      patchPodMetadata: [{ annotations: { a: 'b' } }, { patchPolicy: 'Overwrite' }],
      injectionStrategy: { revision: { customVersion: 'v1' } },
    });
    expect(spec).toMatchObject({
      containers: [
        { transferEnv: [{ sourceContainerNameFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'x' } } }, { sourceContainerName: 'm' }] },
      ],
      patchPodMetadata: [{ annotations: { a: 'b' }, patchPolicy: 'Retain' }, { patchPolicy: 'Overwrite' }],
      injectionStrategy: { revision: { customVersion: 'v1', policy: 'Always' } },
    });
  });

  it('an injection strategy without a revision gets none', () => {
    expect(defaulted({ injectionStrategy: { paused: true } })['spec']).toMatchObject({ injectionStrategy: { paused: true } });
  });

  it('containers and volumes get the defaults of the core API', () => {
    const core: CorePartDefaults = {
      container: (container) => ({ ...container, terminationMessagePath: '/dev/termination-log' }),
      volume: (volume) => ({ ...volume, emptyDir: {} }),
    };
    const given = {
      metadata: { name: 's' },
      spec: { containers: [{ name: 'c' }], initContainers: [{ name: 'i' }], volumes: [{ name: 'v' }] },
    };
    expect(defaultSidecarSet(given, core)['spec']).toMatchObject({
      containers: [{ name: 'c', terminationMessagePath: '/dev/termination-log' }],
      initContainers: [{ name: 'i', terminationMessagePath: '/dev/termination-log' }],
      volumes: [{ name: 'v', emptyDir: {} }],
    });
  });
});
