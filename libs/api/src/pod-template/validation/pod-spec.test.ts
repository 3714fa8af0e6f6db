import { describe, expect, it } from '@jest/globals';
import { formatFieldError, setIn, type JsonObject } from '@kruise/objects';
import { validTemplate } from './faulty-templates.testing.ts';
import { validatePodTemplate } from './pod-template.ts';

const faultsOf = (template: unknown): readonly string[] =>
  validatePodTemplate(template, '', { allowPrivileged: true, hostNetworkHostPorts: false, claimVolumes: [] }).map(formatFieldError);

/** Members by the API reference of core/v1, with their object and the type of their JSON. */
interface MemberRow {
  /** Below the template; numbers are indexes of lists. Parts that the valid template lacks are created. */
  readonly at: string;
  readonly texts?: string;
  readonly numbers?: string;
  readonly switches?: string;
  readonly lists?: string;
  readonly objects?: string;
}
const container = 'spec.containers.0';
const term = 'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution.0';
const nodes = 'spec.affinity.nodeAffinity';
const security = 'runAsUser runAsGroup';
const profiles = 'appArmorProfile seccompProfile seLinuxOptions windowsOptions';

const members: readonly MemberRow[] = [
  { at: 'metadata', lists: 'finalizers', objects: 'annotations labels' },
  {
    at: 'spec',
    texts:
      'dnsPolicy hostname hostnameOverride nodeName preemptionPolicy priorityClassName restartPolicy runtimeClassName schedulerName serviceAccount serviceAccountName subdomain',
    numbers: 'activeDeadlineSeconds priority terminationGracePeriodSeconds',
    switches:
      'automountServiceAccountToken enableServiceLinks hostIPC hostNetwork hostPID hostUsers setHostnameAsFQDN shareProcessNamespace',
    lists:
      'containers hostAliases imagePullSecrets initContainers readinessGates resourceClaims schedulingGates tolerations topologySpreadConstraints volumes',
    objects: 'affinity dnsConfig nodeSelector os overhead resources securityContext',
  },
  {
    at: container,
    texts: 'image imagePullPolicy name restartPolicy terminationMessagePath terminationMessagePolicy workingDir',
    switches: 'stdin stdinOnce tty',
    lists: 'args command env envFrom ports resizePolicy volumeDevices volumeMounts',
    objects: 'lifecycle livenessProbe readinessProbe resources securityContext startupProbe',
  },
  { at: 'spec.initContainers.0', texts: 'image name workingDir', lists: 'args env', objects: 'securityContext resources' },
  { at: `${container}.ports.0`, texts: 'name protocol hostIP', numbers: 'containerPort hostPort' },
  { at: `${container}.env.0`, texts: 'name value', objects: 'valueFrom' },
  { at: `${container}.env.1.valueFrom`, objects: 'fieldRef resourceFieldRef configMapKeyRef secretKeyRef fileKeyRef' },
  { at: `${container}.env.1.valueFrom.fieldRef`, texts: 'apiVersion fieldPath' },
  { at: `${container}.env.1.valueFrom.resourceFieldRef`, texts: 'containerName resource' },
  { at: `${container}.env.1.valueFrom.configMapKeyRef`, texts: 'name key', switches: 'optional' },
  { at: `${container}.env.1.valueFrom.secretKeyRef`, texts: 'name key', switches: 'optional' },
  { at: `${container}.env.1.valueFrom.fileKeyRef`, texts: 'volumeName path key', switches: 'optional' },
  { at: `${container}.envFrom.0`, texts: 'prefix', objects: 'configMapRef secretRef' },
  { at: `${container}.envFrom.0.configMapRef`, texts: 'name', switches: 'optional' },
  { at: `${container}.resources`, lists: 'claims', objects: 'limits requests' },
  { at: `${container}.resources.claims.0`, texts: 'name request' },
  { at: `${container}.resizePolicy.0`, texts: 'resourceName restartPolicy' },
  {
    at: `${container}.volumeMounts.0`,
    texts: 'name mountPath subPath subPathExpr mountPropagation recursiveReadOnly',
    switches: 'readOnly',
  },
  { at: `${container}.volumeDevices.0`, texts: 'name devicePath' },
  ...['livenessProbe', 'readinessProbe', 'startupProbe'].map((probe) => ({
    at: `${container}.${probe}`,
    numbers: 'initialDelaySeconds timeoutSeconds periodSeconds successThreshold failureThreshold terminationGracePeriodSeconds',
    objects: 'exec httpGet tcpSocket grpc',
  })),
  { at: `${container}.livenessProbe.httpGet`, texts: 'path host scheme', lists: 'httpHeaders' },
  { at: `${container}.livenessProbe.httpGet.httpHeaders.0`, texts: 'name value' },
  { at: `${container}.livenessProbe.tcpSocket`, texts: 'host' },
  { at: `${container}.livenessProbe.grpc`, texts: 'service', numbers: 'port' },
  { at: `${container}.livenessProbe.exec`, lists: 'command' },
  { at: `${container}.lifecycle`, texts: 'stopSignal', objects: 'postStart preStop' },
  { at: `${container}.lifecycle.postStart`, objects: 'exec httpGet tcpSocket sleep' },
  { at: `${container}.lifecycle.preStop.sleep`, numbers: 'seconds' },
  {
    at: `${container}.securityContext`,
    texts: 'procMount',
    numbers: security,
    switches: 'allowPrivilegeEscalation privileged readOnlyRootFilesystem runAsNonRoot',
    objects: `capabilities ${profiles}`,
  },
  { at: `${container}.securityContext.capabilities`, lists: 'add drop' },
  {
    at: 'spec.securityContext',
    texts: 'fsGroupChangePolicy seLinuxChangePolicy supplementalGroupsPolicy',
    numbers: `fsGroup ${security}`,
    switches: 'runAsNonRoot',
    lists: 'supplementalGroups sysctls',
    objects: profiles,
  },
  { at: 'spec.securityContext.sysctls.0', texts: 'name value' },
  { at: 'spec.securityContext.seccompProfile', texts: 'type localhostProfile' },
  { at: 'spec.securityContext.appArmorProfile', texts: 'type localhostProfile' },
  { at: 'spec.securityContext.seLinuxOptions', texts: 'level role type user' },
  { at: 'spec.securityContext.windowsOptions', texts: 'gmsaCredentialSpec gmsaCredentialSpecName runAsUserName', switches: 'hostProcess' },
  { at: 'spec.dnsConfig', lists: 'nameservers options searches' },
  { at: 'spec.dnsConfig.options.0', texts: 'name value' },
  { at: 'spec.hostAliases.0', texts: 'ip', lists: 'hostnames' },
  { at: 'spec.imagePullSecrets.0', texts: 'name' },
  { at: 'spec.os', texts: 'name' },
  { at: 'spec.resources', objects: 'limits requests' },
  { at: 'spec.resourceClaims.0', texts: 'name resourceClaimName resourceClaimTemplateName' },
  { at: 'spec.readinessGates.0', texts: 'conditionType' },
  { at: 'spec.schedulingGates.0', texts: 'name' },
  { at: 'spec.tolerations.0', texts: 'effect key operator value', numbers: 'tolerationSeconds' },
  {
    at: 'spec.topologySpreadConstraints.0',
    texts: 'nodeAffinityPolicy nodeTaintsPolicy topologyKey whenUnsatisfiable',
    numbers: 'maxSkew minDomains',
    lists: 'matchLabelKeys',
    objects: 'labelSelector',
  },
  { at: 'spec.affinity', objects: 'nodeAffinity podAffinity podAntiAffinity' },
  { at: nodes, lists: 'preferredDuringSchedulingIgnoredDuringExecution', objects: 'requiredDuringSchedulingIgnoredDuringExecution' },
  { at: `${nodes}.requiredDuringSchedulingIgnoredDuringExecution`, lists: 'nodeSelectorTerms' },
  { at: `${nodes}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms.0`, lists: 'matchExpressions matchFields' },
  {
    at: `${nodes}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms.0.matchExpressions.0`,
    texts: 'key operator',
    lists: 'values',
  },
  { at: `${nodes}.preferredDuringSchedulingIgnoredDuringExecution.0`, numbers: 'weight', objects: 'preference' },
  { at: 'spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution.0', numbers: 'weight', objects: 'podAffinityTerm' },
  {
    at: 'spec.affinity.podAffinity',
    lists: 'preferredDuringSchedulingIgnoredDuringExecution requiredDuringSchedulingIgnoredDuringExecution',
  },
  { at: term, texts: 'topologyKey', lists: 'matchLabelKeys mismatchLabelKeys namespaces', objects: 'labelSelector namespaceSelector' },
];

