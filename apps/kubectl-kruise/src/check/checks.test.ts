/** The verdicts of all checks: none on a sound installation, and the right one for each fault. */
import { describe, expect, it } from '@jest/globals';
import { allKinds, crdName, objectNames, podProbeMarkers } from '@kruise/api';
import type { JsonObject } from '@kruise/objects';
import { checksOf, type Mode } from './checks/all-checks.ts';
import type { FactValues } from './facts.ts';
import { exitCodeOf, findingsOf, reportObject, reportText } from './report.ts';
import {
  agentLabels,
  at,
  certificates,
  definition,
  definitionsWith,
  entriesOf,
  entry,
  factsWith,
  factsWithout,
  lease,
  managerLabels,
  mutatingWith,
  named,
  pod,
  samplesWith,
  serving,
  soundValues,
  workload,
} from './facts.testing.ts';

const manager = objectNames.managerDeployment;
const agent = objectNames.daemonSet;

const found = (changed: Partial<FactValues>, mode: Mode = 'installed') => findingsOf(checksOf[mode], factsWith(changed), at);

/** Names of the checks with a verdict of this kind. */
const namesOf = (changed: Partial<FactValues>, kind: string, mode: Mode = 'installed'): readonly string[] =>
  found(changed, mode)
    .filter(({ verdict }) => verdict.kind === kind)
    .map(({ check }) => check.name);

const waiting = (reason: string, image = 'nowhere/kruise:v9'): JsonObject => ({
  containerStatuses: [{ name: 'main', image, state: { waiting: { reason } } }],
});
const refused = (message: string) => ({ kind: 'Refused', reason: 'InternalError', message }) as const;
const calling = (cause: string): string =>
  `Internal error occurred: failed calling webhook "mcloneset.kb.io": failed to call webhook: Post "https://kruise-webhook-service.kruise-system.svc:443/mutate": ${cause}`;
const withBundle = (at_: number, caBundle: string): readonly JsonObject[] =>
  entriesOf('mutate').map((one, index) =>
    index === at_ ? { ...one, clientConfig: { ...(one['clientConfig'] as JsonObject), caBundle } } : one,
  );

const heldMarker: FactValues['terminating'][number] = {
  type: podProbeMarkers,
  namespace: 'shop',
  name: 'up',
  otherFinalizers: [],
};

const outside = (one: JsonObject): JsonObject => {
  const { caBundle, service } = one['clientConfig'] as { readonly caBundle: string; readonly service: { readonly path: string } };
  return { ...one, clientConfig: { caBundle, url: `https://127.0.0.1:9876${service.path}` } };
};

