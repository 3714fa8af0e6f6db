/** Values that the API server would take for another type, or refuse when the release is half installed. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ensureBinaries, silent } from '@kruise/testing';
import { find, render, type Rendered, type Values } from './render.ts';
import { renderStateMetrics } from './render-state-metrics.ts';

beforeAll(() => ensureBinaries(['helm'], silent), 600_000);

/** Every template renders something. */
const everything: Values = {
  'crds.migrateStorage.enabled': true,
  'tests.enabled': true,
  'networkPolicy.enabled': true,
  'manager.metrics.service.enabled': true,
  'daemon.windowsImage.repository': 'example/agent-win',
  'monitoring.serviceMonitor.enabled': true,
  'monitoring.podMonitor.enabled': true,
  'monitoring.prometheusRule.enabled': true,
  'monitoring.grafanaDashboards.enabled': true,
};
const served = ['admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy'];

/** As JSON, without the checksum of texts that contain a name. */
const textOf = (objects: readonly Rendered[]): string =>
  JSON.stringify(objects).replaceAll(/"kruise\.io\/webhooks-checksum":"[0-9a-f]+"/g, '');

describe('a name that YAML takes for something else than text', () => {
  it.each(['123', '0x1f', '1e3', 'true', 'null', 'on'])('%s is a name wherever the chart has it', async (name) => {
    const rendered = (value: string, second: string): Promise<readonly Rendered[]> => {
      const names = ['installation.namespace', 'daemon.configNamespace', 'manager.webhook.clientCAConfigMap'];
      const values = Object.fromEntries(names.map((path) => [path, value]));
      return render({ ...everything, ...values, 'daemon.namespace': second }, '1.34.0', served);
    };
    const expected = textOf(await rendered('zz-first', 'zz-second'));
    expect(textOf(await rendered(name, '456'))).toBe(expected.replaceAll('zz-first', name).replaceAll('zz-second', '456'));
  });

  it.each(['123', 'null'])('%s is a name in the chart kruise-state-metrics', async (name) => {
    const rendered = (value: string): Promise<readonly Rendered[]> =>
      renderStateMetrics(
        {
          'installation.namespace': value,
          'installation.createNamespace': true,
          'autosharding.enabled': true,
          'serviceAccount.name': value,
          nameOverride: value,
          fullnameOverride: value,
        },
        ['monitoring.coreos.com/v1'],
      );
    expect(textOf(await rendered(name))).toBe(textOf(await rendered('zz-first')).replaceAll('zz-first', name));
  });
});

/** A line of the error about a schema. Helm before 3.18 writes dots for slashes. */
const named = (path: string): RegExp => new RegExp(`^- (at ')?/?${path.slice(1).replaceAll('/', '[./]')}\\b`, 'm');

describe('a value of the wrong type', () => {
  it.each<[string, Values]>([
    ['/manager/nodeSelector/pool', { 'manager.nodeSelector': { pool: 5 } }],
    ['/daemon/nodeSelector/pool', { 'daemon.nodeSelector': { pool: true } }],
    ['/helmHooks/nodeSelector/pool', { 'helmHooks.nodeSelector': { pool: ['a'] } }],
    ['/serviceAccount/annotations/use', { 'serviceAccount.annotations': { use: true } }],
    ['/externalCerts/annotations/inject', { 'externalCerts.annotations': { inject: 1 } }],
    ['/monitoring/labels/release', { 'monitoring.labels': { release: 1.5 } }],
    ['/manager/extraEnvs/0/value', { 'manager.extraEnvs': [{ name: 'DEBUG', value: true }] }],
    ['/daemon/extraEnvs/0', { 'daemon.extraEnvs': [{ value: 'without a name' }] }],
    ['/installation/namespace', { 'installation.namespace': 123 }],
    ['/manager/podDisruptionBudget/minAvailable', { 'manager.podDisruptionBudget.minAvailable': '150%' }],
    ['/manager/podDisruptionBudget/maxUnavailable', { 'manager.podDisruptionBudget.maxUnavailable': '101%' }],
  ])('is refused before anything is installed, with its path %s', async (path, values) => {
    await expect(render(values)).rejects.toThrow(named(path));
  });

  it('is refused in the chart kruise-state-metrics, too', async () => {
    await expect(renderStateMetrics({ 'installation.namespace': 'Not_A_Name' })).rejects.toThrow(named('/installation/namespace'));
    await expect(renderStateMetrics({ podAnnotations: { a: 1 } })).rejects.toThrow(named('/podAnnotations/a'));
  });
});

