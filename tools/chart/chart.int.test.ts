import { beforeAll, describe, expect, it } from '@jest/globals';
import { ensureBinaries, silent } from '@kruise/testing';
import { alerts } from '../generate/monitoring/alerts.ts';
import { find, render, type Rendered, type Values } from './render.ts';

beforeAll(() => ensureBinaries(['helm'], silent), 600_000);

interface PodTemplate {
  readonly spec: {
    readonly containers: readonly [
      {
        readonly image: string;
        readonly args: readonly string[];
        readonly env: readonly { readonly name: string; readonly value?: string }[];
        readonly resources: object;
        readonly [field: string]: unknown;
      },
    ];
    readonly [field: string]: unknown;
  };
}

const rulesOf = (
  rule: Rendered | undefined,
): readonly { readonly alert: string; readonly annotations: Readonly<Record<string, string>> }[] =>
  (rule?.spec as { readonly groups: readonly { readonly rules: readonly never[] }[] }).groups.flatMap(({ rules }) => rules);

const manager = (
  objects: readonly Rendered[],
): { readonly replicas: number; readonly strategy: { readonly rollingUpdate: object }; readonly template: PodTemplate } =>
  find(objects, 'Deployment')?.spec as never;
const daemon = (objects: readonly Rendered[]): { readonly template: PodTemplate } =>
  find(objects, 'DaemonSet', 'kruise-daemon')?.spec as never;
const webhookNames = (objects: readonly Rendered[]): readonly string[] =>
  objects.flatMap(({ webhooks = [] }) => (webhooks as readonly { readonly name: string }[]).map(({ name }) => name));
const ruleFor = (objects: readonly Rendered[], role: string, resource: string): { readonly apiGroups: readonly string[] } | undefined =>
  (
    find(objects, 'ClusterRole', role)?.rules as
      readonly { readonly apiGroups: readonly string[]; readonly resources: readonly string[] }[] | undefined
  )?.find(({ resources }) => resources.includes(resource));