describe('a sound installation', () => {
  it('has at least 25 checks, each with its own name', () => {
    const names = checksOf.installed.map(({ name }) => name);
    expect(names.length).toBeGreaterThanOrEqual(25);
    expect(new Set(names).size).toBe(names.length);
  });

  it('has no fault, nothing unknown and no advice', () => {
    const said = found({}).filter(({ verdict }) => verdict.kind !== 'Sound' && verdict.kind !== 'Skipped');
    expect(said).toEqual([]);
    expect(exitCodeOf(found({}))).toBe(0);
  });

  it.each<[string, Partial<FactValues>]>([
    [
      'without an agent, with its gate off',
      { agents: [], agentPods: [], managers: [workload(manager, { args: ['--feature-gates=KruiseDaemon=false'] })] },
    ],
    [
      'with a manager outside of the cluster',
      {
        managers: [],
        managerPods: [],
        agents: [],
        agentPods: [],
        service: undefined,
        endpoints: [],
        certificates: undefined,
        managerRights: [],
        mutating: mutatingWith(entriesOf('mutate').map((one) => outside(one))),
        validating: [named(objectNames.validatingWebhooks, { webhooks: entriesOf('validate').map((one) => outside(one)) })],
        lease: lease('machine_1'),
      },
    ],
    [
      'of a gate that its sample is refused by',
      {
        samples: samplesWith([
          'workloadspreads',
          refused('admission webhook "vworkloadspread.kb.io" denied the request: feature-gate WorkloadSpread is not enabled'),
        ]),
      },
    ],
    ['with Rollouts and their controller', { rollouts: [named('r')], rolloutManagers: [workload('kruise-rollout-controller-manager')] }],
    [
      'whose namespace of the installation is excluded by its label',
      {
        namespace: named('kruise-system', {}, { labels: { 'control-plane': 'openkruise' } }),
        mutating: mutatingWith(
          entriesOf('mutate').map((one) =>
            one['name'] !== 'mpod.kb.io'
              ? one
              : {
                  ...one,
                  namespaceSelector: {
                    matchExpressions: [
                      { key: 'control-plane', operator: 'NotIn', values: ['openkruise'] },
                      { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system'] },
                    ],
                  },
                },
          ),
        ),
      },
    ],
    [
      'with a second Deployment of the manager that has 0 replicas',
      { managers: [workload(manager), workload(manager, { namespace: 'old', spec: { replicas: 0 } })] },
    ],
    [
      'with certificates from outside',
      {
        managers: [workload(manager, { args: ['--feature-gates=EnableExternalCerts=true'] })],
        agents: [workload(agent, { args: ['--feature-gates=EnableExternalCerts=true'] })],
        certificates: undefined,
      },
    ],
  ])('%s has no fault', (_name, changed) => {
    expect(namesOf(changed, 'Fault')).toEqual([]);
    expect(namesOf(changed, 'Unknown')).toEqual([]);
  });
});

/** Each fault with the check that names it; `also` are checks that the same cause concerns. */
const faults: readonly {
  readonly name: string;
  readonly given: Partial<FactValues>;
  readonly by: readonly string[];
  readonly says?: RegExp;
}[] = [
  {
    name: 'an old release of Kubernetes',
    given: { server: { major: 1, minor: 16, gitVersion: 'v1.16.2' } },
    by: ['server-version'],
    says: /v1\.16\.2/,
  },
  { name: 'no namespace', given: { namespace: undefined }, by: ['namespace'] },
  {
    name: 'a namespace that is being deleted',
    given: { namespace: named('kruise-system', {}, { deletionTimestamp: '2026-01-10T11:00:00Z' }) },
    by: ['namespace'],
  },
  {
    name: 'Pod Security that refuses the agent',
    given: { agentNamespace: named('kruise-system', {}, { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } }) },
    by: ['pod-security'],
    says: /restricted/,
  },
  {
    name: 'a second installation',
    given: { managers: [workload(manager), workload(manager, { namespace: 'other' })] },
    by: ['one-installation'],
    says: /other\/kruise-controller-manager/,
  },
  {
    name: 'webhooks of a second installation',
    given: {
      mutating: [
        ...mutatingWith(entriesOf('mutate')),
        named('old-kruise', { webhooks: [entry('mcloneset.kb.io', '/mutate-apps-kruise-io-v1alpha1-cloneset')] }),
      ],
    },
    by: ['one-installation'],
    says: /old-kruise/,
  },
  {
    name: 'a clock of the leader that is ahead',
    given: { lease: lease('kruise-controller-manager-a_1', 90_000) },
    by: ['manager-clock'],
    says: /90 s ahead/,
  },
  {
    name: 'a clock of a node that is behind',
    given: { nodeLeases: [lease('n2', -60_000, 2000, 'n2')] },
    by: ['node-clocks'],
    says: /n2 is 60 s behind/,
  },
  {
    name: 'Rollouts without their controller',
    given: { rollouts: [named('web', { status: { phase: 'Progressing' } }, { namespace: 'shop' })] },
    by: ['rollouts'],
    says: /shop\/web/,
  },
  {
    name: 'an absent definition',
    given: { definitions: new Map([...definitionsWith()].filter(([name]) => !name.startsWith('clonesets'))) },
    by: ['definitions'],
    says: /clonesets/,
  },
  {
    name: 'a definition whose names conflict',
    given: {
      definitions: definitionsWith(
        definition('clonesets.apps.kruise.io', {}, { conditions: [{ type: 'NamesAccepted', status: 'False' }] }),
      ),
    },
    by: ['definitions'],
  },
  {
    name: 'a definition that is being deleted',
    given: { definitions: definitionsWith(definition('clonesets.apps.kruise.io', {}, {}, { deletionTimestamp: '2026-01-10T11:00:00Z' })) },
    by: ['definitions'],
  },
  {
    name: 'a definition of a former release',
    given: {
      definitions: definitionsWith(
        definition(
          'clonesets.apps.kruise.io',
          { versions: [{ name: 'v1alpha1', served: true, storage: true }] },
          { storedVersions: ['v1alpha1'] },
        ),
      ),
    },
    by: ['definition-versions'],
    says: /CloneSet/,
  },
  {
    name: 'a stored version that is not served',
    given: {
      definitions: definitionsWith(
        definition(
          'clonesets.apps.kruise.io',
          { versions: [{ name: 'v1beta1', served: true, storage: true }] },
          { storedVersions: ['v1alpha1', 'v1beta1'] },
        ),
      ),
    },
    by: ['stored-versions'],
    says: /v1alpha1/,
  },
  {
    name: 'a definition that does not convert',
    given: { definitions: definitionsWith(definition('clonesets.apps.kruise.io', { conversion: { strategy: 'None' } })) },
    by: ['conversion'],
    says: /CloneSet/,
  },
  {
    name: 'a conversion that trusts another authority',
    given: {
      definitions: definitionsWith(
        definition('clonesets.apps.kruise.io', {
          conversion: { strategy: 'Webhook', webhook: { clientConfig: { caBundle: 'Qg==', service: { namespace: 'kruise-system' } } } },
        }),
      ),
    },
    by: ['conversion'],
    says: /caBundle/,
  },
  {
    name: 'a conversion in another namespace',
    given: {
      definitions: definitionsWith(
        definition('clonesets.apps.kruise.io', {
          conversion: { strategy: 'Webhook', webhook: { clientConfig: { caBundle: 'QQ==', service: { namespace: 'old' } } } },
        }),
      ),
    },
    by: ['conversion'],
    says: /old/,
  },
  { name: 'an absent configuration', given: { validating: [] }, by: ['webhook-configurations', 'webhook-entries'] },
  {
    name: 'an absent webhook',
    given: { mutating: mutatingWith(entriesOf('mutate').filter(({ name }) => name !== 'mcloneset.kb.io')) },
    by: ['webhook-entries'],
    says: /CloneSet/,
  },
  { name: 'an empty caBundle', given: { mutating: mutatingWith(withBundle(1, '')) }, by: ['ca-bundle', 'ca-secret'] },
  {
    name: 'a caBundle that differs',
    given: { mutating: mutatingWith(withBundle(1, 'Qg==')) },
    by: ['ca-bundle', 'ca-secret'],
    says: /2 different values/,
  },
  {
    name: 'an authority that is not that of the Secret',
    given: { certificates: { ...certificates, authority: 'Qg==' } },
    by: ['ca-secret'],
  },
  { name: 'a Secret without certificates', given: { certificates: undefined }, by: ['ca-secret'] },
  {
    name: 'an expired certificate',
    given: { certificates: { ...certificates, serving: { ...serving, notAfter: at.now - 1000 } } },
    by: ['serving-certificate'],
    says: /expired at 2026-01-10/,
  },
  {
    name: 'a certificate for another Service',
    given: { certificates: { ...certificates, serving: { ...serving, hosts: ['kruise-webhook-service.old.svc'] } } },
    by: ['serving-certificate'],
    says: /old\.svc/,
  },
  {
    name: 'a certificate of another authority',
    given: { certificates: { ...certificates, signedByAuthority: false } },
    by: ['serving-certificate'],
    says: /not signed/,
  },
  { name: 'an expired authority', given: { bundles: [{ ...serving, notAfter: at.now - 1000 }] }, by: ['ca-certificate'] },
  { name: 'no Service', given: { service: undefined }, by: ['webhook-service'] },
  {
    name: 'a Service that selects other Pods',
    given: { service: named('kruise-webhook-service', { spec: { selector: { app: 'x' }, ports: [{ port: 443, targetPort: 9876 }] } }) },
    by: ['webhook-service'],
    says: /selects no Pod/,
  },
  {
    name: 'a Service that calls another port',
    given: { service: named('kruise-webhook-service', { spec: { selector: managerLabels, ports: [{ port: 443, targetPort: 443 }] } }) },
    by: ['webhook-port'],
    says: /443.*9876/,
  },
  {
    name: 'webhooks that fail closed without an address',
    given: { endpoints: [named('s', { endpoints: [{ conditions: { ready: false } }] })] },
    by: ['webhook-endpoints'],
    says: /Pods cannot be created/,
  },
  {
    name: 'a Pod webhook that covers the namespace of the manager',
    given: {
      mutating: mutatingWith(entriesOf('mutate').map((one) => (one['name'] === 'mpod.kb.io' ? { ...one, namespaceSelector: {} } : one))),
    },
    by: ['pod-webhook-scope'],
    says: /kruise-system and kube-system/,
  },
  {
    name: 'a manager that the API server cannot reach',
    given: { samples: samplesWith(['clonesets', refused(calling('dial tcp 10.0.0.1:443: connect: connection refused'))]) },
    by: ['admission-webhooks'],
    says: /CloneSet: .*connection refused/,
  },
  {
    name: 'a certificate that the API server does not trust',
    given: {
      samples: samplesWith([
        'clonesets',
        refused(calling('tls: failed to verify certificate: x509: certificate signed by unknown authority')),
      ]),
    },
    by: ['admission-webhooks'],
    says: /unknown authority/,
  },
  {
    name: 'a firewall between API server and manager',
    given: { samples: samplesWith(...allKinds.map(({ plural }) => [plural, { kind: 'TimedOut' }] as const)) },
    by: ['admission-webhooks'],
    says: /no answer in time/,
  },
  {
    name: 'a conversion that fails',
    given: {
      samples: samplesWith([
        'clonesets',
        refused('conversion webhook for apps.kruise.io/v1alpha1, Kind=CloneSet failed: Post "https://x": EOF'),
      ]),
    },
    by: ['admission-conversion'],
  },
  {
    name: 'a policy that refuses objects of a kind',
    given: { samples: samplesWith(['clonesets', refused('admission webhook "validate.kyverno.svc" denied the request: no CloneSets')]) },
    by: ['admission-objects'],
    says: /kyverno/,
  },
  { name: 'no manager', given: { managers: [], managerRights: [] }, by: ['manager'] },
  { name: 'a manager with 0 replicas', given: { managers: [workload(manager, { spec: { replicas: 0 } })] }, by: ['manager'] },
  {
    name: 'a manager of which no Pod is available',
    given: { managers: [workload(manager, { status: { availableReplicas: 0 } })] },
    by: ['manager'],
  },
  {
    name: 'a rollout of the manager that makes no progress',
    given: {
      managers: [
        workload(manager, { status: { conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }] } }),
      ],
    },
    by: ['manager'],
  },
  {
    name: 'a Pod that cannot be scheduled',
    given: {
      managerPods: [
        pod('kruise-controller-manager-a', '', managerLabels, {
          conditions: [{ type: 'PodScheduled', status: 'False', message: '0/2 nodes: insufficient cpu' }],
        }),
      ],
    },
    by: ['scheduling'],
    says: /insufficient cpu/,
  },
  {
    name: 'an image that cannot be pulled',
    given: { agentPods: [pod('kruise-daemon-a', 'n1', agentLabels, waiting('ImagePullBackOff')), ...soundValues.agentPods.slice(1)] },
    by: ['image-pull'],
    says: /nowhere\/kruise:v9/,
  },
  {
    name: 'a container that fails',
    given: {
      managerPods: [...soundValues.managerPods, pod('kruise-controller-manager-c', 'n2', managerLabels, waiting('CrashLoopBackOff'))],
    },
    by: ['restarts'],
    says: /CrashLoopBackOff/,
  },
  {
    name: 'a container that exceeded its memory',
    given: {
      managerPods: [
        ...soundValues.managerPods,
        pod('kruise-controller-manager-c', 'n2', managerLabels, {
          containerStatuses: [{ name: 'main', lastState: { terminated: { reason: 'OOMKilled', finishedAt: '2026-01-10T11:58:00Z' } } }],
        }),
      ],
    },
    by: ['restarts'],
    says: /memory limit/,
  },
  {
    name: 'a manager that does not know its namespace',
    given: {
      managers: [
        workload(manager, {
          spec: {
            template: {
              spec: {
                containers: [{ name: 'main', image: 'openkruise/kruise-manager:v1.9.0', env: [{ name: 'POD_NAMESPACE', value: 'old' }] }],
              },
            },
          },
        }),
      ],
    },
    by: ['manager-environment'],
    says: /old/,
  },
  { name: 'no leader', given: { lease: undefined }, by: ['lease'] },
  {
    name: 'a leader that does not renew',
    given: { lease: lease('kruise-controller-manager-a_1', 0, 600_000) },
    by: ['lease'],
    says: /600 s ago/,
  },
  { name: 'a leader that is no Pod of the manager', given: { lease: lease('laptop_1') }, by: ['lease'], says: /laptop_1/ },
  {
    name: 'several managers without leader election',
    given: { managers: [workload(manager, { args: ['--enable-leader-election=false'] })] },
    by: ['lease'],
  },
  {
    name: 'an unknown gate',
    given: { managers: [workload(manager, { args: ['--feature-gates=Nope=true'] })] },
    by: ['feature-gates'],
    says: /Nope/,
  },
  {
    name: 'gates that differ between manager and agent',
    given: { agents: [workload(agent, { args: ['--feature-gates=ImagePullJobGate=true'] })] },
    by: ['feature-gates'],
    says: /ImagePullJobGate/,
  },
  {
    name: 'objects of a kind whose gate is off',
    given: { counts: [{ kind: 'ResourceDistribution', plural: 'resourcedistributions', objects: 2 }] },
    by: ['gates-in-use'],
    says: /2 ResourceDistribution \(gate ResourceDistributionGate is off\)/,
  },
  {
    name: 'a right that the manager lacks',
    given: { managerRights: [{ right: 'create pods', allowed: false }] },
    by: ['manager-rights'],
    says: /create pods/,
  },
  { name: 'no agent', given: { agents: [], agentPods: [] }, by: ['agent'], says: /KruiseDaemon is on/ },
  {
    name: 'an agent that is not ready',
    given: {
      agents: [workload(agent, { status: { numberReady: 1 } })],
      agentPods: [
        ...soundValues.agentPods.slice(0, 1),
        pod('kruise-daemon-b', 'n2', agentLabels, { conditions: [{ type: 'Ready', status: 'False' }] }),
      ],
    },
    by: ['agent-pods'],
    says: /not on n2/,
  },
];

