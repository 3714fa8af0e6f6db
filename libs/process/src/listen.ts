/** Listening addresses in Go's form, `host:port` or `:port`. */
import type { Server } from 'node:net';

/** The address of a server. With port 0, the system chooses one. */
export interface ListenAddress {
  /** '', `0.0.0.0` and `::` are every address, as in Go: those of IPv4 and IPv6, or those of IPv4 alone on a machine without IPv6. */
  readonly host: string;
  readonly port: number;
}

/**
 * Parses a listening address.
 *
 * @returns undefined for anything except `host:port`, `[ipv6]:port` or `:port` with a port of 0 to 65535
 */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const match = /^(\[[0-9A-Fa-f:.]*\]|[^:[\]]*):(\d{1,5})$/.exec(text);
  if (match === null) return undefined;
  const port = Number(match[2]);
  return port > 65_535 ? undefined : { host: (match[1] ?? '').replace(/^\[|\]$/g, ''), port };
}

const everyAddress: ReadonlySet<string> = new Set(['', '0.0.0.0', '::']);

/** Resolves with the port when `server` listens. Rejects when it cannot (address in use, missing permission). */
export function listen(server: Server, { host, port }: ListenAddress): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...(everyAddress.has(host) ? {} : { host }) }, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}
