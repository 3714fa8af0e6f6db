/** A sound installation as facts, and the faults that tests seed into it. */
import { admissionPaths, allKinds, crdName, objectNames, webhookName } from '@kruise/api';
import type { JsonObject } from '@kruise/objects';
import type { Untyped } from '../objects/untyped.ts';
import type { At, FactName, Facts, FactValues } from './facts.ts';

const namespace = 'kruise-system';
const now = Date.UTC(2026, 0, 10, 12);
const time = (ms: number): string => new Date(now + ms).toISOString();
const day = 24 * 3600 * 1000;

export const at: At = { namespace, agentNamespace: namespace, now };

export const named = (name: string, rest: JsonObject = {}, metadata: JsonObject = {}): Untyped => ({
  metadata: { name, ...metadata },
  ...rest,
});

const own = { namespace };

/** A Deployment or DaemonSet of the installation. */
export const workload = (
  name: string,
  more: {
    readonly args?: readonly string[];
    readonly image?: string;
    readonly spec?: object;
    readonly status?: object;
    readonly namespace?: string;
  } = {},
): Untyped =>
  named(
    name,
    {
      spec: {
        replicas: 2,
        template: {
          spec: {
            serviceAccountName: 'kruise-manager',
            containers: [
              {
                name: 'main',
                image: more.image ?? 'openkruise/kruise-manager:v1.9.0',
                command: ['/manager'],
                args: ['--leader-election-namespace=kruise-system', ...(more.args ?? [])],
                env: [
                  { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
                  { name: 'WEBHOOK_PORT', value: '9876' },
                ],
                ports: [{ name: 'webhook-server', containerPort: 9876 }],
              },
            ],
          },
        },
        ...more.spec,
      },
      status: {
        availableReplicas: 2,
        desiredNumberScheduled: 2,
        numberReady: 2,
        updatedNumberScheduled: 2,
        conditions: [{ type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' }],
        ...more.status,
      },
    },
    { namespace: more.namespace ?? namespace },
  );

/** A Pod on a node. */
export const pod = (name: string, node: string, labels: JsonObject, status: JsonObject = {}): Untyped =>
  named(
    name,
    {
      spec: { nodeName: node },
      status: {
        conditions: [
          { type: 'Ready', status: 'True' },
          { type: 'PodScheduled', status: 'True' },
        ],
        containerStatuses: [{ name: 'main', image: 'openkruise/kruise-manager:v1.9.0', state: { running: {} } }],
        ...status,
      },
    },
    { ...own, labels },
  );

export const managerLabels = { 'control-plane': 'controller-manager' };
export const agentLabels = { 'control-plane': 'daemon' };

const excluded = [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system', namespace] }];

/** A webhook as the manager completes it. */
export const entry = (name: string, path: string, more: JsonObject = {}): JsonObject => ({
  name,
  failurePolicy: 'Fail',
  clientConfig: { caBundle: 'QQ==', service: { namespace, name: objectNames.webhookService, path } },
  ...more,
});

export const entriesOf = (verb: 'mutate' | 'validate'): readonly JsonObject[] => [
  entry(`${verb[0]}pod.kb.io`, `/${verb}-pod`, { namespaceSelector: { matchExpressions: excluded } }),
  ...allKinds
    .filter(({ admission }) => (verb === 'mutate' ? admission?.mutates : admission?.validates) !== undefined)
    .map((kind) => entry(webhookName(kind, verb), admissionPaths(kind, verb)[0])),
];

export const mutatingWith = (webhooks: readonly JsonObject[]): readonly Untyped[] => [named(objectNames.mutatingWebhooks, { webhooks })];
const validatingWith = (webhooks: readonly JsonObject[]): readonly Untyped[] => [named(objectNames.validatingWebhooks, { webhooks })];

/** A definition as the API server and the manager complete it. */
export const definition = (name: string, spec: JsonObject = {}, status: JsonObject = {}, metadata: JsonObject = {}): Untyped => {
  const kind = allKinds.find((one) => crdName(one) === name);
  return named(
    name,
    {
      spec: {
        versions: (kind?.versions ?? []).map((version) => ({ name: version.name, served: true, storage: version.storage })),
        names: { kind: kind?.kind },
        conversion:
          kind?.conversion === 'Webhook'
            ? {
                strategy: 'Webhook',
                webhook: { clientConfig: { caBundle: 'QQ==', service: { namespace, name: objectNames.webhookService } } },
              }
            : { strategy: 'None' },
        ...spec,
      },
      status: {
        storedVersions: (kind?.versions ?? []).filter(({ storage }) => storage).map((version) => version.name),
        conditions: [
          { type: 'Established', status: 'True' },
          { type: 'NamesAccepted', status: 'True' },
        ],
        ...status,
      },
    },
    metadata,
  );
};

export const definitionsWith = (...changed: readonly Untyped[]): ReadonlyMap<string, Untyped> =>
  new Map([...allKinds.map((kind) => definition(crdName(kind))), ...changed].map((one) => [one.metadata.name, one]));

/** A lease whose holder wrote `renewTime` that many milliseconds ahead of the API server's clock, at a time before now. */
export const lease = (holder: string, aheadMs = 0, agoMs = 2000, name: string = objectNames.managerLease): Untyped =>
  named(
    name,
    { spec: { holderIdentity: holder, renewTime: time(aheadMs - agoMs) } },
    { ...own, managedFields: [{ manager: 'x', time: time(-agoMs), fieldsV1: { 'f:spec': { 'f:renewTime': {} } } }] },
  );

export const serving = { notBefore: now - day, notAfter: now + 100 * day, hosts: [`${objectNames.webhookService}.${namespace}.svc`] };
export const certificates = { authority: 'QQ==', serving, signedByAuthority: true };

const accepted = { kind: 'Accepted', object: {} } as const;
export const samplesWith = (
  ...changed: readonly (readonly [
    string,
    { readonly kind: 'Refused'; readonly reason: string; readonly message: string } | { readonly kind: 'TimedOut' },
  ])[]
): FactValues['samples'] =>
  new Map<string, FactValues['samples'] extends ReadonlyMap<string, infer A> ? A : never>([
    ...allKinds.map(({ plural }) => [plural, accepted] as const),
    ...changed,
  ]);

/** What a sound installation of the chart, with two nodes, looks like. */
export const soundValues: FactValues = {
  server: { major: 1, minor: 34, gitVersion: 'v1.34.4' },
  namespace: named(namespace, {}, { labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } }),
  agentNamespace: named(namespace, {}, { labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } }),
  managers: [workload(objectNames.managerDeployment)],
  managerPods: [pod('kruise-controller-manager-a', 'n1', managerLabels), pod('kruise-controller-manager-b', 'n2', managerLabels)],
  agents: [workload(objectNames.daemonSet)],
  agentPods: [pod('kruise-daemon-a', 'n1', agentLabels), pod('kruise-daemon-b', 'n2', agentLabels)],
  nodes: [named('n1'), named('n2'), named('v1', {}, { labels: { type: 'virtual-kubelet' } })],
  nodeLeases: [lease('n1', 0, 2000, 'n1'), lease('n2', 500, 4000, 'n2')],
  lease: lease('kruise-controller-manager-a_1234'),
  mutating: mutatingWith(entriesOf('mutate')),
  validating: validatingWith(entriesOf('validate')),
  service: named(objectNames.webhookService, { spec: { selector: managerLabels, ports: [{ port: 443, targetPort: 9876 }] } }, own),
  endpoints: [named('slice', { endpoints: [{ conditions: { ready: true } }] })],
  certificates,
  bundles: [serving],
  definitions: definitionsWith(),
  samples: samplesWith(),
  counts: [{ kind: 'CloneSet', plural: 'clonesets', objects: 3 }],
  managerRights: [{ right: 'list pods', allowed: true }],
  ownRights: [{ right: 'create namespaces', allowed: true }],
  rollouts: [],
  rolloutManagers: [],
  terminating: [],
};

/** These values as facts that were read. */
export const factsWith = (changed: Partial<FactValues> = {}): Facts =>
  Object.fromEntries(
    Object.entries({ ...soundValues, ...changed }).map(([name, value]) => [name, { kind: 'Read', value }]),
  ) as unknown as Facts;

/** The facts of a sound installation of which one cannot be read. */
export const factsWithout = (...names: readonly FactName[]): Facts => ({
  ...factsWith(),
  ...Object.fromEntries(names.map((name) => [name, { kind: 'Unread', why: 'Forbidden', message: `${name} is forbidden` }])),
});
