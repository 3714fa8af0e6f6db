/**
 * Where network probes may connect: to the Pod, and nowhere else. The address in a NodePodProbe only selects among the addresses that the runtime
 * reports for the Pod's own sandbox. A Pod in the host's network is known from the API, and probed on its node's address.
 * @see spec/podprobemarker.md 5.3
 */
import type { PodSandboxStatus } from '@kruise/cri';
import type { Pod } from '@kruise/objects';
import { BlockList, isIP, isIPv6 } from 'node:net';

/**
 * Addresses that belong to the node, to a whole network or to no host, whichever component reports them, and those in which an IPv4 address is embedded in IPv6.
 * A rule for IPv4 also applies to the mapped form of IPv6, in each of its spellings.
 */
const reserved = new BlockList();
for (const [network, prefix, family] of [
  ['0.0.0.0', 8, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
  ['::', 96, 'ipv6'],
  ['64:ff9b::', 96, 'ipv6'],
  ['64:ff9b:1::', 48, 'ipv6'],
  ['2002::', 16, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
] as const)
  reserved.addSubnet(network, prefix, family);

/** Returns whether an address is usable: one with a zone is a link of this machine. */
const isUsable = (address: string): boolean =>
  isIP(address) !== 0 && !address.includes('%') && !reserved.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

function nodeAddressesOf({ status }: Pod): readonly string[] {
  const all = [status?.hostIP, ...(status?.hostIPs ?? []).map(({ ip }) => ip)];
  return all.filter((address) => address !== undefined);
}

/** Returns the reported addresses. A sandbox that is not ready has released its address, which may be another Pod's by now. */
const reportedBy = ({ network, state }: Pick<PodSandboxStatus, 'network' | 'state'>): readonly string[] =>
  network === null || state !== 'SANDBOX_READY' ? [] : [network.ip, ...network.additionalIps.map(({ ip }) => ip)];

/**
 * Returns the address to probe, undefined when no address of the Pod is known.
 *
 * @param wish the address in the NodePodProbe, '' for none: selects among several of the Pod
 * @param pod as the API server has it, of this node
 */
export function addressOf(wish: string, sandbox: Pick<PodSandboxStatus, 'network' | 'state'>, pod: Pod): string | undefined {
  const node = nodeAddressesOf(pod);
  const own = pod.spec.hostNetwork === true ? node : reportedBy(sandbox).filter((address) => !node.includes(address));
  const usable = own.filter(isUsable);
  return usable.includes(wish) ? wish : usable[0];
}
