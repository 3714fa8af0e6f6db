import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@kruise/objects';
import { defaultPodTemplate } from './defaults.ts';
import { withCanonicalClaimQuantities, withCanonicalQuantities } from './quantities.ts';
import { defaultVolumeClaimTemplate } from './volume-defaults.ts';

const off = { hostNetworkHostPorts: false };
const specOf = (spec: JsonObject, options = off): JsonObject => defaultPodTemplate({ spec }, options)['spec'] as JsonObject;
const containerOf = (container: JsonObject, list = 'containers'): JsonObject =>
  (specOf({ [list]: [container] })[list] as JsonObject[])[0] as JsonObject;
const volumeOf = (volume: JsonObject): JsonObject =>
  (specOf({ volumes: [{ name: 'v', ...volume }] })['volumes'] as JsonObject[])[0] as JsonObject;

describe('defaults of Pod templates', () => {
  it('a Pod gets the defaults of the table and nothing else', () => {
    expect(specOf({ containers: [] })).toEqual({
      containers: [],
      dnsPolicy: 'ClusterFirst',
      restartPolicy: 'Always',
      schedulerName: 'default-scheduler',
      securityContext: {},
      terminationGracePeriodSeconds: 30,
    });
  });

  it('what is set stays', () => {
    const spec = {
      dnsPolicy: 'Default',
      restartPolicy: 'Never',
      schedulerName: 's',
      securityContext: { runAsUser: 1 },
      terminationGracePeriodSeconds: 0,
    };
    expect(specOf(spec)).toEqual(spec);
  });

  it('a complete template is returned unchanged', () => {
    const once = defaultPodTemplate(
      { spec: { containers: [{ name: 'a', image: 'b', livenessProbe: { httpGet: {} } }], volumes: [{ name: 'v' }] } },
      off,
    );
    expect(defaultPodTemplate(once, off)).toBe(once);
  });

  it.each([
    { image: 'nginx', containers: 'Always', initContainers: 'Always' },
    { image: 'nginx:latest', containers: 'Always', initContainers: 'Always' },
    { image: 'nginx:1.25', containers: 'Always', initContainers: 'IfNotPresent' },
    { image: `nginx@sha256:${'a'.repeat(64)}`, containers: 'Always', initContainers: 'IfNotPresent' },
    { image: 'reg:5000/nginx', containers: 'Always', initContainers: 'Always' },
  ])('pull policy of $image', ({ image, containers, initContainers }) => {
    expect(containerOf({ image })).toMatchObject({ imagePullPolicy: containers });
    expect(containerOf({ image }, 'initContainers')).toMatchObject({ imagePullPolicy: initContainers });
    expect(containerOf({ image }, 'ephemeralContainers')).toEqual({ image });
  });

  it('containers get their members filled in', () => {
    const probe = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };
    expect(
      containerOf({
        name: 'a',
        ports: [{ containerPort: 1 }],
        env: [{ name: 'E', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
        livenessProbe: { httpGet: { port: 1 }, periodSeconds: 5 },
        startupProbe: { grpc: { port: 1 }, timeoutSeconds: 0 },
        lifecycle: { preStop: { httpGet: { port: 1 } }, postStart: { exec: {} } },
        resources: { limits: { cpu: '0.0001', memory: '1Gi' }, requests: { cpu: '100m' } },
      }),
    ).toEqual({
      name: 'a',
      imagePullPolicy: 'Always',
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
      ports: [{ containerPort: 1, protocol: 'TCP' }],
      env: [{ name: 'E', valueFrom: { fieldRef: { fieldPath: 'metadata.name', apiVersion: 'v1' } } }],
      livenessProbe: { ...probe, periodSeconds: 5, httpGet: { port: 1, path: '/', scheme: 'HTTP' } },
      startupProbe: { ...probe, grpc: { port: 1 } },
      lifecycle: { preStop: { httpGet: { port: 1, path: '/', scheme: 'HTTP' } }, postStart: { exec: {} } },
      resources: { limits: { cpu: '1m', memory: '1Gi' }, requests: { cpu: '100m' } },
    });
  });

  it.each([
    { name: 'no source', given: {}, then: { emptyDir: {} } },
    { name: 'an unknown source', given: { future: {} }, then: { future: {} } },
    { name: 'secret', given: { secret: { secretName: 's' } }, then: { secret: { secretName: 's', defaultMode: 420 } } },
    { name: 'configMap', given: { configMap: { name: 'c' } }, then: { configMap: { name: 'c', defaultMode: 420 } } },
    { name: 'configMap with a mode', given: { configMap: { defaultMode: 0 } }, then: { configMap: { defaultMode: 0 } } },
    { name: 'hostPath', given: { hostPath: { path: '/' } }, then: { hostPath: { path: '/', type: '' } } },
    {
      name: 'downwardAPI',
      given: { downwardAPI: { items: [{ fieldRef: { fieldPath: 'x' } }] } },
      then: { downwardAPI: { items: [{ fieldRef: { fieldPath: 'x', apiVersion: 'v1' } }], defaultMode: 420 } },
    },
    {
      name: 'projected',
      given: { projected: { sources: [{ serviceAccountToken: { path: 't' } }, { downwardAPI: { items: [{ fieldRef: {} }] } }] } },
      then: {
        projected: {
          sources: [
            { serviceAccountToken: { path: 't', expirationSeconds: 3600 } },
            { downwardAPI: { items: [{ fieldRef: { apiVersion: 'v1' } }] } },
          ],
          defaultMode: 420,
        },
      },
    },
  ])('volume: $name', ({ given, then }) => {
    expect(volumeOf(given)).toEqual({ name: 'v', ...then });
  });

  it('host ports are filled in on the host network, with the gate only', () => {
    const spec = { hostNetwork: true, containers: [{ ports: [{ containerPort: 80 }, { containerPort: 81, hostPort: 81 }] }] };
    expect(specOf(spec)).toMatchObject({ containers: [{ ports: [{ protocol: 'TCP' }, { hostPort: 81 }] }] });
    expect(JSON.stringify(specOf(spec))).not.toContain('"hostPort":80');
    expect(specOf(spec, { hostNetworkHostPorts: true })).toMatchObject({ containers: [{ ports: [{ hostPort: 80 }, { hostPort: 81 }] }] });
  });

  it('host ports are filled in for init containers too, where a number says which', () => {
    const on = { hostNetworkHostPorts: true };
    const ports = [{ containerPort: 80, hostPort: 0 }, { containerPort: '81' }];
    const filled = [
      { containerPort: 80, hostPort: 80, protocol: 'TCP' },
      { containerPort: '81', protocol: 'TCP' },
    ];
    expect(specOf({ hostNetwork: true, initContainers: [{ ports }] }, on)).toHaveProperty('initContainers.0.ports', filled);
    for (const hostNetwork of [false, undefined, 'true'])
      expect(JSON.stringify(specOf({ hostNetwork, containers: [{ ports: [{ containerPort: 80 }] }] }, on))).not.toContain('hostPort');
  });

  it('overhead is rounded up to thousandths', () => {
    expect(specOf({ containers: [], overhead: { cpu: '0.0001', memory: '1Gi' } })).toMatchObject({
      overhead: { cpu: '1m', memory: '1Gi' },
    });
  });

  it('hooks of both kinds, and of ephemeral containers, get the defaults of their requests', () => {
    const get = { httpGet: { port: 1, path: '/', scheme: 'HTTP' } };
    const hooks = { postStart: { httpGet: { port: 1 } }, preStop: { httpGet: { port: 1, path: '', scheme: '' } } };
    expect(containerOf({ lifecycle: hooks })).toMatchObject({ lifecycle: { postStart: get, preStop: get } });
    expect(containerOf({ lifecycle: hooks }, 'ephemeralContainers')).toEqual({ lifecycle: { postStart: get, preStop: get } });
  });

  it.each(['livenessProbe', 'readinessProbe', 'startupProbe'])('%s gets its numbers', (name) => {
    expect(containerOf({ [name]: { failureThreshold: 7, successThreshold: 0 } })[name]).toEqual({
      timeoutSeconds: 1,
      periodSeconds: 10,
      successThreshold: 1,
      failureThreshold: 7,
    });
  });

  it.each([
    { image: undefined, policy: 'IfNotPresent' },
    { image: 'A B', policy: 'IfNotPresent' },
    { image: 5, policy: 'IfNotPresent' },
    { image: 'nginx:latest-1', policy: 'IfNotPresent' },
    { image: `nginx:latest@sha256:${'a'.repeat(64)}`, policy: 'Always' },
  ])('an init container of the image $image is pulled $policy', ({ image, policy }) => {
    expect(containerOf({ image }, 'initContainers')).toMatchObject({ imagePullPolicy: policy });
  });

  it('a volume of null has no source', () => {
    expect(volumeOf({ secret: null })).toEqual({ name: 'v', secret: null, emptyDir: {} });
  });

  it('what is given in a volume stays', () => {
    for (const given of [
      { hostPath: { path: '/', type: 'File' } },
      { secret: { defaultMode: 256 } },
      { downwardAPI: { defaultMode: 0, items: [{ fieldRef: { fieldPath: 'x', apiVersion: 'v1' } }] } },
      { projected: { defaultMode: 0, sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 0 } }, 'text'] } },
    ])
      expect(volumeOf(given)).toEqual({ name: 'v', ...given });
  });

  it.each([
    ['100m', '100m'],
    ['1.5', '1.5'],
    ['0.0001', '1m'],
    ['0.0011', '2m'],
    ['1.0001Ki', '1024103m'],
    ['1u', '1m'],
    ['2000u', '2000u'],
    ['1001u', '2m'],
    [0.0001, '1m'],
    [1, 1],
    ['x1', 'x1'],
    ['1x', '1x'],
    ['', ''],
    [null, null],
  ])('the quantity %j is stored as %j', (given, stored) => {
    expect(containerOf({ resources: { requests: { cpu: given } } })['resources']).toEqual({ requests: { cpu: stored } });
    expect(containerOf({ resources: { limits: { cpu: given } } })['resources']).toEqual({ limits: { cpu: stored } });
  });

  it('claim templates keep their phase, and round their capacity', () => {
    expect(defaultVolumeClaimTemplate({ status: { phase: 'Bound', capacity: { storage: '0.5001m' } } })).toEqual({
      status: { phase: 'Bound', capacity: { storage: '1m' } },
    });
  });

  it('claim templates get a phase and rounded quantities, no volumeMode', () => {
    expect(defaultVolumeClaimTemplate({ metadata: { name: 'data' }, spec: { resources: { requests: { storage: '0.5001m' } } } })).toEqual({
      metadata: { name: 'data' },
      spec: { resources: { requests: { storage: '1m' } } },
      status: { phase: 'Pending' },
    });
  });

  it('quantities can be written canonically', () => {
    const template = {
      spec: {
        containers: [{ resources: { limits: { cpu: '1000m' }, requests: { cpu: 0.5, memory: '1024Mi' } } }],
        overhead: { cpu: '0.25' },
      },
    };
    expect(withCanonicalQuantities(template)).toEqual({
      spec: { containers: [{ resources: { limits: { cpu: '1' }, requests: { cpu: '500m', memory: '1Gi' } } }], overhead: { cpu: '250m' } },
    });
    expect(
      withCanonicalClaimQuantities({
        spec: { resources: { requests: { storage: '1024Mi' }, limits: { storage: '2048Mi' } } },
        status: { capacity: { storage: '1024Mi' } },
      }),
    ).toEqual({
      spec: { resources: { requests: { storage: '1Gi' }, limits: { storage: '2Gi' } } },
      status: { capacity: { storage: '1Gi' } },
    });
  });

  it('every list of containers, the Pod and its volumes are written canonically; what is no quantity stays', () => {
    const resources = { limits: { cpu: '1000m', odd: 'x' } };
    const canonical = { limits: { cpu: '1', odd: 'x' } };
    const spec = { resources, containers: [{ resources }], initContainers: [{ resources }], ephemeralContainers: [{ resources }] };
    expect(withCanonicalQuantities({ spec })).toEqual({
      spec: {
        resources: canonical,
        containers: [{ resources: canonical }],
        initContainers: [{ resources: canonical }],
        ephemeralContainers: [{ resources: canonical }],
      },
    });
    const sizes = (...list: readonly unknown[]): JsonObject => ({
      spec: { volumes: list.map((sizeLimit) => ({ emptyDir: { sizeLimit } })) },
    });
    expect(withCanonicalQuantities(sizes('1024Mi', null, 'x'))).toEqual(sizes('1Gi', null, 'x'));
    expect(withCanonicalQuantities({ spec: { volumes: [{ emptyDir: {} }] } })).toStrictEqual({ spec: { volumes: [{ emptyDir: {} }] } });
  });
});