describe('a fault', () => {
  it.each(faults)('$name is named by its check alone', ({ given, by, says }) => {
    const findings = found(given).filter(({ verdict }) => verdict.kind === 'Fault');
    expect(findings.map(({ check }) => check.name)).toEqual(by);
    expect(findings[0]?.verdict.message).toMatch(says ?? /./);
    expect(findings.every(({ verdict }) => 'next' in verdict && verdict.next.length > 10)).toBe(true);
    expect(exitCodeOf(found(given))).toBe(1);
  });

  it('is seeded for every check that knows one', () => {
    const adviceOnly = ['lease-namespace', 'releases', 'disruption', 'agent-nodes', 'agent-rollout'];
    const seeded = new Set(faults.flatMap(({ by }) => by));
    expect(checksOf.installed.map(({ name }) => name).filter((name) => !seeded.has(name))).toEqual(adviceOnly);
  });
});

it('counts one object in the singular', () => {
  const finding = found({ nodes: soundValues.nodes.slice(0, 1), agentPods: soundValues.agentPods.slice(0, 1) }).find(
    ({ check }) => check.name === 'agent-nodes',
  );
  expect(finding?.verdict).toEqual({ kind: 'Sound', message: '1 node' });
});

it.each<[string, Partial<FactValues>, string]>([
  ['a release that no test runs on', { server: { major: 1, minor: 99, gitVersion: 'v1.99.0' } }, 'server-version'],
  [
    'a certificate that expires soon',
    { certificates: { ...certificates, serving: { ...serving, notAfter: at.now + 3600_000 } } },
    'serving-certificate',
  ],
  [
    'objects in an older version',
    { definitions: definitionsWith(definition('clonesets.apps.kruise.io', {}, { storedVersions: ['v1alpha1', 'v1beta1'] })) },
    'stored-versions',
  ],
  [
    'an older manager with its own definitions',
    {
      managers: [workload(manager, { image: 'openkruise/kruise-manager:v1.8.0' })],
      agents: [workload(agent, { image: 'openkruise/kruise-manager:v1.8.0' })],
      definitions: definitionsWith(
        definition(
          'clonesets.apps.kruise.io',
          { versions: [{ name: 'v1alpha1', served: true, storage: true }] },
          { storedVersions: ['v1alpha1'] },
        ),
      ),
    },
    'definition-versions',
  ],
  [
    'a manager with one replica',
    { managers: [workload(manager, { spec: { replicas: 1 }, status: { availableReplicas: 1 } })] },
    'disruption',
  ],
  [
    'replicas on one node',
    { managerPods: [pod('kruise-controller-manager-a', 'n1', managerLabels), pod('kruise-controller-manager-b', 'n1', managerLabels)] },
    'disruption',
  ],
  ['a replica that is missing', { managers: [workload(manager, { status: { availableReplicas: 1 } })] }, 'manager'],
  ['an agent of another release', { agents: [workload(agent, { image: 'openkruise/kruise-manager:v1.8.3' })] }, 'releases'],
  ['a lease in another namespace', { managers: [workload(manager, { args: ['--leader-election-namespace=other'] })] }, 'lease-namespace'],
  ['a Linux node without an agent', { nodes: [...soundValues.nodes, named('n3')] }, 'agent-nodes'],
  ['agents of an older template', { agents: [workload(agent, { status: { updatedNumberScheduled: 1 } })] }, 'agent-rollout'],
  [
    'an agent that runs with its gate off',
    {
      managers: [workload(manager, { args: ['--feature-gates=KruiseDaemon=false'] })],
      agents: [workload(agent, { args: ['--feature-gates=KruiseDaemon=false'] })],
    },
    'agent',
  ],
])('%s is advice, and no fault', (_name, given, by) => {
  expect(namesOf(given, 'Fault')).toEqual([]);
  expect(namesOf(given, 'Advice')).toEqual([by]);
  expect(exitCodeOf(found(given))).toBe(0);
});

