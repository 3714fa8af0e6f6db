import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@kruise/objects';
import { deepFreeze } from '../../conversion/round-trip.testing.ts';
import { defaultSidecarSet } from './defaults.ts';

const defaulted = (spec: JsonObject): JsonObject => defaultSidecarSet(deepFreeze({ metadata: { name: 's' }, spec }));

describe('defaults of SidecarSets', () => {
  it('an empty set gets strategy and history limit', () => {
    const once = defaulted({});
    expect(once).toEqual({
      metadata: { name: 's' },
      spec: { updateStrategy: { type: 'RollingUpdate', maxUnavailable: 1, partition: 0 }, revisionHistoryLimit: 10 },
    });
    expect(defaultSidecarSet(once)).toBe(once);
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

  it('containers and volumes get the defaults of the core API, but for the startup probe', () => {
    const probe = { httpGet: { port: 80 } };
    const full = {
      timeoutSeconds: 1,
      periodSeconds: 10,
      successThreshold: 1,
      failureThreshold: 3,
      httpGet: { port: 80, path: '/', scheme: 'HTTP' },
    };
    const containers = [{ name: 'c', image: 'c:1', livenessProbe: probe, readinessProbe: probe, startupProbe: probe }];
    const { spec } = defaulted({ containers, initContainers: [{ name: 'i', image: 'i' }], volumes: [{ name: 'v' }] });
    const messages = { terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File' };
    expect(spec).toMatchObject({
      containers: [
        { name: 'c', imagePullPolicy: 'IfNotPresent', ...messages, livenessProbe: full, readinessProbe: full, startupProbe: probe },
      ],
      initContainers: [{ name: 'i', imagePullPolicy: 'Always', ...messages }],
      volumes: [{ name: 'v', emptyDir: {} }],
    });
    expect((spec as { containers: { startupProbe: unknown }[] }).containers[0]?.startupProbe).toEqual(probe);
  });

  it('quantities become canonical when anything changes, and stay as they are else', () => {
    const container = (cpu: string) => ({ name: 'c', image: 'c:1', resources: { limits: { cpu } } });
    const once = defaulted({ containers: [container('1000m')] });
    expect(once['spec']).toMatchObject({ containers: [container('1')] });
    const written = JSON.parse(JSON.stringify(once).replace('"cpu":"1"', '"cpu":"1000m"')) as JsonObject;
    expect(defaultSidecarSet(written)).toBe(written);
  });
});
