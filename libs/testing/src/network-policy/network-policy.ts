/**
 * Whether NetworkPolicies let a connection through, as the documentation of Kubernetes defines it. `testdata/verdicts/network-policies.json` has the
 * verdicts of an engine with which the tests compare this model. Pure.
 *
 * The answer to a connection needs no rule. Addresses and ports are those behind a Service. Which rules apply to Pods on the network of a node is up to
 * the network plugin: here, as in most of them, none do, and such a Pod is an address outside of the cluster.
 */
import { BlockList, isIPv6 } from 'node:net';
import { labelMatcherOrNothing, type LabelSelector } from '@kruise/objects';

interface NetworkPolicyPort {
  readonly protocol?: string;
  /** A number, or the name of a port of the Pod that is connected to. */
  readonly port?: number | string;
  readonly endPort?: number;
}

interface NetworkPolicyPeer {
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
  readonly podSelector?: LabelSelector;
  readonly namespaceSelector?: LabelSelector;
}

/** A list that is absent or empty restricts nothing. */
interface Rule {
  readonly ports?: readonly NetworkPolicyPort[] | null;
  readonly from?: readonly NetworkPolicyPeer[] | null;
  readonly to?: readonly NetworkPolicyPeer[] | null;
}

export interface NetworkPolicy {
  readonly metadata: { readonly namespace?: string };
  readonly spec: {
    readonly podSelector: LabelSelector;
    readonly policyTypes?: readonly string[];
    readonly ingress?: readonly Rule[];
    readonly egress?: readonly Rule[];
  };
}

/** A Pod of the cluster's network, or an address without one. */
export interface NetworkEnd {
  readonly address: string;
  readonly pod?: {
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly namespaceLabels: Readonly<Record<string, string>>;
    readonly ports?: readonly { readonly name?: string; readonly containerPort: number; readonly protocol?: string }[];
  };
}

export interface Connection {
  readonly from: NetworkEnd;
  readonly to: NetworkEnd;
  readonly protocol: 'TCP' | 'UDP';
  readonly port: number;
}

type Direction = 'Ingress' | 'Egress';

const matches = (selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean =>
  labelMatcherOrNothing(selector).matches(labels);

function isInBlock(cidr: string, address: string): boolean {
  const [network = '', length] = cidr.split('/');
  const [type, other] = [network, address].map((one) => (isIPv6(one) ? 'ipv6' : 'ipv4')) as ['ipv4' | 'ipv6', 'ipv4' | 'ipv6'];
  if (type !== other) return false;
  const block = new BlockList();
  block.addSubnet(network, Number(length), type);
  return block.check(address, type);
}

function isPeer({ ipBlock, podSelector, namespaceSelector }: NetworkPolicyPeer, { address, pod }: NetworkEnd, namespace: string): boolean {
  if (ipBlock !== undefined)
    return isInBlock(ipBlock.cidr, address) && !(ipBlock.except ?? []).some((excluded) => isInBlock(excluded, address));
  if (pod === undefined) return false;
  const isInNamespace = namespaceSelector === undefined ? pod.namespace === namespace : matches(namespaceSelector, pod.namespaceLabels);
  return isInNamespace && (podSelector === undefined || matches(podSelector, pod.labels));
}

function isPort({ protocol = 'TCP', port, endPort }: NetworkPolicyPort, connection: Connection): boolean {
  if (protocol !== connection.protocol) return false;
  if (port === undefined) return true;
  if (typeof port === 'number') return connection.port >= port && connection.port <= (endPort ?? port);
  return (connection.to.pod?.ports ?? []).some(
    (one) => one.name === port && one.containerPort === connection.port && (one.protocol ?? 'TCP') === protocol,
  );
}

const isUnrestricted = (list: readonly unknown[] | null | undefined): boolean => (list ?? []).length === 0;

/** Whether the policies that select the Pod of one end let the connection pass there. */
function isAllowedAt(direction: Direction, policies: readonly NetworkPolicy[], connection: Connection): boolean {
  const [end, other] = direction === 'Ingress' ? [connection.to, connection.from] : [connection.from, connection.to];
  const { pod } = end;
  if (pod === undefined) return true;
  const own = policies.filter(({ metadata, spec }) => {
    const types = spec.policyTypes ?? ['Ingress', ...(spec.egress === undefined ? [] : ['Egress'])];
    return metadata.namespace === pod.namespace && types.includes(direction) && matches(spec.podSelector, pod.labels);
  });
  if (own.length === 0) return true;
  return own.some(({ metadata, spec }) =>
    ((direction === 'Ingress' ? spec.ingress : spec.egress) ?? []).some(({ ports, from, to }) => {
      const peers = direction === 'Ingress' ? from : to;
      const isOpenTo = isUnrestricted(peers) || peers!.some((peer) => isPeer(peer, other, metadata.namespace ?? ''));
      return isOpenTo && (isUnrestricted(ports) || ports!.some((port) => isPort(port, connection)));
    }),
  );
}

/** Returns whether a connection is let out of the Pod that opens it, and into the Pod that it is opened to. */
export const isConnectionAllowed = (policies: readonly NetworkPolicy[], connection: Connection): boolean =>
  isAllowedAt('Egress', policies, connection) && isAllowedAt('Ingress', policies, connection);