describe('a fact that cannot be read', () => {
  it('leaves the checks that need it unknown, and the others as they are', () => {
    const findings = findingsOf(checksOf.installed, factsWithout('certificates'), at);
    const unknown = findings.filter(({ verdict }) => verdict.kind === 'Unknown');
    expect(unknown.map(({ check }) => check.name)).toEqual(['ca-secret', 'serving-certificate']);
    expect(unknown[0]?.verdict).toEqual({
      kind: 'Unknown',
      message: 'certificates is forbidden',
      next: 'Run the check as a user who may read it.',
    });
    expect(exitCodeOf(findings)).toBe(2);
  });

  it('does not hide a fault', () => {
    const facts = { ...factsWithout('certificates'), service: { kind: 'Read', value: undefined } as const };
    expect(exitCodeOf(findingsOf(checksOf.installed, facts, at))).toBe(1);
  });

  it('makes what a user may not create unknown', () => {
    const given = {
      samples: samplesWith(['clonesets', refused('clonesets.apps.kruise.io is forbidden: User "x" cannot create resource "clonesets"')]),
    };
    expect(namesOf(given, 'Unknown')).toEqual(['admission-objects']);
    expect(namesOf(given, 'Fault')).toEqual([]);
  });

  it('makes one late answer unknown while the webhooks of other kinds answer', () => {
    const given = { samples: samplesWith(['clonesets', { kind: 'TimedOut' }]) };
    expect(namesOf(given, 'Unknown')).toEqual(['admission-webhooks']);
    expect(namesOf(given, 'Fault')).toEqual([]);
  });
});

