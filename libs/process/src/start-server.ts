/** Servers of a program that listen on an address from a flag. */
import type { Server } from 'node:net';
import { listen, parseListenAddress } from './listen.ts';
import { StartError } from './program.ts';

/**
 * Makes a server listen on the address that a flag gives.
 *
 * @returns the server, once it listens
 * @throws StartError that names the flag, for an address that is malformed or cannot be used
 */
export async function startServer<T extends Server>(server: T, address: string, flag: string): Promise<T> {
  const parsed = parseListenAddress(address);
  if (parsed === undefined) throw new StartError(`--${flag} must be host:port or :port, not "${address}"`);
  try {
    await listen(server, parsed);
    return server;
  } catch (error) {
    throw new StartError(`--${flag}=${address}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
