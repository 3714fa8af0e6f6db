/**
 * Faults that `kubectl kruise check` finds in an installation on a real API server, which calls the webhooks by their Service as in a cluster. The
 * manager runs beside the cluster; the Deployment, the DaemonSet and their Pods are as controllers and kubelets leave them.
 *
 * Only unit tests (`checks.test.ts`) have: a release of Kubernetes without support, a Namespace or CRD that is being deleted, CRDs of a former release
 * or with versions that are not served, Rollouts without their controller, expired certificates, a firewall, policies of other products, a gate that
 * is off for existing objects, and clocks of nodes.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createMergePatch, isJsonObject, type JsonObject } from '@kruise/objects';
import { eventually, type ControlPlane } from '@kruise/testing';
import { checksWith, completeReport, messageOf } from './processes/check-process.testing.ts';
import { startInstalledPlane } from './processes/installed-plane.testing.ts';
import { ManagerProcess } from './processes/manager-process.testing.ts';

const dir = mkdtempSync(join(tmpdir(), 'plugin-check-faults-'));
let plane: ControlPlane;
let manager: ManagerProcess;

const system = '/api/v1/namespaces/kruise-system';
const deployments = '/apis/apps/v1/namespaces/kruise-system/deployments';
const daemonSets = '/apis/apps/v1/namespaces/kruise-system/daemonsets';
const slices = '/apis/discovery.k8s.io/v1/namespaces/kruise-system/endpointslices';
const registration = '/apis/admissionregistration.k8s.io/v1';
const managerPath = `${deployments}/kruise-controller-manager`;
const agentPath = `${daemonSets}/kruise-daemon`;
const mutatingPath = `${registration}/mutatingwebhookconfigurations/kruise-mutating-webhook-configuration`;
const validatingPath = `${registration}/validatingwebhookconfigurations/kruise-validating-webhook-configuration`;
const cloneSetsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/clonesets.apps.kruise.io';
const leasePath = '/apis/coordination.k8s.io/v1/namespaces/kruise-system/leases/kruise-manager';

const get = async (path: string): Promise<JsonObject> => (await plane.api.request(path)) as JsonObject;
const post = (path: string, body: object): Promise<unknown> => plane.api.request(path, { method: 'POST', body });
const merge = (path: string, body: object): Promise<unknown> =>
  plane.api.request(path, { method: 'PATCH', contentType: 'application/merge-patch+json', body });
const remove = (path: string): Promise<unknown> => plane.api.request(path, { method: 'DELETE', body: { gracePeriodSeconds: 0 } });

type Undo = () => Promise<unknown>;

/** What a user can have changed of an object. */
function content({ spec, status, webhooks, endpoints, data, metadata }: JsonObject): JsonObject {
  const labels = isJsonObject(metadata) ? metadata['labels'] : undefined;
  return { spec, status, webhooks, endpoints, data, metadata: { labels } };
}

/** Changes an object. @param path of the object or of its status @param patchOf returns a merge patch for what it contains */
async function changeBy(path: string, patchOf: (before: JsonObject) => object): Promise<Undo> {
  const before = content(await get(path));
  await merge(path, patchOf(before));
  return async () => merge(path, createMergePatch(content(await get(path)), before));
}

const change = (path: string, patch: object): Promise<Undo> => changeBy(path, () => patch);

/** What a user writes of an object. */
interface Creatable {
  readonly metadata: { readonly name: string; readonly labels?: object };
  readonly spec?: object;
  readonly webhooks?: readonly object[];
}

async function create(path: string, object: Creatable): Promise<Undo> {
  await post(path, object);
  return () => remove(`${path}/${object.metadata.name}`);
}

/** Deletes an object. */
async function lose(path: string): Promise<Undo> {
  const { metadata, ...rest } = await get(path);
  await remove(path);
  const { name, labels } = metadata as { readonly name: string; readonly labels?: object };
  return () => post(path.slice(0, path.lastIndexOf('/')), { ...rest, metadata: { name, labels } });
}

const managerLabels = { 'control-plane': 'controller-manager' };
const agentLabels = { 'control-plane': 'daemon' };
const image = 'openkruise/kruise-manager:v1.9.0';

