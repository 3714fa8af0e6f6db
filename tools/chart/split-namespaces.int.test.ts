/**
 * The node agent moves to a namespace of its own, and the manager gets a NetworkPolicy, by an upgrade on a real API server. What a NetworkPolicy
 * lets through depends on the network plugin of a cluster, so this shows only what the API server stores.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ensureBinaries, eventually, silent, startControlPlane, type ControlPlane } from '@kruise/testing';
import { chartFolder, helm, valueFlags } from './render.ts';

const system = 'kruise-system';
const agents = 'kruise-daemon';
const configuration = 'kruise-daemon-config';
const shop = 'shop';

const values = {
  'daemon.namespace': agents,
  'networkPolicy.enabled': true,
  'networkPolicy.apiServerCIDRs': ['10.0.0.0/28', 'fd00::/64'],
};
const daemonSet = (namespace: string): string => `/apis/apps/v1/namespaces/${namespace}/daemonsets/kruise-daemon`;
const account = (namespace: string): string => `/api/v1/namespaces/${namespace}/serviceaccounts/kruise-daemon`;

interface Rights {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
}

/** What the agent cannot work without. */
const rights: readonly Rights[] = [
  { verb: 'list', group: '', resource: 'pods' },
  { verb: 'patch', group: '', resource: 'pods', subresource: 'status' },
  { verb: 'watch', group: 'apps.kruise.io', resource: 'containerrecreaterequests' },
  { verb: 'update', group: 'apps.kruise.io', resource: 'nodeimages', subresource: 'status' },
  { verb: 'get', group: '', resource: 'secrets', namespace: configuration },
];

describe('an upgrade that gives the node agent a namespace of its own', () => {
  let plane: ControlPlane;

  const create = (path: string, body: object): Promise<unknown> => plane.api.request(path, { method: 'POST', body });
  const get = <T>(path: string): Promise<T> => plane.api.request(path) as Promise<T>;
  const enforced = async (namespace: string): Promise<unknown> => {
    const { metadata } = await get<{ metadata: { labels: Readonly<Record<string, string>> } }>(`/api/v1/namespaces/${namespace}`);
    return metadata.labels['pod-security.kubernetes.io/enforce'];
  };
  /** How many of the {@link rights} the agent's account in `namespace` has. */
  const granted = async (namespace: string): Promise<number> => {
    const reviews = rights.map((resourceAttributes) =>
      create('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: { user: `system:serviceaccount:${namespace}:kruise-daemon`, resourceAttributes },
      }),
    );
    return (await Promise.all(reviews)).filter((review) => (review as { status: { allowed: boolean } }).status.allowed).length;
  };
  /** As the controller of DaemonSets would, and without storing it. */
  const createAgent = async (namespace: string): Promise<unknown> => {
    const { spec } = await get<{ spec: { template: object } }>(daemonSet(agents));
    return create(`/api/v1/namespaces/${namespace}/pods?dryRun=All`, {
      ...spec.template,
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'agent' },
    });
  };

  beforeAll(async () => {
    await ensureBinaries(['helm'], silent);
    plane = await startControlPlane();
    await helm(['install', 'kruise', chartFolder], plane.kubeconfigPath);
    expect(await enforced(system)).toBe('privileged');
    await eventually(async () => (await granted(system)) === rights.length);
    await helm(['upgrade', 'kruise', chartFolder, '--reset-values', ...valueFlags(values)], plane.kubeconfigPath);
  });
  afterAll(() => plane.stop());

  it('moves the agent and its rights, and leaves none with the account of before', async () => {
    await expect(get(daemonSet(system))).rejects.toThrow('not found');
    await expect(get(account(system))).rejects.toThrow('not found');
    await eventually(async () => (await granted(agents)) === rights.length);
    await eventually(async () => (await granted(system)) === 0);
  });

  it("lets the manager's namespace enforce restricted, where the agent is refused from then on", async () => {
    expect([await enforced(system), await enforced(agents)]).toEqual(['restricted', 'privileged']);
    await create(`/api/v1/namespaces/${system}/serviceaccounts`, { metadata: { name: 'kruise-daemon' } });
    await expect(createAgent(system)).rejects.toThrow('violates PodSecurity "restricted');
  });

  it('admits agents while no manager answers, unlike Pods of other namespaces', async () => {
    await create('/api/v1/namespaces', { metadata: { name: shop } });
    await create(`/api/v1/namespaces/${shop}/serviceaccounts`, { metadata: { name: 'kruise-daemon' } });
    await expect(createAgent(shop)).rejects.toThrow('failed calling webhook');
    await expect(createAgent(agents)).resolves.toMatchObject({ metadata: { name: 'agent' } });
  });

  it('selects the Pods of the manager alone, with the addresses of the API servers as given', async () => {
    const policies = '/apis/networking.k8s.io/v1/networkpolicies';
    const { items } = await get<{ items: readonly { metadata: { namespace: string }; spec: Readonly<Record<string, unknown>> }[] }>(
      policies,
    );
    expect(items.map(({ metadata }) => metadata.namespace)).toEqual([system]);
    const manager = await get<{ spec: { selector: object } }>(`/apis/apps/v1/namespaces/${system}/deployments/kruise-controller-manager`);
    expect(items[0]?.spec).toMatchObject({ podSelector: manager.spec.selector, policyTypes: ['Ingress', 'Egress'] });
    const [, toApiServers] = items[0]?.spec['egress'] as readonly { readonly to: unknown }[];
    expect(toApiServers?.to).toEqual([{ ipBlock: { cidr: '10.0.0.0/28' } }, { ipBlock: { cidr: 'fd00::/64' } }]);
  });
});