describe('the PodDisruptionBudget of the manager', () => {
  const field = (name: string): string => `manager.podDisruptionBudget.${name}`;
  const min = field('minAvailable');
  const most = field('maxUnavailable');

  it.each<[Values, object]>([
    [{}, { maxUnavailable: 1 }],
    [{ [min]: 1 }, { minAvailable: 1 }],
    [{ [min]: 1, [most]: null }, { minAvailable: 1 }],
    [{ [min]: 1, [most]: 0 }, { minAvailable: 1 }],
    [{ [min]: 0, preset: 'small' }, { minAvailable: 0 }],
    [{ [min]: '66%', 'manager.replicas': 3 }, { minAvailable: '66%' }],
    [{ [most]: '1%' }, { maxUnavailable: '1%' }],
    [{ [min]: 1, 'manager.replicas': 0 }, { minAvailable: 1 }],
  ])('%j has %j', async (values, expected) => {
    const { selector: _selector, ...limits } = find(await render(values), 'PodDisruptionBudget')?.['spec'] as { readonly selector: object };
    expect(limits).toEqual(expected);
  });

  it.each<[Values, string]>([
    [{ [min]: 1, preset: 'small' }, `${min}: 1 of 1 manager Pods must stay`],
    [{ [min]: 2 }, `${min}: 2 of 2 manager Pods must stay`],
    [{ [min]: '67%', 'manager.replicas': 3 }, `${min}: 67% of 3 manager Pods must stay`],
    [{ [most]: 0 }, `${most}: 0 of 2 manager Pods may be evicted`],
    [{ [most]: '0%' }, `${most}: 0% of 2 manager Pods may be evicted`],
    [{ [most]: null }, `${most}: set it, or minAvailable`],
  ])('%j is refused, because a drain would not end or the limit is missing', async (values, message) => {
    await expect(render(values)).rejects.toThrow(message);
    expect(find(await render({ ...values, [field('enabled')]: false }), 'PodDisruptionBudget')).toBeUndefined();
  });
});

describe('two servers with the same port', () => {
  const webhook = 'manager.webhook.port';
  const metrics = 'manager.metrics.port';
  const health = 'manager.healthProbe.port';

  it.each<[Values, string]>([
    [{ [metrics]: 9876 }, `${metrics}: 9876 is also ${webhook}`],
    [{ [health]: 9876 }, `${health}: 9876 is also ${webhook}`],
    [{ [health]: 9000, [metrics]: 9000 }, `${health}: 9000 is also ${metrics}`],
    [{ 'manager.hostNetwork': true, 'daemon.port': 8080 }, `daemon.port: 8080 is also ${metrics}`],
  ])('%j is refused, with the names of both values', async (values, message) => {
    await expect(render(values)).rejects.toThrow(message);
  });

  it('is accepted if they listen in different networks', async () => {
    expect(find(await render({ 'daemon.port': 8080 }), 'DaemonSet', 'kruise-daemon')).toBeDefined();
  });

  it('is accepted if the node agent is off', async () => {
    const values = { 'manager.hostNetwork': true, 'daemon.port': 8080, featureGates: 'KruiseDaemon=false' };
    expect(find(await render(values), 'DaemonSet', 'kruise-daemon')).toBeUndefined();
  });
});