function container(): object {
  return {
    name: 'manager',
    image,
    env: [
      { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
      { name: 'WEBHOOK_PORT', value: String(manager.ports.webhook) },
    ],
  };
}

const withContainer = (more: object): object => ({ spec: { template: { spec: { containers: [{ ...container(), ...more }] } } } });
const workload = (name: string, labels: object, spec: object): Creatable => ({
  metadata: { name, labels },
  spec: {
    selector: { matchLabels: labels },
    ...spec,
    template: { metadata: { labels }, spec: { serviceAccountName: 'kruise-manager', containers: [container()] } },
  },
});
const pod = (name: string, labels: object, nodeName: string): Creatable => ({
  metadata: { name, labels },
  spec: { nodeName, containers: [{ name: 'main', image }] },
});

/** A Pod of a node without a kubelet, with this status. */
async function failingPod(status: object): Promise<Undo> {
  const undo = await create(`${system}/pods`, pod('failing', managerLabels, 'nowhere'));
  await merge(`${system}/pods/failing/status`, { status });
  return undo;
}

const waiting = (reason: string): object => ({
  containerStatuses: [{ name: 'main', image, imageID: '', ready: false, restartCount: 1, state: { waiting: { reason } } }],
});

/** The address of this machine that an EndpointSlice may have. */
const address = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

const agentCounts = {
  currentNumberScheduled: 2,
  numberMisscheduled: 0,
  desiredNumberScheduled: 2,
  numberReady: 2,
  updatedNumberScheduled: 2,
};
const reportAgents = (): Promise<unknown> => merge(`${agentPath}/status`, { status: agentCounts });

async function loseAgent(): Promise<Undo> {
  const undo = await lose(agentPath);
  return async () => {
    await undo();
    await reportAgents();
  };
}

async function installObjects(): Promise<void> {
  await post(`${system}/serviceaccounts`, { metadata: { name: 'kruise-manager' } });
  await post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name: 'kruise-manager' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: 'kruise-manager', namespace: 'kruise-system' }],
  });
  const port = manager.ports.webhook;
  await post(`${system}/services`, {
    metadata: { name: 'kruise-webhook-service' },
    spec: { selector: managerLabels, ports: [{ port: 443, targetPort: port }] },
  });
  await post(slices, {
    metadata: { name: 'webhook', labels: { 'kubernetes.io/service-name': 'kruise-webhook-service' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports: [{ name: '', port }],
  });
  // Kubernetes 1.30 finds webhooks by Endpoints, which the plugin does not read.
  await post(`${system}/endpoints`, {
    metadata: { name: 'kruise-webhook-service' },
    subsets: [{ addresses: [{ ip: address }], ports: [{ port }] }],
  });
  await post(deployments, workload('kruise-controller-manager', managerLabels, { replicas: 2 }));
  await merge(`${managerPath}/status`, { status: { observedGeneration: 1, replicas: 2, readyReplicas: 2, availableReplicas: 2 } });
  await post(daemonSets, workload('kruise-daemon', agentLabels, {}));
  await reportAgents();
  for (const [at, name] of [hostname(), 'other'].entries()) await post(`${system}/pods`, pod(name, managerLabels, `simulated-${at}`));
  for (const at of [0, 1]) await post(`${system}/pods`, pod(`agent-${at}`, agentLabels, `simulated-${at}`));
}

beforeAll(async () => {
  plane = await startInstalledPlane({ simulatedNodes: 2, controllers: false, apiServerFlags: ['--enable-aggregator-routing=true'] });
  manager = await ManagerProcess.create({ kubeconfigPath: plane.kubeconfigPath, dir, env: { WEBHOOK_HOST: '' } });
  await installObjects();
  await manager.start();
});

afterAll(async () => {
  await manager.signal('SIGKILL');
  await plane.stop();
  rmSync(dir, { recursive: true, force: true });
});

it('finds nothing wrong in a sound installation', async () => {
  let found = await completeReport(plane.kubeconfigPath);
  await eventually(
    async () => checksWith(found, 'Fault').length === 0 || ((found = await completeReport(plane.kubeconfigPath)), false),
  ).catch(() => undefined);
  expect(found.checks.filter(({ result }) => ['Fault', 'Unknown', 'Advice'].includes(result))).toEqual([]);
  const skipped = checksWith(found, 'Skipped');
  expect(skipped).toEqual(
    expect.not.arrayContaining(['manager', 'lease', 'webhook-service', 'webhook-endpoints', 'ca-secret', 'serving-certificate']),
  );
  expect(found.code).toBe(0);
});

interface Fault {
  readonly name: string;
  readonly seed: () => Promise<Undo>;
  /** All checks that report it. */
  readonly by: readonly string[];
  /** Of the first of them. */
  readonly says: RegExp;
}

/** What a manager that runs does not repair. */
const faults: readonly Fault[] = [
  { name: 'a manager with 0 replicas', seed: () => change(managerPath, { spec: { replicas: 0 } }), by: ['manager'], says: /0 replicas/ },
  {
    name: 'a manager of which no Pod is available',
    seed: () => change(`${managerPath}/status`, { status: { availableReplicas: 0 } }),
    by: ['manager'],
    says: /No Pod .* is available/,
  },
  {
    name: 'a rollout of the manager that makes no progress',
    seed: () =>
      change(`${managerPath}/status`, {
        status: { conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }] },
      }),
    by: ['manager'],
    says: /makes no progress/,
  },
  {
    name: 'a manager that does not know its namespace',
    seed: () =>
      change(
        managerPath,
        withContainer({
          env: [
            { name: 'POD_NAMESPACE', value: 'old' },
            { name: 'WEBHOOK_PORT', value: String(manager.ports.webhook) },
          ],
        }),
      ),
    by: ['manager-environment'],
    says: /uses old/,
  },
  {
    name: 'an unknown gate',
    seed: () => change(managerPath, withContainer({ args: ['--feature-gates=Nope=true'] })),
    by: ['feature-gates'],
    says: /Nope/,
  },
  {
    name: 'gates that differ between manager and agent',
    seed: () => change(agentPath, withContainer({ args: ['--feature-gates=ImagePullJobGate=true'] })),
    by: ['feature-gates'],
    says: /ImagePullJobGate/,
  },
  {
    name: 'several managers without leader election',
    seed: () => change(managerPath, withContainer({ args: ['--enable-leader-election=false'] })),
    by: ['lease'],
    says: /without leader election/,
  },
  {
    name: 'a ServiceAccount without rights',
    seed: () => change(managerPath, { spec: { template: { spec: { serviceAccountName: 'nobody', serviceAccount: 'nobody' } } } }),
    by: ['manager-rights'],
    says: /may not/,
  },
  {
    name: 'a leader that is no Pod of the manager',
    seed: () => lose(`${system}/pods/${hostname()}`),
    by: ['lease'],
    says: /is not a Pod of the manager/,
  },
  {
    name: 'Pod Security that refuses the agent',
    seed: () =>
      change('/api/v1/namespaces/kruise-system', { metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } } }),
    by: ['pod-security'],
    says: /enforces restricted/,
  },
  {
    name: 'a second installation',
    seed: () =>
      create('/apis/apps/v1/namespaces/default/deployments', workload('kruise-controller-manager', managerLabels, { replicas: 1 })),
    by: ['one-installation'],
    says: /default\/kruise-controller-manager/,
  },
  {
    name: 'webhooks of another installation',
    seed: () =>
      create(`${registration}/mutatingwebhookconfigurations`, {
        metadata: { name: 'old-kruise' },
        webhooks: [
          {
            name: 'mcloneset.kb.io',
            admissionReviewVersions: ['v1'],
            sideEffects: 'None',
            failurePolicy: 'Ignore',
            clientConfig: { service: { namespace: 'old', name: 'old', path: '/mutate-apps-kruise-io-v1alpha1-cloneset' } },
            rules: [{ apiGroups: ['none.example'], apiVersions: ['v1'], resources: ['nones'], operations: ['CREATE'] }],
          },
        ],
      }),
    by: ['one-installation'],
    says: /old-kruise/,
  },
  {
    name: 'a Service that selects other Pods',
    seed: () => change(`${system}/services/kruise-webhook-service`, { spec: { selector: { 'control-plane': 'other' } } }),
    by: ['webhook-service'],
    says: /selects no Pod/,
  },
  {
    name: 'a Service that calls another port',
    seed: () => change(`${system}/services/kruise-webhook-service`, { spec: { ports: [{ port: 443, targetPort: 1 }] } }),
    by: ['webhook-port'],
    says: /port 1,/,
  },
  { name: 'no agent', seed: loseAgent, by: ['agent'], says: /does not exist although gate KruiseDaemon is on/ },
  {
    name: 'an agent that is not ready',
    seed: () => change(`${agentPath}/status`, { status: { numberReady: 1 } }),
    by: ['agent-pods'],
    says: /1 of 2 agents/,
  },
  {
    name: 'an image that cannot be pulled',
    seed: () => failingPod(waiting('ImagePullBackOff')),
    by: ['image-pull'],
    says: /ImagePullBackOff/,
  },
  { name: 'a container that fails', seed: () => failingPod(waiting('CrashLoopBackOff')), by: ['restarts'], says: /CrashLoopBackOff/ },
  {
    name: 'a Pod that cannot be scheduled',
    seed: () =>
      failingPod({ conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/2 nodes are available' }] }),
    by: ['scheduling'],
    says: /0\/2 nodes/,
  },
];

/** What the manager would repair while it runs; its webhooks do not answer then. */
const leftFaults: readonly Fault[] = [
  {
    name: 'no address of the webhooks',
    seed: () => change(`${slices}/webhook`, { endpoints: [{ addresses: [address], conditions: { ready: false } }] }),
    by: ['webhook-endpoints'],
    says: /no ready address/,
  },
  { name: 'no Service', seed: () => lose(`${system}/services/kruise-webhook-service`), by: ['webhook-service'], says: /does not exist/ },
  {
    name: 'a caBundle that differs',
    seed: () => changeBy(mutatingPath, ({ webhooks }) => ({ webhooks: withFirst(webhooks, { caBundle: null }) })),
    by: ['ca-bundle', 'ca-secret'],
    says: /have no caBundle/,
  },
  {
    name: 'a webhook that is absent',
    seed: () =>
      changeBy(mutatingPath, ({ webhooks }) => ({
        webhooks: (webhooks as readonly { readonly name: string }[]).filter(({ name }) => name !== 'mcloneset.kb.io'),
      })),
    by: ['webhook-entries'],
    says: /CloneSet/,
  },
  {
    name: 'an absent configuration',
    seed: () => lose(validatingPath),
    by: ['webhook-configurations', 'webhook-entries', 'admission-conversion'],
    says: /validating/,
  },
  {
    name: 'a Secret without certificates',
    seed: () => lose(`${system}/secrets/kruise-webhook-certs`),
    by: ['ca-secret'],
    says: /has no certificates/,
  },
  {
    name: 'a CRD that does not convert',
    seed: () => change(cloneSetsPath, { spec: { conversion: { strategy: 'None', webhook: null } } }),
    by: ['conversion'],
    says: /CloneSet/,
  },
  { name: 'no leader', seed: () => lose(leasePath), by: ['lease'], says: /No manager holds the lease/ },
  {
    name: 'a leader whose clock is ahead',
    seed: () => change(leasePath, { spec: { renewTime: new Date(Date.now() + 90_000).toISOString().replace('Z', '000Z') } }),
    by: ['manager-clock'],
    says: /ahead of the API server/,
  },
];

const withFirst = (webhooks: unknown, config: object): readonly object[] =>
  (webhooks as readonly { readonly clientConfig: object }[]).map((one, at) =>
    at === 0 ? { ...one, clientConfig: { ...one.clientConfig, ...config } } : one,
  );

async function expectNamed({ seed, by, says }: Fault, besides: readonly string[]): Promise<void> {
  const undo = await seed();
  try {
    const found = await completeReport(plane.kubeconfigPath);
    expect(checksWith(found, 'Fault').filter((name) => !besides.includes(name))).toEqual(by);
    expect(messageOf(found, by[0] ?? '')).toMatch(says);
    expect(found.code).toBe(1);
  } finally {
    await undo();
  }
}

it.each(faults)('names $name, and nothing else', async (fault) => expectNamed(fault, []));

it('names a manager that was killed', async () => {
  await manager.signal('SIGKILL');
  const found = await completeReport(plane.kubeconfigPath);
  expect(checksWith(found, 'Fault')).toEqual(['admission-webhooks']);
});

it.each(leftFaults)('names $name beside the manager that does not answer', async (fault) => expectNamed(fault, ['admission-webhooks']));