const nothing: Partial<FactValues> = {
  namespace: undefined,
  agentNamespace: undefined,
  managers: [],
  managerPods: [],
  agents: [],
  agentPods: [],
  lease: undefined,
  mutating: [],
  validating: [],
  service: undefined,
  endpoints: [],
  certificates: undefined,
  bundles: [],
  definitions: new Map(),
  samples: new Map(),
  counts: [],
  managerRights: [],
};

it.each<[Mode, string, Partial<FactValues>, readonly string[]]>([
  ['pre', 'an empty cluster', nothing, []],
  [
    'pre',
    'a right that is missing',
    { ...nothing, ownRights: [{ right: 'create clusterroles.rbac.authorization.k8s.io', allowed: false }] },
    ['own-rights'],
  ],
  ['pre', 'another installation', { ...nothing, managers: [workload(manager, { namespace: 'other' })] }, ['no-manager']],
  ['pre', 'webhooks without a manager', { ...nothing, mutating: mutatingWith(entriesOf('mutate')) }, ['no-left-webhooks']],
  [
    'pre',
    'a definition that is being deleted',
    {
      ...nothing,
      definitions: definitionsWith(definition('clonesets.apps.kruise.io', {}, {}, { deletionTimestamp: '2026-01-10T11:00:00Z' })),
    },
    ['definitions-free'],
  ],
  [
    'pre',
    'definitions of two Helm releases',
    {
      ...nothing,
      definitions: definitionsWith(
        ...allKinds
          .slice(0, 2)
          .map((kind, index) => definition(crdName(kind), {}, {}, { annotations: { 'meta.helm.sh/release-name': `r${index}` } })),
      ),
    },
    ['definitions-free'],
  ],
  ['uninstall', 'an installation without objects', { counts: [] }, []],
  ['uninstall', 'workloads', {}, ['no-workloads']],
  ['uninstall', 'deletions that wait for a manager', { ...nothing, terminating: [heldMarker] }, ['no-finalizers']],
  [
    'uninstall',
    'what a former uninstall left',
    { ...nothing, mutating: mutatingWith(entriesOf('mutate')), definitions: definitionsWith() },
    ['no-left-webhooks', 'no-left-conversion'],
  ],
  ['uninstall', 'an empty cluster', nothing, []],
])('--%s: %s', (mode, _name, given, by) => {
  expect(namesOf(given, 'Fault', mode)).toEqual(by);
});

