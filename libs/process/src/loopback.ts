/** Determines which addresses belong only to the program's own host. */
import { BlockList, isIPv6 } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * Returns whether the host is the loopback interface.
 *
 * @param host a name or an address without port and brackets. The only accepted name is `localhost`; '' is every interface.
 */
export function isLoopback(host: string): boolean {
  if (host.toLowerCase() === 'localhost') return true;
  return loopback.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
}

/** Returns the host of a `Host` header, without port and brackets. */
export const hostOf = (header: string): string => header.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
