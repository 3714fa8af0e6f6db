/** What a stolen token of a node's daemon can do, and what not: roles and policy of the chart on a real API server. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { annotations, labels } from '@kruise/api';
import { createClient, loadClusterConfig, type Client, type UrlPath } from '@kruise/kube';
import { ensureBinaries, eventually, silent, startControlPlane, succeeds, type ControlPlane } from '@kruise/testing';
import { chartFolder, helm, valueFlags } from './render.ts';

type Body = Readonly<Record<string, unknown>>;

/** One request of the thief. */
interface Attack {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
}

const kruise = '/apis/apps.kruise.io';
const pod = (name: string): string => `/api/v1/namespaces/shop/pods/${name}`;
const request = (name: string): string => `${kruise}/v1beta1/namespaces/shop/containerrecreaterequests/${name}`;
const event = (name: string): string => `/api/v1/namespaces/shop/events/${name}`;
const merge = 'application/merge-patch+json';

/** An event about a Pod, as its source signs it. */
const anEvent = (name: string, source: Body, more: Body = {}): Body => ({
  metadata: { name, namespace: 'shop' },
  involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'pod-mine' },
  reason: 'Killing',
  message: 'x',
  type: 'Normal',
  source,
  ...more,
});
const signed = { component: 'kruise-daemon-imagepuller', host: 'mine' } as const;