/** What the check of `--uninstall` with this name says. */
const uninstallVerdict = (name: string, changed: Partial<FactValues>) =>
  found({ ...nothing, ...changed }, 'uninstall').find(({ check }) => check.name === name)?.verdict;

it('counts the workloads that an uninstall would delete', () => {
  const counts = [
    { kind: 'CloneSet', plural: 'clonesets', objects: 2 },
    { kind: 'DaemonSet', plural: 'daemonsets', objects: 1 },
  ];
  const message = expect.stringMatching(/^Uninstalling would delete 2 CloneSets(, | and )1 DaemonSet, and their Pods\.$/) as unknown;
  expect(uninstallVerdict('no-workloads', { counts })).toEqual(expect.objectContaining({ kind: 'Fault', message }));
});

const deleteWebhooks =
  'kubectl delete mutatingwebhookconfiguration/kruise-mutating-webhook-configuration validatingwebhookconfiguration/kruise-validating-webhook-configuration';
const patchMarker = `kubectl patch podprobemarkers.apps.kruise.io up -n shop --type=merge -p '{"metadata":{"finalizers":null}}'`;
const closed = {
  mutating: mutatingWith(entriesOf('mutate')),
  validating: [named(objectNames.validatingWebhooks, { webhooks: entriesOf('validate') })],
};
const deletedDefinition = definition('podprobemarkers.apps.kruise.io', {}, {}, { deletionTimestamp: '2026-01-10T11:00:00Z' });

