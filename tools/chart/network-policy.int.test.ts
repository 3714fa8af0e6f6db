/**
 * The flows of an installation under the NetworkPolicies of the chart, by a model of their meaning: those that it needs are let through, others are
 * not. Whether a cluster enforces policies depends on its network plugin.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ensureBinaries, isConnectionAllowed, silent, type Connection, type NetworkEnd, type NetworkPolicy } from '@kruise/testing';
import { render, type Rendered, type Values } from './render.ts';

beforeAll(() => ensureBinaries(['helm'], silent), 600_000);

interface PodTemplate {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec: {
    readonly hostNetwork?: boolean;
    readonly containers: readonly { readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[] }[];
  };
}

const [apiServer, node, stranger, peer] = ['10.0.0.5', '10.1.0.7', '203.0.113.9', '10.244.3.3'];

const podAt = (address: string, namespace: string, labels: Readonly<Record<string, string>>, more: object = {}): NetworkEnd => ({
  address,
  pod: { namespace, labels, namespaceLabels: { 'kubernetes.io/metadata.name': namespace }, ...more },
});

const prometheusIn = (namespace: string): NetworkEnd => podAt(peer, namespace, { 'app.kubernetes.io/name': 'prometheus' });
const dns = podAt('10.244.0.2', 'kube-system', { 'k8s-app': 'kube-dns' });
const shopPod = podAt('10.244.4.4', 'shop', { app: 'web' });

/** The Pod of a rendered object, which is an address when it uses the network of its node. */
function podOf({ metadata, ...object }: Rendered, address: string): NetworkEnd {
  const { template } = object['spec'] as { readonly template?: PodTemplate };
  const { metadata: own = metadata, spec } = template ?? (object as unknown as PodTemplate);
  if (spec.hostNetwork === true) return { address: node };
  return podAt(address, metadata.namespace ?? '', own.labels ?? {}, { ports: spec.containers.flatMap(({ ports = [] }) => ports) });
}

/** Flows by what they are for: each names its ends, its port and its protocol, TCP if absent. */
type Flows = Readonly<Record<string, readonly [from: NetworkEnd, to: NetworkEnd, port: number, protocol?: Connection['protocol']]>>;

const switchedOn: Values = {
  'networkPolicy.enabled': true,
  'crds.migrateStorage.enabled': true,
  'tests.enabled': true,
  'manager.metrics.service.enabled': true,
};

class Installation {
  readonly manager: NetworkEnd;
  readonly agent: NetworkEnd;
  /** The Pods of Helm's hooks by their names, and of its test. */
  readonly hooks: ReadonlyMap<string, NetworkEnd>;
  readonly #policies: readonly NetworkPolicy[];

  private constructor(objects: readonly Rendered[]) {
    const one = (kind: string): Rendered => objects.find((object) => object.kind === kind)!;
    this.manager = podOf(one('Deployment'), '10.244.1.1');
    this.agent = podOf(one('DaemonSet'), '10.244.1.2');
    const hooks = objects.filter(({ kind }) => kind === 'Job' || kind === 'Pod');
    this.hooks = new Map(hooks.map((hook, index) => [hook.metadata.name, podOf(hook, `10.244.2.${index + 1}`)]));
    this.#policies = objects.filter(({ kind }) => kind === 'NetworkPolicy') as unknown as readonly NetworkPolicy[];
  }

  static async of(values: Values): Promise<Installation> {
    return new Installation(await render({ ...switchedOn, ...values }));
  }

