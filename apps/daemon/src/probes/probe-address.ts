/**
 * Where network probes may go: to the Pod, and nowhere else. What a NodePodProbe says is no more than a wish among the addresses that the
 * runtime reports for the Pod's own sandbox; a Pod in the host's network is known from the API, and probed on its node's address.
 * @see spec/podprobemarker.md 5.3
 */
import type { PodSandboxStatus } from '@kruise/cri';
import type { Pod } from '@kruise/objects';
import { isIP } from 'node:net';

/** Loopback, link-local and unspecified addresses belong to the node or to nobody, whoever reports them. */
const isNobodys = (address: string): boolean =>
  /^(127\.|169\.254\.|0\.)/.test(address) || /^(::1?|::ffff:(127|169\.254|0)\..*|fe[89ab][0-9a-f]:.*)$/i.test(address);

const usable = (address: string | undefined): address is string => address !== undefined && isIP(address) !== 0 && !isNobodys(address);

/**
 * @param wish the address in the NodePodProbe, '' for none: chooses among several of the Pod
 * @param pod as the API server has it, of this node
 * @returns undefined when no address of the Pod is known
 */
export function addressOf(wish: string, { network }: Pick<PodSandboxStatus, 'network'>, pod: Pod): string | undefined {
  const reported = network === null ? [] : [network.ip, ...network.additionalIps.map(({ ip }) => ip)].filter(usable);
  if (reported.length > 0) return reported.includes(wish) ? wish : reported[0];
  const node = pod.status?.hostIP;
  return pod.spec.hostNetwork === true && usable(node) ? node : undefined;
}