describe('a deletion that waits for a finalizer', () => {
  it.each<{ name: string; given: Partial<FactValues>; next: string }>([
    {
      name: 'without a manager: the webhooks, which refuse the write, are deleted first',
      given: { terminating: [heldMarker], ...closed },
      next: `${deleteWebhooks}\n${patchMarker}`,
    },
    { name: 'without a manager and webhooks: the finalizer is removed', given: { terminating: [heldMarker] }, next: patchMarker },
    {
      name: 'of another program as well, which stays',
      given: { terminating: [{ ...heldMarker, otherFinalizers: ['example.org/other'] }] },
      next: patchMarker.replace('null', '["example.org/other"]'),
    },
    {
      name: 'of five objects: three commands, and how many more',
      given: { terminating: Array.from({ length: 5 }, (_, i) => ({ ...heldMarker, name: `up-${i}` })) },
      next: [
        ...[0, 1, 2].map((i) => patchMarker.replace(' up ', ` up-${i} `)),
        'The same for 2 more objects; run the check again to see them.',
      ].join('\n'),
    },
    {
      name: 'of a manager with 0 replicas: it is started, and no finalizer is removed',
      given: { terminating: [heldMarker], managers: [workload(manager, { spec: { replicas: 0 } })], ...closed },
      next: `kubectl scale deployment ${manager} -n kruise-system --replicas=2`,
    },
    {
      name: 'of a manager without an available Pod: check shows why',
      given: { terminating: [heldMarker], managers: [workload(manager, { status: { availableReplicas: 0 } })], ...closed },
      next: 'kubectl kruise check shows why no Pod of the manager is available.',
    },
  ])('$name', ({ given, next }) => {
    expect(uninstallVerdict('no-finalizers', given)).toEqual(expect.objectContaining({ kind: 'Fault', next }));
    expect(uninstallVerdict('no-definitions', { ...given, definitions: definitionsWith(deletedDefinition) })).toEqual(
      expect.objectContaining({ kind: 'Fault', next }),
    );
  });

  it.each<{ name: string; given: Partial<FactValues> }>([
    { name: 'while a manager runs', given: { managers: [workload(manager)] } },
    {
      name: 'while a manager outside of the cluster is called by URL',
      given: {
        mutating: mutatingWith(entriesOf('mutate').map((one) => outside(one))),
        validating: [named(objectNames.validatingWebhooks, { webhooks: entriesOf('validate').map((one) => outside(one)) })],
      },
    },
  ])('$name is advice: the manager removes it', ({ given }) => {
    expect(uninstallVerdict('no-finalizers', { terminating: [heldMarker], ...given })).toEqual({
      kind: 'Advice',
      message: 'Deletions wait for the manager: PodProbeMarker shop/up.',
      next: 'Uninstall after they have ended.',
    });
  });

  it('is none of Kruise if only other programs have finalizers on the objects of a CRD', () => {
    expect(uninstallVerdict('no-definitions', { definitions: definitionsWith(deletedDefinition) })).toMatchObject({
      kind: 'Fault',
      next: 'If this does not end, other programs have finalizers on its objects: kubectl get podprobemarkers.apps.kruise.io -A -o yaml shows them.',
    });
  });

  it('is written as commands below each other', () => {
    const text = reportText(found({ ...nothing, terminating: [heldMarker], ...closed }, 'uninstall'));
    expect(text).toContain(`\n  Next: ${deleteWebhooks}\n        ${patchMarker}\n`);
  });
});