const names = (objects: readonly Rendered[]): readonly string[] =>
  objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`).sort();

describe('the chart with default values', () => {
  let objects: readonly Rendered[];
  beforeAll(async () => {
    objects = await render();
  });

  it('has exactly the objects whose names operators rely on, and nothing that is opt-in', () => {
    const crds = objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
    expect(crds).toHaveLength(18);
    expect(names(objects.filter(({ kind }) => kind !== 'CustomResourceDefinition'))).toEqual(
      [
        'Namespace /kruise-system',
        'Namespace /kruise-daemon-config',
        'Service kruise-system/kruise-webhook-service',
        'Secret kruise-system/kruise-webhook-certs',
        'Deployment kruise-system/kruise-controller-manager',
        'PodDisruptionBudget kruise-system/kruise-controller-manager',
        'DaemonSet kruise-system/kruise-daemon',
        'ServiceAccount kruise-system/kruise-manager',
        'ServiceAccount kruise-system/kruise-daemon',
        'MutatingWebhookConfiguration /kruise-mutating-webhook-configuration',
        'ValidatingWebhookConfiguration /kruise-validating-webhook-configuration',
        'ClusterRole /kruise-manager-role',
        'ClusterRoleBinding /kruise-manager-rolebinding',
        'ClusterRole /kruise-certs-role',
        'ClusterRoleBinding /kruise-certs-rolebinding',
        'Role kruise-system/kruise-webhook-role',
        'RoleBinding kruise-system/kruise-webhook-rolebinding',
        'Role kruise-system/kruise-leader-election-role',
        'RoleBinding kruise-system/kruise-leader-election-rolebinding',
        'ClusterRole /kruise-daemon-role',
        'ClusterRoleBinding /kruise-daemon-rolebinding',
        'Role kruise-daemon-config/kruise-manager-secret-role',
        'RoleBinding kruise-daemon-config/kruise-manager-secret-rolebinding',
        'Role kruise-daemon-config/kruise-daemon-secret-role',
        'RoleBinding kruise-daemon-config/kruise-daemon-secret-rolebinding',
        'ClusterRole /aggregate-kruise-view',
        'ClusterRole /aggregate-kruise-edit',
        'ClusterRole /aggregate-kruise-admin',
        'ClusterRole /kruise-helm-hook-role',
        'ClusterRoleBinding /kruise-helm-hook-rolebinding',
        'ServiceAccount kruise-system/kruise-helm-hook',
        'Job kruise-system/kruise-finalizer',
      ].sort(),
    );
  });

  it('starts two managers with the flags in their order', () => {
    const { replicas, template, strategy } = manager(objects);
    expect(replicas).toBe(2);
    expect(strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: '100%' });
    const { args, env } = template.spec.containers[0];
    expect(args).toEqual([
      '--enable-leader-election',
      '--metrics-addr=:8080',
      '--health-probe-addr=:8000',
      '--logtostderr=true',
      '--leader-election-namespace=kruise-system',
      '--v=4',
      '--feature-gates=ImagePullJobGate=true',
      '--sync-period=0',
      '--pprof-addr=localhost:8090',
    ]);
    expect(env.map(({ name, value }) => [name, value])).toEqual([
      ['POD_NAMESPACE', undefined],
      ['WEBHOOK_PORT', '9876'],
    ]);
  });

  it('bounds what the manager writes to its empty directories', () => {
    const volumes = ['tmp', 'log'].map((name) => ({ name, emptyDir: { sizeLimit: '256Mi' } }));
    expect(manager(objects).template.spec).toMatchObject({ volumes });
  });

  it('calls its webhooks by the Service, without a CA, and with an empty template for the manager to fill', () => {
    const configurations = objects.filter(({ webhooks }) => webhooks !== undefined);
    expect(configurations.map(({ kind }) => kind).toSorted()).toEqual(['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']);
    for (const configuration of configurations) {
      expect(configuration.webhooks).not.toEqual([]);
      expect(configuration.metadata.annotations?.['template']).toBe('');
      for (const { clientConfig, timeoutSeconds } of configuration.webhooks as readonly {
        clientConfig: { service: object };
        timeoutSeconds: number;
      }[]) {
        expect(clientConfig).toEqual({
          service: { namespace: 'kruise-system', name: 'kruise-webhook-service', path: expect.stringMatching(/^\//) },
        });
        expect(timeoutSeconds).toBe(30);
      }
    }
  });

  it('keeps the pod webhooks away from its own pods and those of the system', () => {
    const pods = objects
      .flatMap(({ webhooks = [] }) => webhooks as readonly { name: string; namespaceSelector?: object }[])
      .filter(({ name }) => /pod(eviction)?\.kb\.io$/.test(name));
    expect(pods.map(({ name }) => name)).toEqual(['mpod.kb.io', 'vpod.kb.io', 'vpodeviction.kb.io']);
    for (const { namespaceSelector } of pods)
      expect(namespaceSelector).toEqual({
        matchExpressions: [
          { key: 'control-plane', operator: 'NotIn', values: ['openkruise'] },
          { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system', 'kruise-system'] },
        ],
      });
  });

  it('renders for old clusters, without what they do not know', async () => {
    const spread = (from: readonly Rendered[]): unknown =>
      (manager(from).template.spec['topologySpreadConstraints'] as readonly object[])[0];
    expect(spread(await render({}, '1.26.3'))).not.toHaveProperty('matchLabelKeys');
    expect(spread(await render({}, '1.27.0'))).toMatchObject({ matchLabelKeys: ['pod-template-hash'] });
    const budget = async (version: string): Promise<unknown> => find(await render({}, version), 'PodDisruptionBudget');
    expect([await budget('1.20.15'), await budget('1.21.0')]).toEqual([undefined, expect.anything()]);
  });
});

describe('feature gates', () => {
  const withGates = (featureGates: string): Promise<readonly Rendered[]> => render({ featureGates, 'crds.managed': false });

  it.each(['KruiseDaemon=false', 'AllBeta=false', 'AllBeta=true, KruiseDaemon=f'])(
    '%s: no DaemonSet, but its ServiceAccount',
    async (gates) => {
      const objects = await withGates(gates);
      expect(find(objects, 'DaemonSet')).toBeUndefined();
      expect(find(objects, 'ServiceAccount', 'kruise-daemon')).toBeDefined();
      expect(find(objects, 'Namespace', 'kruise-system')?.metadata.labels).toMatchObject({
        'pod-security.kubernetes.io/enforce': 'restricted',
      });
    },
  );

  it('PodWebhook=false: the three pod webhooks are absent, all others present', async () => {
    const [before, after] = [webhookNames(await render({ 'crds.managed': false })), webhookNames(await withGates('PodWebhook=false'))];
    expect(before.filter((name) => !after.includes(name))).toEqual(['mpod.kb.io', 'vpod.kb.io', 'vpodeviction.kb.io']);
    expect(after.every((name) => before.includes(name))).toBe(true);
  });

  it.each([
    ['EnableExternalCerts=true', false],
    ['AllAlpha=true', false],
    ['EnableExternalCerts=false,AllAlpha=true', true],
    ['AllAlpha=true,EnableExternalCerts=false', true],
    ['', true],
  ])('%s: certificates of our own is %s', async (gates, own) => {
    const objects = await withGates(gates);
    expect(find(objects, 'Secret') !== undefined).toBe(own);
    expect(find(objects, 'ClusterRole', 'kruise-certs-role') !== undefined).toBe(own);
  });

  it.each([
    ['StatefulSetAutoResizePVCGate=true', true],
    ['AllAlpha=true', true],
    ['', false],
  ])('%s: StorageClasses may be read: %s', async (gates, isGiven) => {
    expect(ruleFor(await withGates(gates), 'kruise-manager-role', 'storageclasses') !== undefined).toBe(isGiven);
  });

  it.each([
    ['ResourcesDeletionProtection=true,DeletionProtectionForCRDCascadingGate=true', true],
    ['AllBeta=true,AllAlpha=true', true],
    ['AllAlpha=true', false],
    ['ResourcesDeletionProtection=true', false],
    ['', false],
  ])('%s: objects of every kind may be listed: %s', async (gates, isGiven) => {
    expect(ruleFor(await withGates(gates), 'kruise-manager-role', '*') !== undefined).toBe(isGiven);
  });

  it.each([
    ['ResourceDistributionGate=true', true],
    ['AllBeta=true', true],
    ['', false],
  ])('%s: ResourceDistributions may be read: %s', async (gates, isGiven) => {
    for (const resource of ['resourcedistributions', 'resourcedistributions/status'])
      expect(ruleFor(await withGates(gates), 'kruise-manager-role', resource) !== undefined).toBe(isGiven);
  });

  it.each([
    ['ResourceDistributionGate=true', [['create', 'delete', 'get', 'list', 'update', 'watch']]],
    ['ImagePullJobGate=true', [['get', 'list', 'watch']]],
    ['PreDownloadImageForInPlaceUpdate=true', [['get', 'list', 'watch']]],
    ['', []],
  ])('%s: on Secrets of every namespace there are the rights %j', async (featureGates, verbs) => {
    const objects = await withGates(featureGates);
    const rules = (find(objects, 'ClusterRole', 'kruise-manager-role')?.rules ?? []) as readonly {
      readonly resources: readonly string[];
      readonly verbs: readonly string[];
    }[];
    expect(rules.filter(({ resources }) => resources.includes('secrets')).map((rule) => rule.verbs)).toEqual(verbs);
    expect(find(objects, 'Role', 'kruise-manager-secret-role') !== undefined).toBe(/Image/.test(featureGates));
  });

  it.each(['AllAlpha=true', ''])('%s: kinds without a gate may be read, whatever is on', async (gates) => {
    for (const resource of ['uniteddeployments', 'workloadspreads', 'podunavailablebudgets', 'statefulsets'])
      expect(ruleFor(await withGates(gates), 'kruise-manager-role', resource)).toBeDefined();
  });
});

describe('values', () => {
  const without = (values: Values): Promise<readonly Rendered[]> => render({ 'crds.managed': false, ...values });

  it.each([
    ['small', 1],
    ['large', 2],
  ])('preset %s gives %i replicas, whatever manager.replicas says', async (preset, replicas) => {
    expect(manager(await without({ preset, 'manager.replicas': 5 })).replicas).toBe(replicas);
    expect(manager(await without({ preset: 'custom', 'manager.replicas': 5 })).replicas).toBe(5);
  });

  it('crds.managed=false: no CRD', async () => {
    expect(find(await without({}), 'CustomResourceDefinition')).toBeUndefined();
  });

  it('crds.managed=null and crds.keep=null, by which Helm removes the defaults, change nothing', async () => {
    expect(await render({ 'crds.managed': null, 'crds.keep': null })).toEqual(await render());
  });

  it('installation.namespace moves every namespaced object and every reference to the namespace', async () => {
    const text = JSON.stringify(await render({ 'installation.namespace': 'other' }));
    expect(text).not.toContain('kruise-system');
    expect(text).toContain('"namespace":"other"');
  });

  it('daemon.namespace: the manager is in a namespace that enforces "restricted", the daemon in one that does not', async () => {
    const objects = await without({ 'daemon.namespace': 'kruise-daemon' });
    const level = (name: string): unknown => find(objects, 'Namespace', name)?.metadata.labels?.['pod-security.kubernetes.io/enforce'];
    expect([level('kruise-system'), level('kruise-daemon')]).toEqual(['restricted', 'privileged']);
    expect(find(objects, 'DaemonSet')?.metadata.namespace).toBe('kruise-daemon');
    expect((find(objects, 'ClusterRoleBinding', 'kruise-daemon-rolebinding')?.['subjects'] as readonly object[])[0]).toMatchObject({
      namespace: 'kruise-daemon',
    });
  });

  it('images: a registry in front, the daemon and the hook as the manager by default', async () => {
    const values = {
      'global.imageRegistry': 'registry.example:5000/',
      'manager.image': { repository: 'a/manager', tag: 'latest' },
      'daemon.image.tag': 'v2',
    };
    const objects = await without(values);
    expect(manager(objects).template.spec.containers[0]).toMatchObject({
      image: 'registry.example:5000/a/manager:latest',
      imagePullPolicy: 'Always',
    });
    expect(daemon(objects).template.spec.containers[0]).toMatchObject({
      image: 'registry.example:5000/a/manager:v2',
      imagePullPolicy: 'IfNotPresent',
    });
    const job = (find(objects, 'Job')?.spec as { readonly template: PodTemplate }).template;
    expect(job.spec.containers[0].image).toBe('registry.example:5000/a/manager:latest');
  });

  it.each<[Values, object]>([
    [{ 'manager.multiAZ': 'forcible' }, { maxUnavailable: 1, maxSurge: 0 }],
    [{ 'manager.hostNetwork': true }, { maxUnavailable: 1, maxSurge: 0 }],
    [{ 'manager.multiAZ': 'preferred' }, { maxUnavailable: 0, maxSurge: '100%' }],
  ])('%j updates by %j', async (values, expected) => {
    expect(manager(await without(values)).strategy.rollingUpdate).toEqual(expected);
  });

  it('multiAZ: preferred and forcible are affinities, equivalent is a constraint', async () => {
    const zone = 'topology.kubernetes.io/zone';
    const spec = async (multiAZ: string): Promise<string> =>
      JSON.stringify(manager(await without({ 'manager.multiAZ': multiAZ })).template.spec);
    expect(await spec('preferred')).toMatch(new RegExp(`"preferredDuringScheduling[^]*${zone}`));
    expect(await spec('forcible')).toMatch(new RegExp(`"requiredDuringScheduling[^]*${zone}`));
    expect(await spec('equivalent')).toContain('"whenUnsatisfiable":"DoNotSchedule"');
    expect(await spec('')).not.toContain('DoNotSchedule');
  });

  it('manager.affinity is merged over what the chart makes', async () => {
    const own = { podAffinity: { x: 1 } };
    const { affinity } = manager(await without({ 'manager.affinity': own, 'manager.nodeAffinity': { y: 2 } })).template.spec as {
      affinity?: object;
    };
    expect(affinity).toMatchObject({ podAffinity: { x: 1 }, nodeAffinity: { y: 2 }, podAntiAffinity: {} });
  });

  it('aksIntegration omits the namespaces that AKS manages, for every webhook', async () => {
    const webhooks = (await without({ 'webhookConfiguration.aksIntegration': true })).flatMap(
      ({ webhooks: list = [] }) => list as readonly { name: string; namespaceSelector: object }[],
    );
    expect(webhooks.length).toBeGreaterThan(10);
    for (const { namespaceSelector } of webhooks)
      expect(JSON.stringify(namespaceSelector)).toContain('{"key":"kubernetes.azure.com/managedby","operator":"NotIn","values":["aks"]}');
    expect(JSON.stringify(webhooks.find(({ name }) => name === 'vpod.kb.io'))).toContain(
      '{"key":"control-plane","operator":"NotIn","values":["openkruise","true"]}',
    );
    expect(JSON.stringify(webhooks.find(({ name }) => name === 'vcloneset.kb.io'))).toContain(
      '{"key":"control-plane","operator":"NotIn","values":["true"]}',
    );
  });

  it('the authority of the callers of webhooks is mounted, and a flag of the manager names the file', async () => {
    const reported = (objects: readonly Rendered[]): readonly string[] =>
      JSON.stringify(find(objects, 'Deployment', 'kruise-controller-manager')).match(/"[^"]*webhook-client-ca[^"]*"/g) ?? [];
    expect(reported(await without({}))).toEqual([]);
    const objects = await without({ 'manager.webhook.clientCAConfigMap': 'api-server-clients' });
    expect(reported(objects)).toContain('"--webhook-client-ca-file=/etc/kruise/webhook-client-ca/ca.crt"');
    expect(find(objects, 'Deployment', 'kruise-controller-manager')).toMatchObject({
      spec: {
        template: {
          spec: {
            containers: [
              {
                volumeMounts: expect.arrayContaining([
                  { name: 'webhook-client-ca', mountPath: '/etc/kruise/webhook-client-ca', readOnly: true },
                ]),
              },
            ],
            volumes: expect.arrayContaining([{ name: 'webhook-client-ca', configMap: { name: 'api-server-clients' } }]),
          },
        },
      },
    });
  });

  it('the scale of no kind is given but by name', async () => {
    const scales = (objects: readonly Rendered[]) =>
      (
        find(objects, 'ClusterRole', 'kruise-manager-role')?.rules as readonly {
          resources: readonly string[];
          apiGroups: readonly string[];
        }[]
      )
        .filter(({ resources }) => resources.some((resource) => resource.endsWith('/scale')))
        .map(({ apiGroups, resources }) => `${resources.join()} ${apiGroups.join()}`);
    const ours = ['uniteddeployments/scale apps.kruise.io'];
    expect(scales(await without({}))).toEqual([...ours, '*/scale *']);
    expect(scales(await without({ 'installation.scaledKinds': [] }))).toEqual(ours);
    const scaledKinds = ['rollouts.argoproj.io', 'games.example.com'];
    expect(scales(await without({ 'installation.scaledKinds': scaledKinds }))).toEqual([
      ...ours,
      'rollouts/scale argoproj.io',
      'games/scale example.com',
    ]);
    await expect(without({ 'installation.scaledKinds': ['*.example.com'] })).rejects.toThrow("don't meet the specifications of the schema");
  });

  it('the manager may connect to the API servers alone when their addresses are given', async () => {
    const egress = async (values: Values): Promise<unknown> =>
      (find(await without({ 'networkPolicy.enabled': true, ...values }), 'NetworkPolicy')?.spec as { egress: readonly object[] }).egress[1];
    const ports = [443, 6443].map((port) => ({ port, protocol: 'TCP' }));
    expect(await egress({})).toEqual({ ports });
    expect(await egress({ 'networkPolicy.apiServerCIDRs': ['10.0.0.0/28', 'fd00::/64'] })).toEqual({
      ports,
      to: [{ ipBlock: { cidr: '10.0.0.0/28' } }, { ipBlock: { cidr: 'fd00::/64' } }],
    });
  });

  it('rights can be narrowed', async () => {
    const featureGates = 'ResourcesDeletionProtection=true,DeletionProtectionForCRDCascadingGate=true';
    const groups = ['apps', 'example.org'];
    const objects = await without({ featureGates, 'installation.secretsAccess': 'off', 'installation.roleListGroups': groups });
    expect(ruleFor(objects, 'kruise-manager-role', 'secrets')).toBeUndefined();
    expect(ruleFor(objects, 'kruise-manager-role', '*')?.apiGroups).toEqual(['apps', 'example.org']);
    expect(ruleFor(await without({ featureGates, 'installation.roleListGroups': [] }), 'kruise-manager-role', '*')).toBeUndefined();
  });

  it('external certificates: the annotation is on both configurations and on every CRD with conversion', async () => {
    const annotations = { 'cert-manager.io/inject-ca-from': 'kruise-system/kruise-webhook-certs' };
    const objects = await render({ 'externalCerts.annotations': annotations });
    const asked = objects.filter(
      ({ webhooks, spec }) =>
        webhooks !== undefined || (spec as { conversion?: { strategy: string } } | undefined)?.conversion?.strategy === 'Webhook',
    );
    expect(asked.length).toBeGreaterThan(10);
    for (const { metadata } of asked) expect(metadata.annotations).toMatchObject(annotations);
  });

  it('the budget of the managers lets one be evicted at a time, or keeps as many as requested', async () => {
    const budgetWith = async (values: Values): Promise<unknown> => find(await without(values), 'PodDisruptionBudget')?.spec;
    expect(await budgetWith({})).toMatchObject({ maxUnavailable: 1 });
    const kept = await budgetWith({ 'manager.podDisruptionBudget.minAvailable': '50%' });
    expect(kept).toMatchObject({ minAvailable: '50%' });
    expect(kept).not.toHaveProperty('maxUnavailable');
    expect(await budgetWith({ 'manager.podDisruptionBudget.enabled': false })).toBeUndefined();
  });

  it('opt-in objects are rendered when requested', async () => {
    const objects = await without({
      'monitoring.serviceMonitor.enabled': true,
      'monitoring.podMonitor.enabled': true,
      'networkPolicy.enabled': true,
    });
    expect(['ServiceMonitor', 'PodMonitor', 'NetworkPolicy'].map((kind) => find(objects, kind)?.kind)).toEqual([
      'ServiceMonitor',
      'PodMonitor',
      'NetworkPolicy',
    ]);
    expect(find(objects, 'Service', 'kruise-controller-manager')).toBeDefined();
  });

  it('monitoring: the dashboards are valid JSON under the label that Grafana looks for, the alerts keep their templates', async () => {
    const objects = await without({
      'monitoring.grafanaDashboards': { enabled: true, labels: { grafana_dashboard: 'yes' } },
      'monitoring.prometheusRule.enabled': true,
      'monitoring.labels': { release: 'prometheus' },
    });
    const titles = ['CloneSet', 'control plane', 'fleet', 'StatefulSet', 'webhooks'];
    const maps = objects
      .filter(({ kind }) => kind === 'ConfigMap')
      .map((map) => map as Rendered & { readonly data: Readonly<Record<string, string>> });
    expect(maps.map(({ metadata }) => metadata.labels)).toEqual(titles.map(() => ({ grafana_dashboard: 'yes' })));
    const boards = maps
      .flatMap(({ data }) => Object.entries(data))
      .map(([file, text]) => [file, (JSON.parse(text) as { title: string }).title]);
    expect(boards).toEqual(titles.map((title) => [`kruise-${title.toLowerCase().replace(' ', '-')}.json`, `Kruise / ${title}`]));
    expect(maps.map(({ metadata }) => metadata.name)).toContain('kruise-dashboard-control-plane');
    const rule = find(objects, 'PrometheusRule');
    expect(rule?.metadata.labels).toEqual({ release: 'prometheus' });
    const rules = rulesOf(rule);
    expect(rules.map(({ alert }) => alert)).toEqual(alerts.map(({ alert }) => alert));
    expect(rules[1]?.annotations).toMatchObject({
      summary: expect.stringContaining('{{ $value }}') as unknown,
      runbook_url: 'docs/runbooks.md#kruisenoleader',
    });
  });

  it('monitoring: the alerts lead to the address at which the runbooks are published', async () => {
    const objects = await without({
      'monitoring.prometheusRule': { enabled: true, runbookUrl: 'https://docs.example/kruise/runbooks' },
    });
    const urls = rulesOf(find(objects, 'PrometheusRule')).map(({ annotations }) => annotations['runbook_url']);
    expect(urls).toEqual(alerts.map(({ alert }) => `https://docs.example/kruise/runbooks#${alert.toLowerCase()}`));
  });

  it('windowsImage: a second DaemonSet for Windows nodes, whose Pods are not those of the first', async () => {
    const objects = await without({ 'daemon.windowsImage': { repository: 'a/win', tag: 'v3' }, 'daemon.nodeSelector': { pool: 'x' } });
    const windows = find(objects, 'DaemonSet', 'kruise-daemon-windows')?.spec as {
      readonly selector: { readonly matchLabels: object };
      readonly template: PodTemplate;
    };
    const linux = daemon(objects).template.spec;
    expect(windows.template.spec).toMatchObject({
      nodeSelector: { 'kubernetes.io/os': 'windows', pool: 'x' },
      hostNetwork: true,
      securityContext: { windowsOptions: { hostProcess: true, runAsUserName: 'NT AUTHORITY\\SYSTEM' } },
    });
    expect(windows.template.spec).not.toHaveProperty('volumes');
    expect(windows.template.spec.containers[0]).toMatchObject({ image: 'a/win:v3', command: ['kruise-daemon.exe'] });
    expect(windows.selector.matchLabels).not.toEqual({ 'control-plane': 'daemon' });
    expect(linux['nodeSelector']).toEqual({ 'kubernetes.io/os': 'linux', pool: 'x' });
    expect(find(await without({}), 'DaemonSet', 'kruise-daemon-windows')).toBeUndefined();
  });

  it('tests: a Pod that runs the check of the plugin, with rights of its own that are deleted with it', async () => {
    const objects = await without({
      'tests.enabled': true,
      'tests.timeout': '30s',
      'installation.namespace': 'kruise',
      'helmHooks.nodeSelector': { pool: 'x' },
    });
    const hooks = objects.filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'] === 'test');
    expect(hooks.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`).sort()).toEqual([
      'ClusterRole /kruise-check-role',
      'ClusterRoleBinding /kruise-check-rolebinding',
      'Pod kruise/kruise-check',
      'Role default/kruise-check-samples-role',
      'Role kruise/kruise-check-role',
      'RoleBinding default/kruise-check-samples-rolebinding',
      'RoleBinding kruise/kruise-check-rolebinding',
      'ServiceAccount kruise/kruise-check',
    ]);
    const spec = find(hooks, 'Pod')?.spec as PodTemplate['spec'];
    expect(spec).toMatchObject({ serviceAccountName: 'kruise-check', restartPolicy: 'Never', nodeSelector: { pool: 'x' } });
    const { command } = spec.containers[0] as unknown as { readonly command: readonly string[] };
    expect(command.slice(command.indexOf('/app/kubectl-kruise/main.mjs'))).toEqual([
      '/app/kubectl-kruise/main.mjs',
      'check',
      '--wait',
      '--timeout=30s',
      '--namespace=kruise',
    ]);
    const created = hooks
      .filter(({ kind }) => kind === 'ClusterRole')
      .flatMap(({ rules }) => rules as readonly { readonly resources: readonly string[]; readonly verbs: readonly string[] }[])
      .filter(({ verbs }) => verbs.includes('create'));
    expect(created.flatMap(({ resources }) => resources)).toEqual([
      'subjectaccessreviews',
      'nodeimages',
      'nodepodprobes',
      'resourcedistributions',
      'sidecarsets',
    ]);
  });

  it('migrateStorage: a job after upgrades, with rights of its own that go with it', async () => {
    const objects = await without({ 'crds.migrateStorage.enabled': true, 'helmHooks.nodeSelector': { pool: 'x' } });
    const hooks = objects.filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'] === 'post-upgrade');
    expect(hooks.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()).toEqual([
      'ClusterRole kruise-migrate-storage-role',
      'ClusterRoleBinding kruise-migrate-storage-rolebinding',
      'Job kruise-migrate-storage',
      'ServiceAccount kruise-migrate-storage',
    ]);
    const { template } = find(hooks, 'Job')?.spec as { readonly template: PodTemplate };
    expect(template.spec.containers[0]).toMatchObject({ command: ['/helm_hook', 'migrate-storage'] });
    expect(template.spec['nodeSelector']).toEqual({ pool: 'x' });
  });

  it('the credential provider is mounted and passed on', async () => {
    const objects = await without({
      'daemon.credentialProvider': { enable: true, configmap: 'c', hostPath: '/plugins', awsCredentialsDir: '/aws' },
    });
    const { args, volumeMounts } = daemon(objects).template.spec.containers[0] as unknown as {
      args: readonly string[];
      volumeMounts: readonly { mountPath: string }[];
    };
    expect(args).toContain('--plugin-bin-dir=/credential-provider-plugin');
    expect(volumeMounts.map(({ mountPath }) => mountPath)).toEqual([
      '/hostvarrun',
      '/tmp',
      '/log',
      '/credential-provider-config',
      '/credential-provider-plugin',
      '/root/.aws',
    ]);
  });

  it.each<[string, Values]>([
    ['an unknown value', { 'manager.replica': 2 }],
    ['a port out of range', { 'manager.webhook.port': 70_000 }],
    ['a timeout that Kubernetes refuses', { 'webhookConfiguration.timeoutSeconds': 31 }],
    ['an unknown preset', { preset: 'medium' }],
    ['feature gates without a value', { featureGates: 'KruiseDaemon' }],
    ['feature gates with a blank for a comma', { featureGates: 'KruiseDaemon=false PodWebhook=true' }],
    ['a namespace that is no name', { 'installation.namespace': 'Kruise_System' }],
    ['a list where there is one', { imagePullSecrets: 'secret' }],
    ['a runbook address that is no URL', { 'monitoring.prometheusRule.runbookUrl': 'docs/runbooks.md' }],
    ['a label that is no text', { 'monitoring.grafanaDashboards.labels': { grafana_dashboard: 1 } }],
  ])('%s is refused', async (_, values) => {
    await expect(without(values)).rejects.toThrow("don't meet the specifications of the schema");
  });
});