  /** Returns the names of the flows that pass. */
  passing(flows: Flows): readonly string[] {
    const passes = ([from, to, port, protocol = 'TCP']: Flows[string]): boolean =>
      isConnectionAllowed(this.#policies, { from, to, port, protocol });
    return Object.keys(flows).filter((name) => passes(flows[name]!));
  }
}

const [servers, anywhere] = [{ address: apiServer }, { address: stranger }];
const [scraper, others] = [prometheusIn('monitoring'), prometheusIn('elsewhere')];

interface Case {
  readonly name: string;
  readonly values: Values;
  readonly ports?: { readonly webhook: number; readonly health: number; readonly metrics: number; readonly api: number };
  /** Names of flows that this case opens or closes otherwise than the others. */
  readonly opens?: readonly string[];
  readonly closes?: readonly string[];
}

const usual = { webhook: 9876, health: 8000, metrics: 8080, api: 6443 };
const labelled = [{ podSelector: { matchLabels: { 'app.kubernetes.io/name': 'prometheus' } }, namespaceSelector: {} }];

const cases: readonly Case[] = [
  { name: 'default values', values: {} },
  {
    name: 'other ports',
    values: {
      'manager.webhook.port': 10_250,
      'manager.healthProbe.port': 8001,
      'manager.metrics.port': 9090,
      'networkPolicy.apiServerPorts': [8443],
    },
    ports: { webhook: 10_250, health: 8001, metrics: 9090, api: 8443 },
  },
  {
    name: 'other namespaces',
    values: { 'installation.namespace': 'platform', 'daemon.namespace': 'agents', 'daemon.configNamespace': 'agents-config' },
  },
  {
    name: 'the addresses of the API servers',
    values: { 'networkPolicy.apiServerCIDRs': ['10.0.0.0/28', 'fd00::/64'] },
    closes: ['to port 6443 of any address'],
  },
  {
    name: 'any Prometheus',
    values: { 'networkPolicy.metricsFrom': labelled },
    opens: ['scrapes from another namespace'],
  },
  { name: 'no client of the metrics', values: { 'networkPolicy.metricsFrom': [] }, closes: ['Prometheus scrapes the manager'] },
  { name: 'three replicas behind a PodDisruptionBudget', values: { 'manager.replicas': 3, preset: 'large' } },
];

describe.each(cases)('with $name', ({ values, ports = usual, opens = [], closes = [] }) => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await Installation.of(values);
  });

  it('every flow that the installation needs passes', () => {
    const { manager, agent, hooks } = installation;
    const needed: Flows = {
      'the API server calls the webhooks': [servers, manager, ports.webhook],
      'a tunnel of the API server, a Pod, calls the webhooks': [podAt(peer, 'kube-system', { app: 'agent' }), manager, ports.webhook],
      'a kubelet probes the manager': [{ address: node }, manager, ports.health],
      'the manager calls the API server': [manager, servers, ports.api],
      'the manager asks DNS': [manager, dns, 53, 'UDP'],
      'the manager asks DNS for long answers': [manager, dns, 53],
      'the agent calls the API server': [agent, servers, ports.api],
      'a kubelet probes the agent': [{ address: node }, agent, 10_221],
      'Prometheus scrapes the agent': [scraper, agent, 10_221],
      'Prometheus scrapes the manager': [scraper, manager, ports.metrics],
      ...Object.fromEntries(
        [...hooks].map(([name, pod]): [string, Flows[string]] => [`${name} calls the API server`, [pod, servers, ports.api]]),
      ),
    };
    expect([...hooks.keys()].toSorted()).toEqual(['kruise-check', 'kruise-finalizer', 'kruise-migrate-storage']);
    expect(installation.passing(needed)).toEqual(Object.keys(needed).filter((name) => !closes.includes(name)));
  });

  it('others do not', () => {
    const { manager } = installation;
    const flows: Flows = {
      'scrapes from another namespace': [others, manager, ports.metrics],
      'scrapes from outside': [anywhere, manager, ports.metrics],
      'a workload reads metrics': [shopPod, manager, ports.metrics],
      'a workload reads profiles': [shopPod, manager, 8090],
      'Prometheus reads profiles': [scraper, manager, 8090],
      'to a web server': [manager, anywhere, 80],
      'to a workload': [manager, shopPod, 8080],
      'to SSH of a node': [manager, { address: node }, 22],
      'to the API server over UDP': [manager, servers, ports.api, 'UDP'],
      'to etcd': [manager, servers, 2379],
    };
    expect(installation.passing(flows)).toEqual(opens);
  });

  it(`without addresses of API servers, any address may be reached at their ports`, () => {
    const flow = `to port ${ports.api} of any address`;
    expect(installation.passing({ [flow]: [installation.manager, anywhere, ports.api] })).toEqual(closes.includes(flow) ? [] : [flow]);
  });
});

describe('an installation', () => {
  it('with API servers at IPv6 addresses reaches them, and no other IPv6 address', async () => {
    const installation = await Installation.of({ 'networkPolicy.apiServerCIDRs': ['fd00::/64'] });
    const { manager } = installation;
    expect(
      installation.passing({ inside: [manager, { address: 'fd00::5' }, 6443], outside: [manager, { address: '2001:db8::5' }, 6443] }),
    ).toEqual(['inside']);
  });

  it('without the policy lets everything through', async () => {
    const installation = await Installation.of({ 'networkPolicy.enabled': false });
    expect(installation.passing({ any: [shopPod, installation.manager, 8090] })).toEqual(['any']);
  });

  it('on the network of its nodes is not restricted by a policy', async () => {
    const installation = await Installation.of({ 'manager.hostNetwork': true });
    expect(installation.passing({ any: [shopPod, installation.manager, 8090] })).toEqual(['any']);
  });

  it.each([[[]], [null]])('whose policy would open all ports, because apiServerPorts is %j, is refused', async (apiServerPorts) => {
    await expect(Installation.of({ 'networkPolicy.apiServerPorts': apiServerPorts })).rejects.toThrow('apiServerPorts');
  });
});
