import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { startServer } from './start-server.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

const aServer = (): Server => {
  const server = createServer();
  servers.push(server);
  return server;
};

describe('a server on the address of a flag', () => {
  it('listens when it is returned', async () => {
    expect((await startServer(aServer(), '127.0.0.1:0', 'addr')).listening).toBe(true);
  });

  it('is refused with the name of the flag when the address is malformed', async () => {
    await expect(startServer(createServer(), 'nowhere', 'addr')).rejects.toThrow('--addr must be host:port or :port, not "nowhere"');
  });

  it('is refused with the name of the flag when the address is in use', async () => {
    const { port } = (await startServer(aServer(), '127.0.0.1:0', 'addr')).address() as AddressInfo;
    await expect(startServer(createServer(), `127.0.0.1:${port}`, 'addr')).rejects.toThrow(
      new RegExp(`^--addr=127.0.0.1:${port}: .*EADDRINUSE`),
    );
  });
});