it('webhooks that are left without a manager are deleted by one command that works', () => {
  expect(uninstallVerdict('no-left-webhooks', closed)).toMatchObject({ kind: 'Fault', next: deleteWebhooks });
  const pre = found({ ...nothing, ...closed }, 'pre').find(({ check }) => check.name === 'no-left-webhooks');
  expect(pre?.verdict).toMatchObject({ kind: 'Fault', next: deleteWebhooks });
});

it('webhooks that refuse nothing are left without harm', () => {
  const open = { mutating: mutatingWith(entriesOf('mutate').map((entry) => ({ ...entry, failurePolicy: 'Ignore' }))) };
  const message = 'The webhooks refuse no write, and no manager answers them.';
  expect(uninstallVerdict('no-left-webhooks', { ...nothing, ...open })).toEqual({ kind: 'Advice', message, next: deleteWebhooks });
});

it('the report names every check, and the next step of each fault', () => {
  const findings = found({ service: undefined });
  const text = reportText(findings);
  for (const { name } of checksOf.installed) expect(text).toContain(`\n${name} `);
  expect(text).toContain(
    '\nFAULT: webhook-service\n  Service kruise-system/kruise-webhook-service does not exist.\n  Next: Install the chart again.\n',
  );
  expect(text.endsWith(`\n${findings.length} checks: 1 fault, 0 unknown, 0 with advice.\n`)).toBe(true);
  expect(reportObject(findings, at)).toMatchObject({
    result: 'Fault',
    checks: expect.arrayContaining([
      expect.objectContaining({ name: 'webhook-service', result: 'Fault', next: 'Install the chart again.' }),
    ]) as unknown,
  });
});