const partsOf = (path: string): readonly (string | number)[] => path.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
const shownPath = (path: string): string => path.replaceAll(/\.(\d+)/g, '[$1]');
const words = (text = ''): readonly string[] => text.split(' ').filter((word) => word !== '');
const types = [
  { of: 'texts', value: 5, why: '5: must be a string' },
  { of: 'numbers', value: 'x', why: '"x": must be an integer' },
  { of: 'switches', value: 'x', why: '"x": must be true or false' },
  { of: 'lists', value: 'x', why: '"x": must be a list' },
  { of: 'objects', value: 'x', why: '"x": must be an object' },
] as const;

describe('what the API accepts in a Pod template', () => {
  it.each(members)('members of $at have the types of the API', (row) => {
    for (const { of, value, why } of types)
      for (const name of words(row[of])) {
        const path = `${row.at}.${name}`;
        expect(faultsOf(setIn<unknown>(validTemplate, partsOf(path), value))).toContain(`${shownPath(path)}: Invalid value: ${why}`);
      }
  });

  it.each(members)('members of $at that are null count as absent', (row) => {
    const names = types.flatMap(({ of }) => words(row[of]));
    for (const name of names) {
      const path = `${row.at}.${name}`;
      const faults = faultsOf(setIn<unknown>(validTemplate, partsOf(path), null));
      expect(faults.filter((fault) => fault.startsWith(`${shownPath(path)}: Invalid value: null`))).toEqual([]);
    }
  });

  it.each([
    { at: 'spec.dnsPolicy', values: ['ClusterFirst', 'ClusterFirstWithHostNet', 'Default'] },
    { at: 'spec.preemptionPolicy', values: ['Never', 'PreemptLowerPriority'] },
    { at: 'spec.restartPolicy', values: ['Always', 'OnFailure', 'Never'] },
    { at: 'spec.os', values: [{ name: 'linux' }] },
    { at: `${container}.imagePullPolicy`, values: ['Always', 'IfNotPresent', 'Never'] },
    { at: `${container}.restartPolicy`, values: ['Always', 'OnFailure', 'Never'] },
    { at: `${container}.terminationMessagePolicy`, values: ['File', 'FallbackToLogsOnError'] },
    { at: `${container}.ports.0.protocol`, values: ['SCTP', 'TCP', 'UDP'] },
    { at: `${container}.livenessProbe.httpGet.scheme`, values: ['HTTP', 'HTTPS'] },
    { at: `${container}.securityContext.procMount`, values: ['Default'] },
    { at: `${container}.securityContext.seccompProfile`, values: [{ type: 'RuntimeDefault' }, { type: 'Unconfined' }] },
    { at: 'spec.securityContext.fsGroupChangePolicy', values: ['Always', 'OnRootMismatch'] },
    { at: 'spec.securityContext.seLinuxChangePolicy', values: ['MountOption', 'Recursive'] },
    { at: 'spec.securityContext.supplementalGroupsPolicy', values: ['Merge', 'Strict'] },
    { at: 'spec.tolerations.0.effect', values: ['NoExecute', 'NoSchedule', 'PreferNoSchedule'] },
    { at: 'spec.topologySpreadConstraints.0.whenUnsatisfiable', values: ['DoNotSchedule', 'ScheduleAnyway'] },
    {
      at: `${container}.resizePolicy`,
      values: [
        [
          { resourceName: 'cpu', restartPolicy: 'NotRequired' },
          { resourceName: 'memory', restartPolicy: 'RestartContainer' },
        ],
      ],
    },
  ])('$at takes $values', ({ at, values }) => {
    for (const value of values) expect(faultsOf(setIn<unknown>(validTemplate, partsOf(at), value))).toEqual([]);
  });

  it.each([
    { at: 'spec.preemptionPolicy', supported: '"Never", "PreemptLowerPriority"' },
    { at: 'spec.dnsPolicy', supported: '"ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"' },
    { at: `${container}.terminationMessagePolicy`, supported: '"File", "FallbackToLogsOnError"' },
    { at: `${container}.securityContext.procMount`, supported: '"Default", "Unmasked"' },
    { at: 'spec.securityContext.fsGroupChangePolicy', supported: '"Always", "OnRootMismatch"' },
    { at: 'spec.securityContext.seLinuxChangePolicy', supported: '"MountOption", "Recursive"' },
    { at: 'spec.securityContext.supplementalGroupsPolicy', supported: '"Merge", "Strict"' },
    { at: 'spec.tolerations.0.effect', supported: '"NoExecute", "NoSchedule", "PreferNoSchedule"' },
  ])('$at takes nothing else', ({ at, supported }) => {
    expect(faultsOf(setIn<unknown>(validTemplate, partsOf(at), 'Zzzzzz'))).toEqual([
      `${shownPath(at)}: Unsupported value: "Zzzzzz": supported values: ${supported}`,
    ]);
  });

  it.each(['hostNetwork', 'hostPID', 'hostIPC'])('%s is allowed only with the users of the host', (name) => {
    const spec = { ...(validTemplate.spec as JsonObject), [name]: true };
    expect(faultsOf({ ...validTemplate, spec: { ...spec, hostUsers: false } })).toContain(
      `spec.${name}: Forbidden: when \`hostUsers\` is false`,
    );
    expect(faultsOf({ ...validTemplate, spec: { ...spec, hostUsers: true } })).toEqual(
      name === 'hostNetwork' ? expect.not.arrayContaining([expect.stringContaining('hostUsers')]) : [],
    );
    expect(faultsOf({ ...validTemplate, spec: { ...spec, [name]: false, hostUsers: false } })).toEqual([]);
  });

  it('/proc may be unmasked for users that are not those of the host', () => {
    const unmasked = setIn<unknown>(validTemplate, partsOf(`${container}.securityContext.procMount`), 'Unmasked');
    expect(faultsOf(setIn<unknown>(unmasked, ['spec', 'hostUsers'], false))).toEqual([]);
    expect(faultsOf(unmasked)).toEqual([
      'spec.containers[0].securityContext.procMount: Invalid value: "Unmasked": `hostUsers` must be false to use `Unmasked`',
    ]);
  });

  it('search domains of 2048 characters, spaces included, are taken', () => {
    const searches = Array.from({ length: 9 }, () => 'a'.repeat(63));
    const long = (rest: number): readonly string[] => [
      ...Array.from({ length: 8 }, () => Array.from({ length: 3 }, () => 'a'.repeat(63)).join('.')),
      ...searches.slice(0, 7),
      'b'.repeat(rest),
    ];
    const of = (list: readonly string[]): readonly string[] =>
      faultsOf(setIn<unknown>(validTemplate, partsOf('spec.dnsConfig.searches'), list));
    const fill = 2048 - long(0).join(' ').length;
    expect(of(long(fill))).toEqual([]);
    expect(of(long(fill + 1))).toEqual([
      expect.stringMatching(
        /^spec\.dnsConfig\.searches: Invalid value: \["aaa.*: must not have more than 2048 characters \(including spaces\) in the search list$/,
      ),
    ]);
  });

  it('a resize policy names its resource and what happens, each resource once', () => {
    const of = (list: readonly JsonObject[]): readonly string[] =>
      faultsOf(setIn<unknown>(validTemplate, partsOf(`${container}.resizePolicy`), list));
    const cpu = { resourceName: 'cpu', restartPolicy: 'NotRequired' };
    expect(of([{}])).toEqual([
      'spec.containers[0].resizePolicy[0].resourceName: Required value',
      'spec.containers[0].resizePolicy[0].restartPolicy: Required value',
    ]);
    expect(of([cpu, cpu])).toEqual(['spec.containers[0].resizePolicy[1].resourceName: Duplicate value: "cpu"']);
    expect(of([{ resourceName: 'disk', restartPolicy: 'Maybe' }])).toEqual([
      'spec.containers[0].resizePolicy[0].resourceName: Unsupported value: "disk": supported values: "cpu", "memory"',
      'spec.containers[0].resizePolicy[0].restartPolicy: Unsupported value: "Maybe": supported values: "NotRequired", "RestartContainer"',
    ]);
  });

  it.each<{ at: string; value: unknown; fault: string }>([
    { at: 'metadata.annotations', value: { a: 5 }, fault: '[a]: Invalid value: 5: must be a string' },
    { at: 'spec.nodeSelector', value: { a: 5 }, fault: '[a]: Invalid value: 5: must be a string' },
    {
      at: `${nodes}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms.0.matchExpressions.0.operator`,
      value: 5,
      fault: ': Invalid value: 5: must be a string',
    },
    {
      at: 'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution',
      value: [{ topologyKey: 'z', namespaces: [{}] }],
      fault: '[0].namespaces[0]: Invalid value: {}: must be a string',
    },
    {
      at: 'spec.topologySpreadConstraints.0.matchLabelKeys',
      value: [5],
      fault: '[0]: Invalid value: 5: must be a string',
    },
    { at: 'spec.hostAliases.0.ip', value: 5, fault: ': Invalid value: 5: must be a string' },
    { at: 'spec.readinessGates.0.conditionType', value: 5, fault: ': Invalid value: 5: must be a string' },
    { at: 'spec.schedulingGates', value: [{ name: 5 }], fault: '[0].name: Invalid value: 5: must be a string' },
    { at: `${container}.livenessProbe.httpGet.port`, value: true, fault: ': Invalid value: true: must be an integer or a name' },
    {
      at: `${container}.resources`,
      value: { limits: { 'example.com/gpu': 'x' } },
      fault: '.limits[example.com/gpu]: Invalid value: "x": must be a quantity, such as 100m, 1.5 or 2Gi',
    },
    {
      at: `${container}.resources`,
      value: { requests: { cpu: 'x' }, limits: { cpu: '1' } },
      fault: '.requests[cpu]: Invalid value: "x": must be a quantity, such as 100m, 1.5 or 2Gi',
    },
    { at: 'spec.priority', value: 1.5, fault: ': Invalid value: 1.5: must be an integer' },
    { at: 'spec.priority', value: 2147483648, fault: ': Invalid value: 2147483648: must be a 32-bit integer' },
    { at: 'spec.priority', value: -2147483649, fault: ': Invalid value: -2147483649: must be a 32-bit integer' },
    {
      at: 'spec.terminationGracePeriodSeconds',
      value: 2n ** 63n,
      fault: ': Invalid value: 9223372036854775808: must be a 64-bit integer',
    },
    {
      at: 'spec.terminationGracePeriodSeconds',
      value: -(2n ** 63n) - 1n,
      fault: ': Invalid value: -9223372036854775809: must be a 64-bit integer',
    },
  ])('$at of $value has one fault', ({ at, value, fault }) => {
    expect(faultsOf(setIn<unknown>(validTemplate, partsOf(at), value))).toEqual([`${shownPath(at)}${fault}`]);
  });

  it.each<{ at: string; value: unknown }>([
    { at: 'spec.priority', value: -2147483648 },
    { at: 'spec.terminationGracePeriodSeconds', value: 2n ** 63n - 1n },
    { at: 'spec.terminationGracePeriodSeconds', value: -(2n ** 63n) },
    { at: `${container}.env.2.valueFrom.resourceFieldRef.divisor`, value: null },
  ])('$at may be $value', ({ at, value }) => {
    expect(faultsOf(setIn<unknown>(validTemplate, partsOf(at), value))).toEqual([]);
  });

  it('annotations are counted although one is no text', () => {
    const annotations = { a: 5, note: 'x'.repeat(256 * 1024) };
    expect(faultsOf(setIn<unknown>(validTemplate, ['metadata', 'annotations'], annotations))).toEqual([
      'metadata.annotations[a]: Invalid value: 5: must be a string',
      'metadata.annotations: Too long: may not be more than 262144 bytes',
    ]);
  });

  it.each<{ at: string; value: unknown; missing: readonly string[] }>([
    { at: 'spec.containers', value: [{ image: 'a' }, { image: 'b' }], missing: ['[0].name', '[1].name'] },
    { at: `${container}.volumeMounts`, value: [{ name: 'data' }, { name: 'data' }], missing: ['[0].mountPath', '[1].mountPath'] },
    {
      at: `${container}.env.1.valueFrom`,
      value: { fileKeyRef: {} },
      missing: ['.fileKeyRef.volumeName', '.fileKeyRef.path', '.fileKeyRef.key'],
    },
    {
      at: container,
      value: { name: 'web', image: 'i', volumeMounts: [{}], volumeDevices: [{}] },
      missing: ['.volumeMounts[0].name', '.volumeMounts[0].mountPath', '.volumeDevices[0].name', '.volumeDevices[0].devicePath'],
    },
    {
      at: 'spec.volumes.3.projected.sources',
      value: [{ secret: { name: 's', items: [{ key: 'a' }, { key: 'b' }] } }],
      missing: ['[0].secret.items[0].path', '[0].secret.items[1].path'],
    },
  ])('$at: what is missing in $value is no duplicate', ({ at, value, missing }) => {
    expect(faultsOf(setIn<unknown>(validTemplate, partsOf(at), value))).toEqual(
      missing.map((name) => `${shownPath(at)}${name}: Required value`),
    );
  });

  it('amounts are quantities', () => {
    const of = (value: unknown): readonly string[] =>
      faultsOf(setIn<unknown>(validTemplate, partsOf(`${container}.resources`), { limits: { cpu: value } }));
    expect(of('much')).toEqual([
      'spec.containers[0].resources.limits[cpu]: Invalid value: "much": must be a quantity, such as 100m, 1.5 or 2Gi',
    ]);
    expect(of(null)).toEqual([]);
    expect(faultsOf(setIn<unknown>(validTemplate, partsOf('spec.overhead'), { cpu: '-1' }))).toEqual([
      'spec.overhead[cpu]: Invalid value: "-1": must be greater than or equal to 0',
    ]);
  });

  it.each(['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'])('%s of an init container needs that it runs on', (name) => {
    const value = name === 'lifecycle' ? { postStart: { exec: { command: ['x'] } } } : { exec: { command: ['x'] } };
    const of = (index: number): readonly string[] =>
      faultsOf(setIn<unknown>(validTemplate, ['spec', 'initContainers', index, name], value));
    expect(of(0)).toEqual([`spec.initContainers[0].${name}: Forbidden: may not be set for init containers without restartPolicy=Always`]);
    expect(of(1)).toEqual([]);
  });
});