describe("a daemon's token", () => {
  let plane: ControlPlane;
  let thief: Client | undefined;

  const send = (path: string, method: Attack['method'], body?: Body, contentType?: string): Promise<unknown> =>
    plane.api.request(path, { method, ...(body === undefined ? {} : { body }), ...(contentType === undefined ? {} : { contentType }) });
  const create = (path: string, body: Body): Promise<unknown> => send(path, 'POST', body);

  async function createPod(name: string, node: string, namespace = 'shop', account = 'default'): Promise<string> {
    const spec = { nodeName: node, serviceAccountName: account, containers: [{ name: 'main', image: 'app:1' }] };
    const made = (await create(`/api/v1/namespaces/${namespace}/pods`, {
      metadata: { name, labels: { app: 'web' }, annotations: { kept: 'yes' } },
      spec,
    })) as { metadata: { uid: string } };
    return made.metadata.uid;
  }

  /** A token as the kubelet mounts it, bound to the daemon's Pod on `node`. */
  async function tokenOf(node: string): Promise<string> {
    const name = `kruise-daemon-${node}`;
    const uid = await createPod(name, node, 'kruise-system', 'kruise-daemon');
    const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name, uid };
    return token({ boundObjectRef });
  }

  async function token(spec: Body): Promise<string> {
    const path = '/api/v1/namespaces/kruise-system/serviceaccounts/kruise-daemon/token';
    const { status } = (await create(path, { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec })) as {
      status: { token: string };
    };
    return status.token;
  }

  /** A connection with nothing but a token. */
  function clientWith(bearer: string): Client {
    const config = loadClusterConfig({ path: plane.kubeconfigPath });
    return createClient({ ...config, user: { token: bearer } }, { userAgent: 'thief' });
  }

  /** An API server takes its time to serve what was just defined. */
  async function untilServed(resources: readonly string[]): Promise<void> {
    for (const resource of resources) {
      const isServed = (): Promise<boolean> => succeeds(send(`${kruise}/${resource}`, 'GET'));
      await eventually(isServed);
    }
  }

  async function createObjects(): Promise<void> {
    await create('/api/v1/namespaces', { metadata: { name: 'shop' } });
    await create('/api/v1/namespaces/shop/serviceaccounts', { metadata: { name: 'default' } }).catch(() => undefined);
    for (const node of ['mine', 'other']) {
      await create('/api/v1/nodes', { metadata: { name: node } });
      await create(`${kruise}/v1beta1/nodeimages`, {
        apiVersion: 'apps.kruise.io/v1beta1',
        kind: 'NodeImage',
        metadata: { name: node },
        spec: {},
      });
      await create(`${kruise}/v1alpha1/nodepodprobes`, {
        apiVersion: 'apps.kruise.io/v1alpha1',
        kind: 'NodePodProbe',
        metadata: { name: node },
        spec: {},
      });
      await createPod(`pod-${node}`, node);
      await create(`${kruise}/v1beta1/namespaces/shop/containerrecreaterequests`, {
        apiVersion: 'apps.kruise.io/v1beta1',
        kind: 'ContainerRecreateRequest',
        metadata: { name: `request-${node}`, labels: { [labels.recreateNodeName]: node, [labels.recreateActive]: 'true' } },
        spec: { podName: `pod-${node}`, containers: [{ name: 'main' }] },
      });
    }
    await create('/api/v1/namespaces/shop/events', anEvent('of-kubelet', { component: 'kubelet', host: 'mine' }));
    await create('/api/v1/namespaces/shop/events', anEvent('of-other', { component: 'kruise-daemon-crr', host: 'other' }));
    await create('/api/v1/namespaces/shop/events', anEvent('of-mine', { component: 'kruise-daemon-crr', host: 'mine' }));
    for (const [namespace, name] of [
      ['kruise-daemon-config', 'synced'],
      ['shop', 'password'],
    ] as const)
      await create(`/api/v1/namespaces/${namespace}/secrets`, { metadata: { name }, stringData: { key: 'x' } });
  }

  beforeAll(async () => {
    await ensureBinaries(['helm'], silent);
    plane = await startControlPlane();
    await helm(['install', 'kruise', chartFolder, ...valueFlags({ 'installation.createNamespace': true })], plane.kubeconfigPath);
    // No manager answers here.
    for (const verb of ['mutating', 'validating'])
      await send(`/apis/admissionregistration.k8s.io/v1/${verb}webhookconfigurations/kruise-${verb}-webhook-configuration`, 'DELETE');
    await untilServed(['v1beta1/nodeimages', 'v1alpha1/nodepodprobes', 'v1beta1/containerrecreaterequests']);
    await createObjects();
    thief = clientWith(await tokenOf('mine'));
    await untilPolicyIsInForce();
  });
  afterAll(async () => {
    thief?.close();
    await plane.stop();
  });

  /** What replaces a status brings the whole object, as it is at this moment. */
  const wholeOf = async ({ method, path, body }: Omit<Attack, 'name'>): Promise<unknown> =>
    method === 'PUT' && !('apiVersion' in (body as Body)) ? { ...((await send(path, 'GET')) as Body), ...(body as Body) } : body;

  const run = async (attack: Omit<Attack, 'name'>, as = thief): Promise<unknown> => {
    const { method, path } = attack;
    const body = await wholeOf(attack);
    const headers = { 'content-type': method === 'PATCH' ? merge : 'application/json' };
    return as?.raw(path as UrlPath, { method, ...(body === undefined ? {} : { body, headers }) });
  };

  const report = { metadata: { annotations: { [annotations.runtimeContainersMeta]: '{"containers":[]}' } } };

  it.each<Attack>([
    { name: 'report on a Pod of its node', method: 'PATCH', path: `${pod('pod-mine')}/status`, body: report },
    {
      name: 'report images of its node',
      method: 'PUT',
      path: `${kruise}/v1beta1/nodeimages/mine/status`,
      body: { status: { desired: 0, succeeded: 0, failed: 0, pulling: 0 } },
    },
    {
      name: 'report probes of its node',
      method: 'PUT',
      path: `${kruise}/v1alpha1/nodepodprobes/mine/status`,
      body: { status: { podProbeStatuses: [] } },
    },
    {
      name: 'report a request of its node',
      method: 'PATCH',
      path: `${request('request-mine')}/status`,
      body: { status: { phase: 'Recreating' } },
    },
    {
      name: 'tell of its work',
      method: 'POST',
      path: '/api/v1/namespaces/shop/events',
      body: anEvent('told', signed, { reportingComponent: signed.component, reportingInstance: 'mine' }),
    },
    { name: 'tell of it once more', method: 'PATCH', path: event('of-mine'), body: { count: 2 } },
    { name: 'read the Pods of all nodes', method: 'GET', path: '/api/v1/pods' },
    { name: 'read the NodeImages of all nodes', method: 'GET', path: `${kruise}/v1beta1/nodeimages` },
    { name: 'read its pull secrets by name', method: 'GET', path: '/api/v1/namespaces/kruise-daemon-config/secrets/synced' },
  ])('can $name', async (attack) => {
    await expect(run(attack)).resolves.toBeDefined();
  });

  const elsewhere: readonly Attack[] = [
    { name: 'report on a Pod of another node', method: 'PATCH', path: `${pod('pod-other')}/status`, body: report },
    {
      name: 'report images of another node',
      method: 'PUT',
      path: `${kruise}/v1beta1/nodeimages/other/status`,
      body: { status: { desired: 9, succeeded: 9, failed: 0, pulling: 0 } },
    },
    {
      name: 'ask another node for images',
      method: 'PATCH',
      path: `${kruise}/v1beta1/nodeimages/other`,
      body: { spec: { images: { evil: { tags: [{ tag: '1' }] } } } },
    },
    {
      name: 'report probes of another node',
      method: 'PUT',
      path: `${kruise}/v1alpha1/nodepodprobes/other/status`,
      body: { status: { podProbeStatuses: [{ name: 'x', namespace: 'shop', uid: 'u' }] } },
    },
    {
      name: 'report a request of another node',
      method: 'PATCH',
      path: `${request('request-other')}/status`,
      body: { status: { phase: 'Completed' } },
    },
  ];
  const ownPods: readonly Attack[] = [
    {
      name: 'label a Pod of its node',
      method: 'PATCH',
      path: `${pod('pod-mine')}/status`,
      body: { metadata: { labels: { app: 'evil' } } },
    },
    { name: 'take a label from it', method: 'PATCH', path: `${pod('pod-mine')}/status`, body: { metadata: { labels: { app: null } } } },
    {
      name: 'annotate it otherwise',
      method: 'PATCH',
      path: `${pod('pod-mine')}/status`,
      body: { metadata: { annotations: { 'sidecar.example/inject': 'yes' } } },
    },
    {
      name: 'change an annotation of it',
      method: 'PATCH',
      path: `${pod('pod-mine')}/status`,
      body: { metadata: { annotations: { kept: 'no' } } },
    },
    {
      name: 'remove an annotation of it',
      method: 'PATCH',
      path: `${pod('pod-mine')}/status`,
      body: { metadata: { annotations: { kept: null } } },
    },
    {
      name: 'give it a finalizer',
      method: 'PATCH',
      path: `${pod('pod-mine')}/status`,
      body: { metadata: { finalizers: ['evil.example/stay'] } },
    },
    {
      name: 'call it ready',
      method: 'PATCH',
      path: `${pod('pod-mine')}/status`,
      body: { status: { conditions: [{ type: 'Ready', status: 'True' }] } },
    },
    { name: 'call it ended', method: 'PATCH', path: `${pod('pod-mine')}/status`, body: { status: { phase: 'Failed' } } },
    {
      name: 'move its address',
      method: 'PATCH',
      path: `${pod('pod-mine')}/status`,
      body: { status: { podIP: '10.0.0.9', podIPs: [{ ip: '10.0.0.9' }] } },
    },
    { name: 'change its spec', method: 'PATCH', path: pod('pod-mine'), body: { spec: { activeDeadlineSeconds: 1 } } },
    { name: 'delete it', method: 'DELETE', path: pod('pod-mine') },
    {
      name: 'evict it',
      method: 'POST',
      path: `${pod('pod-mine')}/eviction`,
      body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'pod-mine' } },
    },
    { name: 'run a command in it', method: 'POST', path: `${pod('pod-mine')}/exec?command=sh` },
    { name: 'read its log', method: 'GET', path: `${pod('pod-mine')}/log` },
    {
      name: 'create a Pod',
      method: 'POST',
      path: '/api/v1/namespaces/shop/pods',
      body: { metadata: { name: 'evil' }, spec: { containers: [{ name: 'a', image: 'a' }] } },
    },
    {
      name: 'replace its status with that of a Pod that has no labels',
      method: 'PUT',
      path: `${pod('pod-mine')}/status`,
      body: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'pod-mine', annotations: { kept: 'yes' } },
        spec: { nodeName: 'mine', containers: [{ name: 'main', image: 'app:1' }] },
      },
    },
    {
      name: 'put a container into it',
      method: 'PATCH',
      path: `${pod('pod-mine')}/ephemeralcontainers`,
      body: { spec: { ephemeralContainers: [{ name: 'e', image: 'e' }] } },
    },
    { name: 'attach to it', method: 'POST', path: `${pod('pod-mine')}/attach` },
    { name: 'forward a port of it', method: 'POST', path: `${pod('pod-mine')}/portforward` },
    { name: 'reach it through the API server', method: 'GET', path: `${pod('pod-mine')}/proxy` },
    {
      name: 'bind it to another node',
      method: 'POST',
      path: `${pod('pod-mine')}/binding`,
      body: { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'pod-mine' }, target: { kind: 'Node', name: 'other' } },
    },
    { name: 'resize it', method: 'PATCH', path: `${pod('pod-mine')}/resize`, body: { spec: {} } },
  ];
  const reported: readonly Attack[] = [
    {
      name: 'speak as the kubelet',
      method: 'POST',
      path: '/api/v1/namespaces/shop/events',
      body: anEvent('a', { component: 'kubelet', host: 'mine' }),
    },
    {
      name: 'speak for another node',
      method: 'POST',
      path: '/api/v1/namespaces/shop/events',
      body: anEvent('b', { ...signed, host: 'other' }),
    },
    { name: 'speak for nobody', method: 'POST', path: '/api/v1/namespaces/shop/events', body: anEvent('c', {}) },
    {
      name: 'sign with two names',
      method: 'POST',
      path: '/api/v1/namespaces/shop/events',
      body: anEvent('d', signed, { reportingComponent: 'kubelet', reportingInstance: 'other' }),
    },
    { name: 'change what the kubelet told', method: 'PATCH', path: event('of-kubelet'), body: { message: 'all is well', source: signed } },
    { name: 'change what another node told', method: 'PATCH', path: event('of-other'), body: { message: 'all is well' } },
    { name: 'unsay what it told', method: 'DELETE', path: event('of-mine') },
    { name: 'read what others told', method: 'GET', path: '/api/v1/namespaces/shop/events' },
  ];
  const others: readonly Attack[] = [
    { name: 'watch the secrets of pulls', method: 'GET', path: '/api/v1/namespaces/kruise-daemon-config/secrets?watch=true' },
    { name: 'delete a secret of pulls', method: 'DELETE', path: '/api/v1/namespaces/kruise-daemon-config/secrets/synced' },
    {
      name: 'ask its own node for images',
      method: 'PATCH',
      path: `${kruise}/v1beta1/nodeimages/mine`,
      body: { spec: { images: { evil: { tags: [{ tag: '1' }] } } } },
    },
    {
      name: 'take part in jobs of other nodes by their labels',
      method: 'PATCH',
      path: `${kruise}/v1beta1/nodeimages/mine`,
      body: { metadata: { labels: { pool: 'payments' } } },
    },
    {
      name: 'make a job',
      method: 'POST',
      path: `${kruise}/v1beta1/namespaces/shop/imagepulljobs`,
      body: { metadata: { name: 'evil' }, spec: { image: 'evil', pullSecrets: ['password'], completionPolicy: {} } },
    },
    { name: 'read jobs', method: 'GET', path: `${kruise}/v1beta1/imagepulljobs` },
    {
      name: 'give itself rights',
      method: 'POST',
      path: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
      body: {
        metadata: { name: 'evil' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
        subjects: [{ kind: 'ServiceAccount', name: 'kruise-daemon', namespace: 'kruise-system' }],
      },
    },
    {
      name: 'widen its role',
      method: 'PATCH',
      path: '/apis/rbac.authorization.k8s.io/v1/clusterroles/kruise-daemon-role',
      body: { rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] },
    },
    {
      name: "take the manager's lease",
      method: 'GET',
      path: '/apis/coordination.k8s.io/v1/namespaces/kruise-system/leases/kruise-manager',
    },
    { name: 'reach a kubelet', method: 'GET', path: '/api/v1/nodes/mine/proxy/pods' },
    {
      name: 'change what the webhooks do',
      method: 'DELETE',
      path: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/kruise-daemon-node',
    },
    { name: 'read the settings of the manager', method: 'GET', path: '/api/v1/namespaces/kruise-system/configmaps' },
    { name: 'list the secrets of pulls', method: 'GET', path: '/api/v1/namespaces/kruise-daemon-config/secrets' },
    { name: 'read another secret', method: 'GET', path: '/api/v1/namespaces/shop/secrets/password' },
    { name: "read the webhook's key", method: 'GET', path: '/api/v1/namespaces/kruise-system/secrets/kruise-webhook-certs' },
    { name: 'list all secrets', method: 'GET', path: '/api/v1/secrets' },
    {
      name: 'write a secret of pulls',
      method: 'PATCH',
      path: '/api/v1/namespaces/kruise-daemon-config/secrets/synced',
      body: { stringData: { key: 'y' } },
    },
    {
      name: 'ask for a token',
      method: 'POST',
      path: '/api/v1/namespaces/kruise-system/serviceaccounts/kruise-manager/token',
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    },
    {
      name: 'create a request',
      method: 'POST',
      path: `${kruise}/v1beta1/namespaces/shop/containerrecreaterequests`,
      body: {
        apiVersion: 'apps.kruise.io/v1beta1',
        kind: 'ContainerRecreateRequest',
        metadata: { name: 'evil' },
        spec: { podName: 'pod-mine', containers: [{ name: 'main' }] },
      },
    },
    { name: 'delete a request', method: 'DELETE', path: request('request-mine') },
    {
      name: 'create a work list',
      method: 'POST',
      path: `${kruise}/v1alpha1/nodepodprobes`,
      body: { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'NodePodProbe', metadata: { name: 'third' }, spec: {} },
    },
    { name: 'order probes', method: 'PATCH', path: `${kruise}/v1alpha1/nodepodprobes/mine`, body: { spec: { podProbes: [] } } },
    { name: 'delete a list of images', method: 'DELETE', path: `${kruise}/v1beta1/nodeimages/mine` },
    { name: 'write a node', method: 'PATCH', path: '/api/v1/nodes/mine', body: { metadata: { labels: { a: 'b' } } } },
    { name: 'read nodes', method: 'GET', path: '/api/v1/nodes' },
    { name: 'read CloneSets', method: 'GET', path: `${kruise}/v1beta1/clonesets` },
    {
      name: 'change the policy',
      method: 'DELETE',
      path: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/kruise-daemon-node',
    },
  ];
  it.each([...elsewhere, ...ownPods, ...reported, ...others])('cannot $name', async (attack) => {
    await expect(run(attack)).rejects.toMatchObject({ failure: { kind: expect.stringMatching(/^(Forbidden|Invalid)$/) } });
  });

  const unbound = 'must be bound to a Pod of its node';
  async function asUnbound<T>(work: (as: Client) => Promise<T>): Promise<T> {
    const client = clientWith(await token({}));
    try {
      return await work(client);
    } finally {
      client.close();
    }
  }

  /** The API server applies a policy some time after it has stored it. */
  const untilPolicyIsInForce = (): Promise<void> =>
    asUnbound((client) => {
      const attempt = { method: 'PATCH', path: `${pod('pod-mine')}/status?dryRun=All`, body: report } as const;
      const isRefused = (): Promise<boolean> =>
        run(attempt, client).then(
          () => false,
          (error: unknown) => String(error).includes(unbound),
        );
      return eventually(isRefused);
    });

  it('is worth nothing when it is bound to no node', async () => {
    const attack = { method: 'PATCH', path: `${pod('pod-mine')}/status`, body: report } as const;
    await asUnbound((client) => expect(run(attack, client)).rejects.toThrow(unbound));
  });
});
