/** Free TCP ports on this machine. */
import { createServer, type ListenOptions } from 'node:net';

/** Listens until `close` is called; undefined when another process does. */
function tryListen(options: ListenOptions): Promise<{ close(): Promise<void> } | undefined> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', () => resolve(undefined));
    server.listen({ ...options, exclusive: true }, () => {
      server.unref();
      resolve({ close: () => new Promise((closed) => server.close(() => closed())) });
    });
  });
}

/** Returns whether it is possible to listen on `port` of `host` right now. */
export async function isPortFree(port: number, host: string): Promise<boolean> {
  const listening = await tryListen({ port, host });
  await listening?.close();
  return listening !== undefined;
}

/**
 * Reserves a port for this process until it ends, in whatever way, among all that call this function: a restarted server leaves its port for a
 * moment. The mark is a socket without a file, which only Linux has; elsewhere every port is returned.
 */
async function reserve(port: number): Promise<boolean> {
  return process.platform !== 'linux' || (await tryListen({ path: `\0kruise-test-port-${port}` })) !== undefined;
}

const [lowest, count] = [17_000, 12_000];

/**
 * Returns `wanted` different ports that are free on every address, below the range that the kernel uses for outgoing connections and below NodePorts.
 * It starts at a random place, so that parallel callers rarely conflict. No other process gets one of them while this one runs.
 */
export async function findFreePorts(wanted: number): Promise<readonly number[]> {
  const start = Math.floor(Math.random() * count);
  const found: number[] = [];
  for (let step = 0; step < count && found.length < wanted; step += 1) {
    const port = lowest + ((start + step) % count);
    if ((await isPortFree(port, '0.0.0.0')) && (await reserve(port))) found.push(port);
  }
  if (found.length < wanted)
    throw new Error(`found only ${found.length} of ${wanted} free ports between ${lowest} and ${lowest + count - 1}`);
  return found;
}
