/** The chart kruise-state-metrics, rendered. @see spec/kruise-state-metrics.md 8 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { readOptions } from '../../apps/state-metrics/src/options/options.ts';
import { ensureBinaries, silent } from '@kruise/testing';
import { find, type Rendered } from './render.ts';
import { renderStateMetrics } from './render-state-metrics.ts';

beforeAll(() => ensureBinaries(['helm'], silent), 600_000);

interface Container {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly [field: string]: unknown;
}
interface Workload {
  readonly replicas: number;
  readonly selector: { readonly matchLabels: object };
  readonly template: {
    readonly metadata: { readonly labels: object; readonly annotations?: object };
    readonly spec: { readonly containers: readonly Container[]; readonly [field: string]: unknown };
  };
  readonly [field: string]: unknown;
}

const workload = (objects: readonly Rendered[], kind = 'Deployment'): Workload => find(objects, kind)?.spec as never;
const container = (of: Workload): Container => of.template.spec.containers[0]!;
const names = (objects: readonly Rendered[]): readonly string[] =>
  objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`).toSorted();

const monitoring = ['monitoring.coreos.com/v1'];

describe('the chart kruise-state-metrics', () => {
  it('has the objects and settings of the original by default', async () => {
    const objects = await renderStateMetrics({}, monitoring);
    expect(names(objects)).toEqual([
      'ClusterRole /kruise-state-metrics-role',
      'ClusterRoleBinding /kruise-state-metrics-rolebinding',
      'Deployment kruise-system/kruise-state-metrics',
      'Service kruise-system/kruise-state-metrics',
      'ServiceAccount kruise-system/kruise-state-metrics',
      'ServiceMonitor kruise-system/kruise-state-metrics',
    ]);
    const deployment = workload(objects);
    expect([deployment.replicas, deployment.selector]).toEqual([1, { matchLabels: { 'control-plane': 'kruise-state-metrics' } }]);
    expect(container(deployment)).toMatchObject({
      name: 'kruise-state-metrics',
      image: 'openkruise/kruise-state-metrics:v0.2.0',
      imagePullPolicy: 'Always',
      command: ['/kruise-state-metrics'],
      args: ['--logtostderr=true', '--v=5'],
      livenessProbe: { httpGet: { path: '/healthz', port: 8080 } },
      readinessProbe: { httpGet: { path: '/', port: 8081 } },
      resources: { limits: { cpu: '100m', memory: '512Mi' }, requests: { cpu: '100m', memory: '512Mi' } },
    });
    expect(deployment.template.spec).toMatchObject({
      nodeSelector: { 'kubernetes.io/os': 'linux' },
      terminationGracePeriodSeconds: 10,
      topologySpreadConstraints: [
        { topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway', matchLabelKeys: ['pod-template-hash'] },
      ],
    });
    expect(find(objects, 'Service')?.spec).toMatchObject({
      type: 'ClusterIP',
      selector: { 'control-plane': 'kruise-state-metrics' },
      ports: [
        { name: 'http-metrics', port: 8080 },
        { name: 'telemetry', port: 8081 },
      ],
    });
    expect(find(objects, 'ServiceMonitor')?.spec).toMatchObject({
      endpoints: [{ port: 'http-metrics', honorLabels: true }, { port: 'telemetry' }],
    });
  });

  it('starts the program with arguments that it accepts', async () => {
    const extraArgs = ['--metric-labels-allowlist=clonesets=[app,team],statefulsets=[*]', '--resources=clonesets'];
    for (const autosharding of [true, false]) {
      const objects = await renderStateMetrics({ extraArgs, 'autosharding.enabled': autosharding });
      const { args } = container(workload(objects, autosharding ? 'StatefulSet' : 'Deployment'));
      expect(args.slice(-2)).toEqual(extraArgs);
      expect(readOptions(args)).toMatchObject({ kind: 'Run', options: { warnings: [] } });
    }
  });

  it('may read the kinds that it exports, and no Secret', async () => {
    for (const values of [{}, { 'autosharding.enabled': true }]) {
      const rules = (await renderStateMetrics(values)).flatMap(
        ({ rules: some = [] }) => some as readonly { resources: readonly string[]; verbs: readonly string[] }[],
      );
      const resources = rules.flatMap((rule) => rule.resources);
      expect(resources).toContain('clonesets');
      expect(resources.filter((resource) => resource.includes('*') || resource === 'secrets')).toEqual([]);
      expect(new Set(rules.flatMap(({ verbs }) => verbs))).toEqual(new Set(['get', 'list', 'watch']));
    }
  });

  it('shards by a StatefulSet, which knows its Pods and may follow its replicas', async () => {
    const objects = await renderStateMetrics({ 'autosharding.enabled': true, replicaCount: 3 });
    expect(find(objects, 'Deployment')).toBeUndefined();
    const set = workload(objects, 'StatefulSet');
    expect([set.replicas, set['serviceName']]).toEqual([3, 'kruise-state-metrics']);
    expect(container(set).args.slice(2)).toEqual(['--pod=$(POD_NAME)', '--pod-namespace=$(POD_NAMESPACE)']);
    expect(find(objects, 'Role')?.rules).toEqual([
      { apiGroups: [''], resources: ['pods'], verbs: ['get'] },
      { apiGroups: ['apps'], resources: ['statefulsets'], resourceNames: ['kruise-state-metrics'], verbs: ['get', 'list', 'watch'] },
    ]);
  });

  it('has a ServiceMonitor only where that kind is served, or when it is forced', async () => {
    const has = async (values: Readonly<Record<string, unknown>>, apis: readonly string[]) =>
      find(await renderStateMetrics(values, apis), 'ServiceMonitor') !== undefined;
    expect(await has({}, [])).toBe(false);
    expect(await has({}, monitoring)).toBe(true);
    expect(await has({}, ['monitoring.coreos.com/v1/ServiceMonitor'])).toBe(true);
    expect(await has({ 'installation.forceServiceMonitor': true }, [])).toBe(true);
    expect(await has({ 'installation.installServiceMonitor': false, 'installation.forceServiceMonitor': true }, monitoring)).toBe(false);
  });

  it('follows every value', async () => {
    const objects = await renderStateMetrics({
      'installation.namespace': 'metrics',
      'installation.createNamespace': true,
      fullnameOverride: 'ksm',
      nameOverride: 'exporter',
      replicaCount: 2,
      image: { repository: 'example.com/ksm', tag: '', pullPolicy: 'Never' },
      imagePullSecrets: [{ name: 'pull' }],
      podAnnotations: { a: 'b' },
      nodeSelector: { zone: 'x' },
      tolerations: [{ operator: 'Exists' }],
      affinity: { nodeAffinity: {} },
      serviceAccount: { create: true, annotations: { c: 'd' }, name: 'reader' },
      'service.type': 'NodePort',
      resources: { limits: { memory: '1Gi' } },
    });
    expect(names(objects)).toEqual([
      'ClusterRole /ksm-role',
      'ClusterRoleBinding /ksm-rolebinding',
      'Deployment metrics/ksm',
      'Namespace /metrics',
      'Service metrics/ksm',
      'ServiceAccount metrics/reader',
    ]);
    const deployment = workload(objects);
    expect(deployment).toMatchObject({
      replicas: 2,
      selector: { matchLabels: { 'control-plane': 'ksm' } },
      template: {
        metadata: { annotations: { a: 'b' } },
        spec: {
          serviceAccountName: 'reader',
          imagePullSecrets: [{ name: 'pull' }],
          nodeSelector: { 'kubernetes.io/os': 'linux', zone: 'x' },
          tolerations: [{ operator: 'Exists' }],
          affinity: { nodeAffinity: {} },
        },
      },
    });
    expect(container(deployment)).toMatchObject({ name: 'exporter', image: 'example.com/ksm:v0.2.0', imagePullPolicy: 'Never' });
    expect(find(objects, 'ClusterRoleBinding')?.['subjects']).toEqual([{ kind: 'ServiceAccount', name: 'reader', namespace: 'metrics' }]);
    expect(find(objects, 'ServiceAccount')?.metadata.annotations).toEqual({ c: 'd' });
    expect(find(objects, 'Service')?.spec).toMatchObject({ type: 'NodePort' });
    expect(find(await renderStateMetrics({ 'serviceAccount.create': false }), 'ServiceAccount')).toBeUndefined();
  });

  it('refuses a misspelled value', async () => {
    await expect(renderStateMetrics({ replicas: 2 })).rejects.toThrow(/replicas/);
  });
});
